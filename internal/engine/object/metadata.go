package object

import (
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

func runMetadata(r *Request) error {
	before := r.rec.snapshot(r.object)
	meta, unknown, err := coerceMetadata(r.object, r.options.tracksUnknown())
	r.decoding.meta = meta
	r.decoding.addUnknown(playground.StageMetadata, unknown)
	if err != nil {
		return r.decodeError(err)
	}
	r.rec.record(explainChanges(before, r.object.Object, playground.CauseCoerced, func(jsonvalue.Change) string {
		return "not a field of ObjectMeta, or zero"
	})...)
	return nil
}

// coerceMetadata decodes the metadata of an object as ObjectMeta and writes it back,
// which drops all other fields. meta is nil if the object has no metadata.
func coerceMetadata(object *unstructured.Unstructured, tracksUnknown bool) (meta *metav1.ObjectMeta, unknown []string, err error) {
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(object.Object, objectmeta.ObjectMetaOptions{
		ReturnUnknownFieldPaths: tracksUnknown,
	})
	if err != nil {
		return nil, nil, err
	}
	if !found {
		meta = nil
	}
	return meta, unknown, newHeader(object, meta).restore(object)
}

// A header holds the fields of an object that are valid even if its schema does not
// specify them.
type header struct {
	apiVersion, kind string
	meta             *metav1.ObjectMeta // nil if the object has no metadata
}

func newHeader(object *unstructured.Unstructured, meta *metav1.ObjectMeta) header {
	return header{object.GetAPIVersion(), object.GetKind(), meta}
}

// restore sets the fields again, after a function such as pruning may have removed
// them.
func (h header) restore(object *unstructured.Unstructured) error {
	if h.kind != "" {
		object.SetKind(h.kind)
	}
	if h.apiVersion != "" {
		object.SetAPIVersion(h.apiVersion)
	}
	if h.meta == nil {
		return nil
	}
	return objectmeta.SetObjectMeta(object.Object, h.meta)
}
