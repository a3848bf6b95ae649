package object

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// applyDefaults fills in the defaults of the schema.
func applyDefaults(r *Request) error {
	before := r.snapshot()
	defaulting.Default(r.Object.Object, r.Version.Schema)
	for _, c := range jsonvalue.Diff(before, r.Object.Object, nil) {
		r.recordDefault(before, c, playground.CauseDefaulted, "default")
	}
	return nil
}

// recordDefault records a defaulted value. A default may itself lack fields
// that other defaults, further down the schema, have filled in; each is
// recorded on its own. A value that no default explains is recorded with the
// given cause and reason. The object's state before is nil for values in a default.
func (r *Request) recordDefault(before any, c jsonvalue.Change, cause playground.ChangeCause, otherwise string) {
	node, path := crdschema.NodeAt(r.Version.Schema, c.Path)
	if node == nil || node.Default.Object == nil || !completes(c.Value, node.Default.Object) {
		r.record(c, cause, otherwise)
		return
	}
	because := "default at " + describeSchemaPath(path)
	if replaced, _ := jsonvalue.At(before, c.Path); c.Op == playground.ChangeReplace && replaced == nil {
		because = "null replaced by the default at " + describeSchemaPath(path)
	}
	r.record(jsonvalue.Change{Op: c.Op, Path: c.Path, Value: node.Default.Object}, playground.CauseDefaulted, because)
	for _, nested := range jsonvalue.Diff(node.Default.Object, c.Value, c.Path) {
		r.recordDefault(nil, nested, cause, otherwise)
	}
}

// completes reports whether defaulting can turn a default into value: it adds
// fields and replaces nulls.
func completes(value, incomplete any) bool {
	switch incomplete := incomplete.(type) {
	case nil:
		return true
	case map[string]any:
		value, ok := value.(map[string]any)
		for key, member := range incomplete {
			completed, has := value[key]
			ok = ok && has && completes(completed, member)
		}
		return ok
	case []any:
		value, ok := value.([]any)
		return ok && slices.EqualFunc(value, incomplete, completes)
	}
	return jsonvalue.Equal(value, incomplete)
}
