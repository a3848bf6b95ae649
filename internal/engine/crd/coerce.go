package crd

import (
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type CoerceOptions struct {
	// FromStorage: the object was read from etcd, where invalid metadata is
	// dropped and a missing generation repaired.
	FromStorage bool
}

// Coerce prunes an object of version v, and coerces its metadata, where no
// user waits for an explanation: after conversion and after reading
// (unstructuredSchemaCoercer.apply in k8s.io/apiextensions-apiserver/pkg/apiserver).
func (v *Version) Coerce(object *unstructured.Unstructured, options CoerceOptions) error {
	kind, apiVersion := object.GetKind(), object.GetAPIVersion()
	meta, found, err := objectmeta.GetObjectMeta(object.Object, options.FromStorage)
	if err != nil {
		return err
	}
	if !v.PreserveUnknown {
		pruning.Prune(object.Object, v.Schema, true)
		defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, v.Schema)
	}
	if err := objectmeta.Coerce(nil, object.Object, v.Schema, false, options.FromStorage); err != nil {
		return err
	}
	object.SetKind(kind)
	object.SetAPIVersion(apiVersion)
	if !found {
		return nil
	}
	if options.FromStorage && meta.Generation == 0 {
		meta.Generation = 1
	}
	return objectmeta.SetObjectMeta(object.Object, meta)
}
