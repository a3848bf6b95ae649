package crd

import (
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Coerce prunes a converted object and coerces its metadata. It follows
// unstructuredSchemaCoercer.apply of k8s.io/apiextensions-apiserver/pkg/apiserver.
func (v *Version) Coerce(object *unstructured.Unstructured) error {
	return v.coerce(object, false)
}

// CoerceStored is [Version.Coerce] for an object from etcd. It also drops malformed
// fields of the metadata and sets a missing generation.
func (v *Version) CoerceStored(object *unstructured.Unstructured) error {
	return v.coerce(object, true)
}

func (v *Version) coerce(object *unstructured.Unstructured, stored bool) error {
	kind, apiVersion := object.GetKind(), object.GetAPIVersion()
	meta, found, err := objectmeta.GetObjectMeta(object.Object, stored)
	if err != nil {
		return err
	}
	if !v.PreserveUnknown {
		pruning.Prune(object.Object, v.Schema, true)
		defaulting.PruneNonNullableNullsWithoutDefaults(object.Object, v.Schema)
	}
	if err := objectmeta.Coerce(nil, object.Object, v.Schema, false, stored); err != nil {
		return err
	}
	object.SetKind(kind)
	object.SetAPIVersion(apiVersion)
	if !found {
		return nil
	}
	if stored && meta.Generation == 0 {
		meta.Generation = 1
	}
	return objectmeta.SetObjectMeta(object.Object, meta)
}
