package engine

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// change is a difference between two states of an object.
type change struct {
	op    string
	path  []any // keys and indexes
	value any   // what was added or removed, or the new value
}

// diff lists what turns before into after, in the order of the keys. Lists
// are compared item by item: no stage inserts or removes one.
func diff(before, after any, path []any) []change {
	switch b := before.(type) {
	case map[string]any:
		if a, ok := after.(map[string]any); ok {
			return diffMaps(b, a, path)
		}
	case []any:
		if a, ok := after.([]any); ok && len(a) == len(b) {
			var changes []change
			for i := range b {
				changes = append(changes, diff(b[i], a[i], appendStep(path, i))...)
			}
			return changes
		}
	}
	if reflect.DeepEqual(before, after) {
		return nil
	}
	return []change{{playground.ChangeReplace, slices.Clone(path), after}}
}

func diffMaps(before, after map[string]any, path []any) []change {
	var changes []change
	keys := sortedKeys(before)
	for key := range after {
		if _, ok := before[key]; !ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		b, had := before[key]
		a, has := after[key]
		step := appendStep(path, key)
		switch {
		case had && has:
			changes = append(changes, diff(b, a, step)...)
		case had:
			changes = append(changes, change{playground.ChangeRemove, step, b})
		default:
			changes = append(changes, change{playground.ChangeAdd, step, a})
		}
	}
	return changes
}

// snapshot is the object's present state, to compare with a later one.
func (r *request) snapshot() map[string]any {
	return runtime.DeepCopyJSON(r.object.Object)
}

// recordChanges records what the running stage changed since before.
func (r *request) recordChanges(before map[string]any, because func(change) string) {
	for _, c := range diff(before, r.object.Object, nil) {
		r.record(c, because(c))
	}
}

func (r *request) record(c change, because string) {
	r.stage.Changes = append(r.stage.Changes, r.describeChange(c, because))
}

func (r *request) describeChange(c change, because string) playground.Change {
	out := playground.Change{Op: c.op, Path: valuePath(c.path), Value: jsonvalue.Encode(c.value), Because: because}
	if location, ok := r.doc.At(c.path...); ok {
		at := location.Key()
		out.Range = &at
	}
	_, schemaPath := schemaAt(r.version.schema, c.path)
	if location, ok := r.crd.doc.At(r.crd.schemaPath(r.version.index, schemaPath)...); ok && len(schemaPath) > 0 {
		out.SchemaPath = schemaPath.String()
		at := location.Key()
		out.SchemaRange = &at
	}
	return out
}
