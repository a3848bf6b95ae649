package engine

import (
	"maps"
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
	if same(before, after) {
		return nil
	}
	return []change{{playground.ChangeReplace, slices.Clone(path), after}}
}

func diffMaps(before, after map[string]any, path []any) []change {
	var changes []change
	for _, key := range changedKeys(before, after) {
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

// changedKeys are those of which before and after have different values.
func changedKeys(before, after map[string]any) []string {
	var keys []string
	for key, b := range before {
		if a, has := after[key]; !has || !same(b, a) {
			keys = append(keys, key)
		}
	}
	for key := range after {
		if _, had := before[key]; !had {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// same says whether there is no difference between two JSON values. Most parts
// of an object stay as they are in most stages: to say so allocates nothing.
func same(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			return sameMap(a, b)
		}
	case []any:
		if b, ok := b.([]any); ok {
			return slices.EqualFunc(a, b, same)
		}
	case nil, string, bool, int64, float64:
		return isScalar(b) && a == b
	}
	return reflect.DeepEqual(a, b)
}

func sameMap(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		if other, ok := b[key]; !ok || !same(value, other) {
			return false
		}
	}
	return true
}

func isScalar(value any) bool {
	switch value.(type) {
	case nil, string, bool, int64, float64:
		return true
	}
	return false
}

// snapshot is the object's present state, to compare with a later one; the
// next snapshot takes its place.
func (r *request) snapshot() map[string]any {
	r.before = mirrored(r.before, r.object.Object).(map[string]any)
	return r.before
}

// mirrored makes a copy of an earlier state of a JSON value one of its present
// state, and copies only what differs.
func mirrored(copied, value any) any {
	switch value := value.(type) {
	case map[string]any:
		if copied, ok := copied.(map[string]any); ok && copied != nil && value != nil {
			return mirroredMap(copied, value)
		}
	case []any:
		if copied, ok := copied.([]any); ok && len(copied) == len(value) && value != nil {
			for i := range value {
				copied[i] = mirrored(copied[i], value[i])
			}
			return copied
		}
	}
	return runtime.DeepCopyJSONValue(value)
}

func mirroredMap(copied, value map[string]any) map[string]any {
	for key, v := range value {
		copied[key] = mirrored(copied[key], v)
	}
	if len(copied) > len(value) {
		maps.DeleteFunc(copied, func(key string, _ any) bool { _, has := value[key]; return !has })
	}
	return copied
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
