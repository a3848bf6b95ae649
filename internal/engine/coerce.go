package engine

import (
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

type coerceOptions struct {
	// fromStorage: the object was read from etcd, where invalid metadata is
	// dropped and a missing generation repaired.
	fromStorage bool
}

// coerce prunes an object of version v, and coerces its metadata, where no
// user waits for an explanation: after conversion and after reading
// (unstructuredSchemaCoercer.apply in k8s.io/apiextensions-apiserver/pkg/apiserver).
func (v *version) coerce(object *unstructured.Unstructured, options coerceOptions) error {
	kind, apiVersion := object.GetKind(), object.GetAPIVersion()
	meta, found, err := objectmeta.GetObjectMeta(object.Object, options.fromStorage)
	if err != nil {
		return err
	}
	if !v.preserveUnknown {
		pruning.Prune(object.Object, v.schema, true)
		defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, v.schema)
	}
	if err := objectmeta.Coerce(nil, object.Object, v.schema, false, options.fromStorage); err != nil {
		return err
	}
	object.SetKind(kind)
	object.SetAPIVersion(apiVersion)
	if !found {
		return nil
	}
	if options.fromStorage && meta.Generation == 0 {
		meta.Generation = 1
	}
	return objectmeta.SetObjectMeta(object.Object, meta)
}
