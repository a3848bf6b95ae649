package object

import (
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// runEmbedded coerces the metadata of embedded resources. As the last stage of
// decoding, it also rejects unknown and duplicate fields, or warns about them.
func runEmbedded(r *Request) error {
	if !r.endpoint.isOfCRD(r.object) {
		r.rec.skip(playground.StageSkipOtherKind)
		return r.concludeDecoding()
	}
	before := r.rec.snapshot(r.object)
	unknown, err := coerceEmbedded(r.object, r.decoding.meta, r.endpoint.version.Schema, r.options.tracksUnknown())
	r.decoding.addUnknown(playground.StageEmbedded, unknown)
	if err != nil {
		r.object.Object = runtime.DeepCopyJSON(before) // upstream stops in the random order of Go's maps
		return r.decodeError(err)
	}
	r.rec.record(explainChanges(before, r.object.Object, playground.CauseCoerced, func(jsonvalue.Change) string {
		return "not a field of the embedded resource's ObjectMeta, or zero"
	})...)
	return r.concludeDecoding()
}

// coerceEmbedded decodes the metadata of embedded resources as ObjectMeta and
// writes it back, which drops all other fields.
func coerceEmbedded(object *unstructured.Unstructured, meta *metav1.ObjectMeta, schema *structuralschema.Structural, tracksUnknown bool) (unknown []string, err error) {
	header := newHeader(object, meta)
	fieldErr, unknown := objectmeta.CoerceWithOptions(nil, object.Object, schema, false, objectmeta.CoerceOptions{
		ReturnUnknownFieldPaths: tracksUnknown,
	})
	if fieldErr != nil {
		return nil, fieldErr
	}
	return unknown, header.restore(object)
}
