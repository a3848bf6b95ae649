package jsonvalue

import (
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crdlab/crdlab/internal/playground"
)

// A Change is a difference between two states of an object.
type Change struct {
	Op    string
	Path  []any // keys and indexes
	Value any   // the added, removed or new value
}

// Diff returns the changes from before to after, in the order of the keys. It compares
// lists of equal length by index, because no stage inserts or removes items.
func Diff(before, after any, path []any) []Change {
	switch b := before.(type) {
	case map[string]any:
		if a, ok := after.(map[string]any); ok {
			return diffMaps(b, a, path)
		}
	case []any:
		if a, ok := after.([]any); ok && len(a) == len(b) {
			var changes []Change
			for i := range b {
				changes = append(changes, Diff(b[i], a[i], AppendStep(path, i))...)
			}
			return changes
		}
	}
	if Equal(before, after) {
		return nil
	}
	return []Change{{playground.ChangeReplace, slices.Clone(path), after}}
}

func diffMaps(before, after map[string]any, path []any) []Change {
	var changes []Change
	for _, key := range changedKeys(before, after) {
		b, had := before[key]
		a, has := after[key]
		step := AppendStep(path, key)
		switch {
		case had && has:
			changes = append(changes, Diff(b, a, step)...)
		case had:
			changes = append(changes, Change{playground.ChangeRemove, step, b})
		default:
			changes = append(changes, Change{playground.ChangeAdd, step, a})
		}
	}
	return changes
}

// changedKeys returns the sorted keys whose values differ.
func changedKeys(before, after map[string]any) []string {
	var keys []string
	for key, b := range before {
		if a, has := after[key]; !has || !Equal(b, a) {
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

// Equal reports whether two JSON values are equal. It does not allocate, because most
// stages leave most of an object unchanged.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			return equalMaps(a, b)
		}
	case []any:
		if b, ok := b.([]any); ok {
			return slices.EqualFunc(a, b, Equal)
		}
	case nil, string, bool, int64, float64:
		return IsScalar(b) && a == b
	}
	return reflect.DeepEqual(a, b)
}

func equalMaps(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		if other, ok := b[key]; !ok || !Equal(value, other) {
			return false
		}
	}
	return true
}

// IsScalar reports whether a JSON value is neither a mapping nor a list.
func IsScalar(value any) bool {
	switch value.(type) {
	case nil, string, bool, int64, float64:
		return true
	}
	return false
}

// UpdateCopy turns a copy of an earlier state of value into a copy of its current
// state. It copies only the differences.
func UpdateCopy(copied, value any) any {
	switch value := value.(type) {
	case map[string]any:
		if copied, ok := copied.(map[string]any); ok && copied != nil && value != nil {
			return updateMap(copied, value)
		}
	case []any:
		if copied, ok := copied.([]any); ok && len(copied) == len(value) && value != nil {
			for i := range value {
				copied[i] = UpdateCopy(copied[i], value[i])
			}
			return copied
		}
	}
	return runtime.DeepCopyJSONValue(value)
}

func updateMap(copied, value map[string]any) map[string]any {
	for key, v := range value {
		copied[key] = UpdateCopy(copied[key], v)
	}
	if len(copied) > len(value) {
		maps.DeleteFunc(copied, func(key string, _ any) bool { _, has := value[key]; return !has })
	}
	return copied
}
