package mutant

import "slices"

// Reaches reports whether an object may have a value at the schema node of the change. Otherwise, the API server treats
// the object alike under both CRDs. A missing value counts if its schema has a default.
func (m Mutant) Reaches(object any) bool {
	versions, _ := child(m.crd.content, "spec", "versions").([]any)
	return slices.ContainsFunc(m.edits, func(e edit) bool {
		version, _ := e.path[2].(int)
		return reaches(child(versions[version], "schema", "openAPIV3Schema"), object, m.Node)
	})
}

func reaches(schema, value any, node []string) bool {
	if len(node) == 0 {
		return true
	}
	if value == nil {
		return child(schema, "default") != nil
	}
	schema = child(schema, node[0])
	if node[0] == "properties" {
		object, _ := value.(map[string]any)
		property, isSet := object[node[1]]
		schema = child(schema, node[1])
		if !isSet {
			return child(schema, "default") != nil
		}
		return reaches(schema, property, node[2:])
	}
	switch value := value.(type) {
	case []any:
		return slices.ContainsFunc(value, func(item any) bool { return reaches(schema, item, node[1:]) })
	case map[string]any:
		for _, entry := range value {
			if reaches(schema, entry, node[1:]) {
				return true
			}
		}
	}
	return false
}
