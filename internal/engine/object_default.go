package engine

import (
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"

	"github.com/crdlab/crdlab/internal/playground"
)

// applyDefaults fills in the defaults of the schema.
func applyDefaults(r *request) error {
	before := r.snapshot()
	defaulting.Default(r.object.Object, r.version.schema)
	for _, c := range diff(before, r.object.Object, nil) {
		r.recordDefault(c)
	}
	return nil
}

// recordDefault records a defaulted value. A default may itself lack fields
// that other defaults, further down the schema, have filled in; each is
// recorded on its own.
func (r *request) recordDefault(c change) {
	node, path := schemaAt(r.version.schema, c.path)
	if node == nil || node.Default.Object == nil {
		r.record(c, "default")
		return
	}
	because := "default at " + describeSchemaPath(path)
	if c.op == playground.ChangeReplace {
		because = "null replaced by the default at " + describeSchemaPath(path)
	}
	r.record(change{op: c.op, path: c.path, value: node.Default.Object}, because)
	for _, nested := range diff(node.Default.Object, c.value, c.path) {
		r.recordDefault(nested)
	}
}
