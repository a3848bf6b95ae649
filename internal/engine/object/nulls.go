package object

import (
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// dropNulls removes nulls from fields that are neither nullable nor have a
// default. Nulls on fields with a default stay until defaulting replaces
// them; items of lists stay and fail validation.
func dropNulls(r *Request) error {
	if r.Version.PreserveUnknown {
		r.skip(playground.StageSkipPreserved)
		return nil
	}
	if !r.isOfCRD() {
		r.skip(playground.StageSkipOtherKind)
		return nil
	}
	before := r.snapshot()
	defaulting.PruneNonNullableNullsWithoutDefaults(r.Object.Object, r.Version.Schema)
	r.recordChanges(before, playground.CauseNullDropped, func(c jsonvalue.Change) string {
		_, path := crdschema.NodeAt(r.Version.Schema, c.Path)
		return "null, but " + describeSchemaPath(path) + " is not nullable and has no default"
	})
	return nil
}
