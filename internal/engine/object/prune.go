package object

import (
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// prune removes the fields that the schema does not know.
func prune(r *Request) error {
	if r.Version.PreserveUnknown {
		r.skip(playground.StageSkipPreserved)
		return nil
	}
	if !r.isOfCRD() {
		r.skip(playground.StageSkipOtherKind)
		return nil
	}
	before := r.snapshot()
	apiVersion, kind := r.Object.GetAPIVersion(), r.Object.GetKind()
	unknown := pruning.PruneWithOptions(r.Object.Object, r.Version.Schema, true, structuralschema.UnknownFieldPathOptions{
		TrackUnknownFieldPaths: r.tracksUnknown(),
	})
	r.addUnknown(playground.StagePrune, unknown)
	if err := r.restoreTypeAndObjectMeta(apiVersion, kind); err != nil {
		return err
	}
	r.recordChanges(before, playground.CausePruned, func(c jsonvalue.Change) string {
		_, known := crdschema.NodeAt(r.Version.Schema, c.Path)
		return "not in the schema at " + describeSchemaPath(known)
	})
	return nil
}

// isOfCRD says whether group and kind are those of the CRD. The API server
// leaves the fields of any other object alone, and refuses it in the end.
func (r *Request) isOfCRD() bool {
	return r.Object.GroupVersionKind().GroupKind() == r.Version.Kind.GroupKind()
}

// skip marks the running stage as one that this request leaves out.
func (r *Request) skip(why string) {
	r.stage.Outcome = playground.OutcomeSkipped
	r.stage.Why = why
}

func describeSchemaPath(path crdschema.Path) string {
	if len(path) == 0 {
		return "its root"
	}
	return path.String()
}
