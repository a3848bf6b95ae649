package object

import (
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

func runPrune(r *Request) error {
	if why, skips := skipsPruning(&r.endpoint, r.object); skips {
		r.rec.skip(why)
		return nil
	}
	before, schema := r.rec.snapshot(r.object), r.endpoint.version.Schema
	unknown, err := prune(r.object, r.decoding.meta, schema, r.options.tracksUnknown())
	r.decoding.addUnknown(playground.StagePrune, unknown)
	if err != nil {
		return r.decodeError(err)
	}
	r.rec.record(explainPruning(before, r.object.Object, schema)...)
	return nil
}

// skipsPruning reports whether the API server skips pruning, and why.
func skipsPruning(e *endpoint, object *unstructured.Unstructured) (why playground.StageSkip, skips bool) {
	switch {
	case e.version.PreserveUnknown:
		return playground.StageSkipPreserved, true
	case !e.isOfCRD(object):
		return playground.StageSkipOtherKind, true
	}
	return "", false
}

// prune removes the fields that the schema does not specify, except apiVersion,
// kind and metadata. It returns their paths if the caller tracks them.
func prune(object *unstructured.Unstructured, meta *metav1.ObjectMeta, schema *structuralschema.Structural, tracksUnknown bool) (unknown []string, err error) {
	header := newHeader(object, meta)
	unknown = pruning.PruneWithOptions(object.Object, schema, true, structuralschema.UnknownFieldPathOptions{
		TrackUnknownFieldPaths: tracksUnknown,
	})
	return unknown, header.restore(object)
}

// explainPruning returns the changes of [prune] between two states of an object.
func explainPruning(before, after map[string]any, schema *structuralschema.Structural) []change {
	return explainChanges(before, after, playground.CausePruned, func(c jsonvalue.Change) string {
		_, known := crdschema.NodeAt(schema, c.Path)
		return "not in the schema at " + describeSchemaPath(known)
	})
}
