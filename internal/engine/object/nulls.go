package object

import (
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

func runNulls(r *Request) error {
	if why, skips := skipsPruning(&r.endpoint, r.object); skips {
		r.rec.skip(why)
		return nil
	}
	before := r.rec.snapshot(r.object)
	r.rec.record(dropNulls(before, r.object.Object, r.endpoint.version.Schema)...)
	return nil
}

// dropNulls removes nulls from the fields of content that are not nullable and have no
// default, and returns the changes. before is a copy of content. Stage default replaces
// the nulls of other non-nullable fields. List items stay null and fail validation.
func dropNulls(before, content map[string]any, schema *structuralschema.Structural) []change {
	defaulting.PruneNonNullableNullsWithoutDefaults(content, schema)
	return explainChanges(before, content, playground.CauseNullDropped, func(c jsonvalue.Change) string {
		_, path := crdschema.NodeAt(schema, c.Path)
		return "null, but " + describeSchemaPath(path) + " is not nullable and has no default"
	})
}
