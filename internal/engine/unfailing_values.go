package engine

import (
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crdlab/crdlab/internal/engine/celvalue"
)

// maxValues limits the values for which a rule is evaluated.
const maxValues = 4096

// valuesOf returns the values of a schema node that schema validation permits and that
// accesses can distinguish. It uses only the keywords whose violation prevents the API server
// from evaluating rules: type, enum and required. It reports false for more than maxValues.
func valuesOf(s *schema.Structural, accesses []celvalue.Access) (values []any, finite bool) {
	if s.Nullable || s.XIntOrString || s.XEmbeddedResource {
		return nil, false
	}
	fields, whole := divide(accesses)
	switch {
	case whole:
		return scalars(s)
	case len(fields) > 0:
		return objects(s, fields)
	}
	value, ok := placeholders[s.Type]
	return []any{value}, ok
}

// placeholders has a value of each type for rules that do not depend on the value.
var placeholders = map[string]any{
	"string": "", "integer": int64(0), "number": 0.0, "boolean": false, "array": []any{}, "object": map[string]any{},
}

// divide returns the accesses to each field of a value, and reports whether an access uses
// the value itself.
func divide(accesses []celvalue.Access) (fields map[string][]celvalue.Access, whole bool) {
	fields = map[string][]celvalue.Access{}
	for _, access := range accesses {
		switch {
		case len(access.Path) > 0:
			name := access.Path[0]
			fields[name] = append(fields[name], celvalue.Access{Path: access.Path[1:], Presence: access.Presence})
		case !access.Presence:
			whole = true
		}
	}
	return fields, whole
}

// scalars returns the values of a boolean or an enum.
func scalars(s *schema.Structural) (values []any, finite bool) {
	switch {
	case s.Type == "boolean":
		return []any{true, false}, true
	case s.Type != "string" && s.Type != "integer" && s.Type != "number":
		return nil, false
	case s.ValueValidation == nil || len(s.ValueValidation.Enum) == 0:
		return nil, false
	}
	for _, value := range s.ValueValidation.Enum {
		values = append(values, value.Object)
	}
	return values, len(values) <= maxValues
}

// objects returns the objects with all combinations of values of fields.
func objects(s *schema.Structural, fields map[string][]celvalue.Access) (values []any, finite bool) {
	if s.Type != "object" {
		return nil, false
	}
	values = []any{map[string]any{}}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		property, exists := s.Properties[name]
		if !exists {
			return nil, false
		}
		below, finite := valuesOf(&property, fields[name])
		if !finite || len(values)*(len(below)+1) > maxValues {
			return nil, false
		}
		values = combine(values, name, below, isPresent(s, name))
	}
	return values, true
}

// isPresent reports whether valid objects have a field: it is required or has a default.
func isPresent(s *schema.Structural, name string) bool {
	return s.Properties[name].Default.Object != nil || s.ValueValidation != nil && slices.Contains(s.ValueValidation.Required, name)
}

// combine returns each object with each value of a field and, unless it is always present,
// without the field.
func combine(objects []any, name string, values []any, present bool) []any {
	var all []any
	if !present {
		all = append(all, objects...)
	}
	for _, object := range objects {
		for _, value := range values {
			with := maps.Clone(object.(map[string]any))
			with[name] = value
			all = append(all, with)
		}
	}
	return all
}
