package object

import (
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

func runDefault(r *Request) error {
	before := r.rec.snapshot(r.object)
	r.rec.record(applyDefaults(before, r.object.Object, r.endpoint.version.Schema)...)
	return nil
}

// applyDefaults applies the defaults of the schema to content and returns the changes.
// before is a copy of content.
func applyDefaults(before, content map[string]any, schema *structuralschema.Structural) []change {
	defaulting.Default(content, schema)
	var changes []change
	for _, c := range jsonvalue.Diff(before, content, nil) {
		changes = appendDefault(changes, schema, before, change{c, playground.CauseDefaulted, "default"})
	}
	return changes
}

// appendDefault appends a change, and attributes it to the default of its schema node.
// A default may lack fields that defaults further down the schema add; each of them
// becomes a separate change. A change that no default explains keeps its reason. before
// is the object before the change, or nil for a value inside a default.
func appendDefault(changes []change, schema *structuralschema.Structural, before any, c change) []change {
	node, path := crdschema.NodeAt(schema, c.Path)
	if node == nil || node.Default.Object == nil || !isCompletion(c.Value, node.Default.Object) {
		return append(changes, c)
	}
	because := "default at " + describeSchemaPath(path)
	if replaced, _ := jsonvalue.At(before, c.Path); c.Op == playground.ChangeReplace && replaced == nil {
		because = "null replaced by the default at " + describeSchemaPath(path)
	}
	changes = append(changes, change{jsonvalue.Change{Op: c.Op, Path: c.Path, Value: node.Default.Object}, playground.CauseDefaulted, because})
	for _, nested := range jsonvalue.Diff(node.Default.Object, c.Value, c.Path) {
		changes = appendDefault(changes, schema, nil, change{nested, c.cause, c.because})
	}
	return changes
}

// isCompletion reports whether defaulting can turn a default into value: it adds
// fields and replaces nulls.
func isCompletion(value, incomplete any) bool {
	switch incomplete := incomplete.(type) {
	case nil:
		return true
	case map[string]any:
		value, ok := value.(map[string]any)
		for key, member := range incomplete {
			completed, has := value[key]
			ok = ok && has && isCompletion(completed, member)
		}
		return ok
	case []any:
		value, ok := value.([]any)
		return ok && slices.EqualFunc(value, incomplete, isCompletion)
	}
	return jsonvalue.Equal(value, incomplete)
}
