package object

import (
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// snapshot is the object's present state, to compare with a later one; the
// next snapshot takes its place.
func (r *Request) snapshot() map[string]any {
	r.before = jsonvalue.UpdateCopy(r.before, r.Object.Object).(map[string]any)
	return r.before
}

// recordChanges records what the running stage changed since before.
func (r *Request) recordChanges(before map[string]any, cause playground.ChangeCause, because func(jsonvalue.Change) string) {
	for _, c := range jsonvalue.Diff(before, r.Object.Object, nil) {
		r.record(c, cause, because(c))
	}
}

func (r *Request) record(c jsonvalue.Change, cause playground.ChangeCause, because string) {
	r.stage.Changes = append(r.stage.Changes, r.describeChange(c, cause, because))
}

func (r *Request) describeChange(c jsonvalue.Change, cause playground.ChangeCause, because string) playground.Change {
	out := playground.Change{Op: c.Op, Path: jsonvalue.PathString(c.Path), Value: jsonvalue.Encode(c.Value), Cause: cause, Because: because}
	if location, ok := r.Doc.At(c.Path...); ok {
		at := location.Key()
		out.Range = &at
	}
	_, schemaPath := crdschema.NodeAt(r.Version.Schema, c.Path)
	if location, ok := r.crd.Doc.At(r.crd.SchemaPath(r.Version.Index, schemaPath)...); ok && len(schemaPath) > 0 {
		out.SchemaPath = schemaPath.String()
		at := location.Key()
		out.SchemaRange = &at
	}
	return out
}
