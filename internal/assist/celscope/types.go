package celscope

import (
	"maps"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
)

// schemaOf returns the schema of an object type. The name of a type contains the path of
// its schema. The result has no Schema if the path is unknown.
func (s *Scope) schemaOf(typeName string) crdschema.Schema {
	for _, root := range s.roots {
		name := root.Type.TypeName()
		rest, ok := strings.CutPrefix(typeName, name)
		if !ok || rest != "" && rest[0] != '.' {
			continue
		}
		return root.Schema.At(typePath(rest))
	}
	return crdschema.Schema{}
}

// typePath returns the schema path in the name of a type.
func typePath(name string) []any {
	path := []any{}
	for step := range strings.SplitSeq(strings.TrimPrefix(name, "."), ".") {
		switch step {
		case "":
		case "@idx":
			path = append(path, 0)
		case "@elem":
			path = append(path, "")
		default:
			if unescaped, ok := apiservercel.Unescape(step); ok {
				step = unescaped
			}
			path = append(path, step)
		}
	}
	return path
}

// fieldNames returns the fields of an object type, required fields first.
func (s *Scope) fieldNames(typeName string) []string {
	declType := s.types[typeName]
	if declType == nil {
		return nil
	}
	names := slices.Sorted(maps.Keys(declType.Fields))
	schema := s.schemaOf(typeName)
	slices.SortStableFunc(names, func(a, b string) int { return fieldRank(schema, a) - fieldRank(schema, b) })
	return names
}

func fieldRank(schema crdschema.Schema, name string) int {
	if schema.Schema != nil && slices.Contains(schema.Required, name) {
		return 0
	}
	return 1
}

// TypeName returns the name of a type for users. Types of the schema are named "object".
func (s *Scope) TypeName(typ *types.Type) string {
	if typ == nil {
		return ""
	}
	if _, isObject := s.types[typ.TypeName()]; isObject {
		return "object"
	}
	var parameters []string
	for _, parameter := range typ.Parameters() {
		parameters = append(parameters, s.TypeName(parameter))
	}
	name := typ.TypeName()
	switch {
	case isOptional(typ):
		name = "optional"
	case typ.Kind() == types.TypeParamKind:
		return strings.TrimPrefix(name, "@")
	case name == "google.protobuf.Timestamp", name == "google.protobuf.Duration":
		name = strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	default:
		name = strings.TrimPrefix(name, "kubernetes.")
	}
	if len(parameters) == 0 {
		return name
	}
	return name + "(" + strings.Join(parameters, ", ") + ")"
}

func isOptional(typ *types.Type) bool { return typ.TypeName() == "optional_type" }
