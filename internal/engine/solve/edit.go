package solve

import (
	"maps"
	"slices"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
)

// ExampleKey is the key of an example entry of a map.
const ExampleKey = "example"

// An Edit is a change of an object.
type Edit struct {
	Path  []any
	Value any
	// Absent removes the value.
	Absent bool
}

// Place returns a copy of an object with the edit. It adds the values that contain
// it. ok is false if the object cannot contain the value.
func (e Edit) Place(root crdschema.Schema, base map[string]any) (object map[string]any, ok bool) {
	value, ok := e.placeBelow(root, base, e.Path)
	object, isObject := value.(map[string]any)
	return object, ok && isObject
}

func (e Edit) placeBelow(schema crdschema.Schema, value any, path []any) (any, bool) {
	if len(path) == 0 {
		return e.overlay(value), true
	}
	step := path[0]
	parent := contain(schema, value, step)
	if parent == nil {
		return nil, false
	}
	name, isKey := step.(string)
	if e.Absent && len(path) == 1 {
		if isKey {
			delete(parent.(map[string]any), name)
		}
		return parent, true // a list keeps its items, because the next one would take the place
	}
	child, _ := jsonvalue.At(parent, []any{step})
	placed, ok := e.placeBelow(schema.Child(step), child, path[1:])
	return Replace(parent, []any{step}, placed), ok
}

// overlay returns the value of the edit. At the root, it keeps the fields of all
// resources.
func (e Edit) overlay(value any) any {
	object, isObject := e.Value.(map[string]any)
	root, isRoot := value.(map[string]any)
	if !isObject || !isRoot || len(e.Path) > 0 {
		return e.Value
	}
	out := maps.Clone(root)
	maps.Copy(out, object)
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		out[name] = root[name]
	}
	return out
}

// contain returns a copy of a value, or a new one, that can have a child. It returns nil
// if the schema permits no such value.
func contain(schema crdschema.Schema, value, step any) any {
	if _, isKey := step.(string); isKey {
		object, isObject := value.(map[string]any)
		if !isObject {
			object, isObject = crdschema.Sample(schema).(map[string]any)
		}
		if !isObject {
			return nil
		}
		return maps.Clone(object)
	}
	list, isList := value.([]any)
	if !isList || len(list) == 0 {
		if !schema.Is("array") {
			return nil
		}
		list, _ = crdschema.Sample(schema).([]any)
		if len(list) == 0 {
			list = crdschema.SampleItems(schema, 1)
		}
	}
	return slices.Clone(list)
}
