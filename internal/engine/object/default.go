package object

import (
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
		r.recordDefault(c)
	}
	return nil
}

// recordDefault records a defaulted value. A default may itself lack fields
// that other defaults, further down the schema, have filled in; each is
// recorded on its own.
func (r *Request) recordDefault(c jsonvalue.Change) {
	node, path := crdschema.At(r.Version.Schema, c.Path)
	if node == nil || node.Default.Object == nil {
		r.record(c, "default")
		return
	}
	because := "default at " + describeSchemaPath(path)
	if c.Op == playground.ChangeReplace {
		because = "null replaced by the default at " + describeSchemaPath(path)
	}
	r.record(jsonvalue.Change{Op: c.Op, Path: c.Path, Value: node.Default.Object}, because)
	for _, nested := range jsonvalue.Diff(node.Default.Object, c.Value, c.Path) {
		r.recordDefault(nested)
	}
}
