package quickfix

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/resolve"
)

// leastSchema accepts any object and keeps it as it is.
func leastSchema(m *problem) []playground.Fix {
	return m.fix("Add a schema that keeps everything", m.set(map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}, m.path...))
}

func setMatchedType(m *problem) []playground.Fix { return m.give(m.match[1]) }

// inferType is the type that a schema's other keywords are for.
func inferType(m *problem) []playground.Fix {
	if inferred := typeOf(m.node(m.parent()...)); inferred != "" {
		return m.give(inferred)
	}
	return slices.Concat(m.give("object"), m.give("string"), m.give("integer"), m.give("boolean"))
}

// inferredTypes are the types that keywords of a schema speak for.
var inferredTypes = map[string]string{
	"properties": "object", "additionalProperties": "object", "required": "object", "maxProperties": "object", "minProperties": "object",
	"x-kubernetes-embedded-resource": "object", "x-kubernetes-map-type": "object",
	"items": "array", "maxItems": "array", "minItems": "array", "x-kubernetes-list-type": "array", "x-kubernetes-list-map-keys": "array",
	"pattern": "string", "maxLength": "string", "minLength": "string",
	"minimum": "integer", "maximum": "integer", "multipleOf": "integer",
}

// formatTypes are the types of formats that are not of strings.
var formatTypes = map[string]string{"int32": "integer", "int64": "integer", "float": "number", "double": "number"}

var tagTypes = map[string]string{"!!str": "string", "!!int": "integer", "!!float": "number", "!!bool": "boolean", "!!map": "object", "!!seq": "array"}

// typeOf is the type that the keywords of a schema speak for, or empty.
func typeOf(schema *yaml.Node) string {
	if schema == nil || schema.Kind != yaml.MappingNode {
		return ""
	}
	for i := 0; i+1 < len(schema.Content); i += 2 {
		keyword, value := schema.Content[i].Value, schema.Content[i+1]
		switch {
		case inferredTypes[keyword] != "":
			return inferredTypes[keyword]
		case keyword == "format" && formatTypes[value.Value] != "":
			return formatTypes[value.Value]
		case keyword == "format":
			return "string"
		case keyword == "default", keyword == "example":
			return tagTypes[value.Tag]
		case keyword == "enum" && len(value.Content) > 0:
			return tagTypes[value.Content[0].Tag]
		}
	}
	return ""
}

// schemaTypes are what people write for the types of schemas.
var schemaTypes = map[string]string{
	"int": "integer", "int32": "integer", "int64": "integer", "long": "integer",
	"bool": "boolean", "str": "string", "text": "string", "enum": "string", "date": "string", "time": "string",
	"float": "number", "float64": "number", "double": "number", "decimal": "number",
	"list": "array", "slice": "array", "[]string": "array", "map": "object", "dict": "object", "struct": "object", "any": "object",
}

func spellType(m *problem) []playground.Fix {
	typed := strings.ToLower(m.match[1])
	if known, ok := schemaTypes[typed]; ok {
		return m.give(known)
	}
	var fixes []playground.Fix
	for _, name := range nearest(typed, []string{"array", "boolean", "integer", "number", "object", "string"}) {
		fixes = append(fixes, m.give(name)...)
	}
	return fixes
}

// bareMetadata leaves of the schema of metadata what may be restricted.
func bareMetadata(m *problem) []playground.Fix {
	at := slices.Index(m.path, any("metadata"))
	if at < 0 {
		return nil
	}
	path := slices.Clip(m.path[:at+1])
	kept := map[string]any{}
	for _, name := range []string{"name", "generateName"} {
		if n := m.node(append(path, "properties", name)...); n != nil {
			var property any
			if n.Decode(&property) == nil {
				kept[name] = property
			}
		}
	}
	bare := map[string]any{"type": "object"}
	if len(kept) > 0 {
		bare["properties"] = kept
	}
	return m.fix("Leave only what may be restricted of metadata", m.set(bare, path...))
}

// defineType gives the node that a value validation describes its type.
func defineType(m *problem) []playground.Fix {
	at, ok := resolve.CRDField(m.doc, strings.TrimSpace(m.Message[strings.LastIndex(m.Message, " defined in ")+len(" defined in "):]))
	inferred := "string"
	if ok && at.Exact && typeOf(at.Node()) != "" {
		inferred = typeOf(at.Node())
	}
	switch inferred {
	case "object", "array":
		return nil // it needs more than a type
	}
	return m.fix("Define it with type: "+inferred, m.set(map[string]any{"type": inferred}, m.path...))
}

func listSet(m *problem) []playground.Fix {
	return append(
		m.fix("Set x-kubernetes-list-type: set", m.rename("x-kubernetes-list-type", m.path...), m.set("set", m.path...)),
		m.remove()...)
}

// chooseMapKeys offers the properties that could tell items apart.
func chooseMapKeys(m *problem) []playground.Fix {
	list := m.parent()
	properties := m.node(append(list, "items", "properties")...)
	if properties == nil {
		return nil
	}
	required := m.texts(append(list, "items", "required")...)
	var likely, others []string
	for i := 0; i+1 < len(properties.Content); i += 2 {
		name := properties.Content[i].Value
		switch {
		case !slices.Contains([]string{"string", "integer", "boolean", "number"}, m.text(append(list, "items", "properties", name, "type")...)):
		case slices.Contains(required, name) || m.has(append(list, "items", "properties", name, "default")...):
			likely = append(likely, name)
		default:
			others = append(others, name)
		}
	}
	var fixes []playground.Fix
	for _, name := range likely {
		fixes = append(fixes, m.fix("Set x-kubernetes-list-map-keys: ["+name+"]", m.set([]any{name}, m.path...))...)
	}
	for _, name := range others {
		fixes = append(fixes, m.fix("Set x-kubernetes-list-map-keys: ["+name+"] and require it",
			m.set([]any{name}, m.path...), m.appendTo(name, append(list, "items", "required")...))...)
	}
	return fixes
}

// texts are the scalars of the list at a path.
func (m *problem) texts(path ...any) []string {
	var texts []string
	if n := m.node(path...); n != nil && n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			texts = append(texts, item.Value)
		}
	}
	return texts
}

// appendTo adds a value to a list that need not be there.
func (m *problem) appendTo(value any, path ...any) textChange {
	return m.set(value, append(path, len(m.texts(path...)))...)
}

func requireMapKey(m *problem) []playground.Fix {
	if len(m.path) < 3 {
		return nil
	}
	items, key := slices.Clip(m.path[:len(m.path)-3]), m.path[len(m.path)-2]
	name, ok := key.(string)
	if !ok {
		return nil
	}
	return m.fix("Require "+name, m.appendTo(name, append(items, "required")...))
}

func addKeyProperties(m *problem) []playground.Fix {
	properties := append(m.parent(), "items", "properties")
	missing := map[string]any{}
	for _, key := range m.texts(m.path...) {
		if !m.has(append(properties, key)...) {
			missing[key] = map[string]any{"type": "string"}
		}
	}
	if len(missing) != 1 {
		return nil
	}
	name := slices.Sorted(maps.Keys(missing))[0]
	return m.fix("Add the property "+name+" and require it",
		m.set(missing[name], append(properties, name)...),
		m.appendTo(name, append(m.parent(), "items", "required")...))
}

func chooseItems(m *problem) []playground.Fix {
	return append(
		m.fix("Set items: {type: string}", m.set(map[string]any{"type": "string"}, m.path...)),
		m.fix("Set items: {type: object} that keeps everything", m.set(map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}, m.path...))...)
}

func preserveParent(m *problem) []playground.Fix {
	return m.fix("Set x-kubernetes-preserve-unknown-fields: true", m.set(true, append(m.parent(), "x-kubernetes-preserve-unknown-fields")...))
}
