package quickfix

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
)

// addMinimalSchema adds a schema that accepts any object and prunes nothing.
func addMinimalSchema(p *problem) []playground.Fix {
	return p.newFix("Add a schema that accepts any object", p.setValue(map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}, p.path...))
}

func setMatchedType(p *problem) []playground.Fix {
	if p.isAtRoot() && p.match[1] != "object" {
		return nil
	}
	return p.setAccepted(p.match[1])
}

// isMapKeyType reports whether the field is the type of a property that identifies the items of a list.
func (p *problem) isMapKeyType() bool {
	const below = 4 // steps from the list: items, properties, the name, type
	list := len(p.path) - below
	if list < 0 || p.path[list] != "items" || p.path[list+1] != "properties" {
		return false
	}
	return slices.Contains(p.scalars(append(slices.Clip(p.path[:list]), "x-kubernetes-list-map-keys")...), fmt.Sprint(p.path[list+2]))
}

// isAtRoot reports whether the field is a keyword of the root of a schema.
func (p *problem) isAtRoot() bool {
	return len(p.path) > 1 && p.path[len(p.path)-2] == "openAPIV3Schema"
}

// outsideJunctors returns a fix function without fixes below allOf, anyOf, oneOf and not, where a
// structural schema permits only value validations.
func outsideJunctors(fix fixFunc) fixFunc {
	return func(p *problem) []playground.Fix {
		for i, step := range p.path {
			isProperty := i > 0 && p.path[i-1] == "properties"
			if isJunctor := step == "allOf" || step == "anyOf" || step == "oneOf" || step == "not"; isJunctor && !isProperty {
				return nil
			}
		}
		return fix(p)
	}
}

// inferType sets the type that the other keywords imply, or suggests the common
// types.
func inferType(p *problem) []playground.Fix {
	if p.isAtRoot() {
		return p.setField("object")
	}
	if inferred := inferredType(p.nodeAt(p.parent()...)); inferred != "" {
		return p.setAccepted(inferred)
	}
	return slices.Concat(p.setAccepted("object"), p.setField("string"), p.setField("integer"), p.setField("boolean"))
}

// inferredTypes maps keywords to the types that they imply.
var inferredTypes = map[string]string{
	"properties": "object", "additionalProperties": "object", "required": "object", "maxProperties": "object", "minProperties": "object",
	"x-kubernetes-embedded-resource": "object", "x-kubernetes-map-type": "object",
	"items": "array", "maxItems": "array", "minItems": "array", "x-kubernetes-list-type": "array", "x-kubernetes-list-map-keys": "array",
	"pattern": "string", "maxLength": "string", "minLength": "string",
	"minimum": "integer", "maximum": "integer", "multipleOf": "integer",
}

// formatTypes maps formats to types. All other formats are formats of strings.
var formatTypes = map[string]string{"int32": "integer", "int64": "integer", "float": "number", "double": "number"}

// formats lists the formats that the API server knows for a type.
func formats(schemaType string) []string {
	if schemaType == "string" {
		return crdschema.StringFormats()
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(formatTypes)) {
		if formatTypes[name] == schemaType {
			names = append(names, name)
		}
	}
	return names
}

// unsignedFormats maps formats of unsigned integers, which the API server ignores, to their
// largest numbers.
var unsignedFormats = map[string]int64{"uint8": math.MaxUint8, "uint16": math.MaxUint16, "uint32": math.MaxUint32}

// correctFormat suggests similar formats, or the bounds of an unsigned integer.
func correctFormat(p *problem) []playground.Fix {
	schemaType, maximum := p.scalar(append(p.parent(), "type")...), append(p.parent(), "maximum")
	largest, isUnsigned := unsignedFormats[p.match[1]]
	if isUnsigned && schemaType == "integer" {
		p.Hint = "The API server accepts any integer here, because it does not know the format. Set minimum and maximum instead."
		if p.exists(maximum...) || p.exists(append(p.parent(), "minimum")...) {
			return removeField(p)
		}
		return p.newFix(fmt.Sprintf("Set minimum: 0 and maximum: %d instead", largest),
			p.renameKey("minimum", p.path...), p.setValue(0, p.path...), p.setValue(largest, maximum...))
	}
	if p.match[1] == "int-or-string" {
		p.Hint = "The API server does not know this format of OpenAPI documents. Use x-kubernetes-int-or-string: true without a type instead."
		changes := []change{p.renameKey("x-kubernetes-int-or-string", p.path...), p.setValue(true, p.path...)}
		if schemaType != "" {
			changes = append(changes, p.deleteAt(append(p.parent(), "type")...))
		}
		return widens(p.newFix("Accept integers and strings: set x-kubernetes-int-or-string", changes...))
	}
	var fixes []playground.Fix
	for _, name := range SimilarNames(p.match[1], formats(schemaType)) {
		fixes = append(fixes, p.setField(name)...)
	}
	return fixes
}

// tagTypes maps the tags of YAML nodes to types.
var tagTypes = map[string]string{"!!str": "string", "!!int": "integer", "!!float": "number", "!!bool": "boolean", "!!map": "object", "!!seq": "array"}

// inferredType returns the type that the keywords of a schema imply. It is
// empty if they imply no type.
func inferredType(schema *yaml.Node) string {
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

// schemaTypes maps the type names of programming languages to types of schemas.
var schemaTypes = map[string]string{
	"int": "integer", "int32": "integer", "int64": "integer", "long": "integer",
	"bool": "boolean", "str": "string", "text": "string", "enum": "string", "date": "string", "time": "string",
	"float": "number", "float64": "number", "double": "number", "decimal": "number",
	"list": "array", "slice": "array", "[]string": "array", "map": "object", "dict": "object", "struct": "object", "any": "object",
}

// correctType suggests the type that the author may have meant.
func correctType(p *problem) []playground.Fix {
	typed := strings.ToLower(p.match[1])
	if known, ok := schemaTypes[typed]; ok {
		return p.setAccepted(known)
	}
	var fixes []playground.Fix
	for _, name := range SimilarNames(typed, []string{"array", "boolean", "integer", "number", "object", "string"}) {
		fixes = append(fixes, p.setAccepted(name)...)
	}
	return fixes
}

// liftType moves the types of the alternatives in allOf, anyOf or oneOf to the
// enclosing schema. An integer and a string become x-kubernetes-int-or-string.
func liftType(p *problem) []playground.Fix {
	junctor := slices.Clip(p.path[:len(p.path)-2]) // without the index and "type"
	schema := slices.Clip(junctor[:len(junctor)-1])
	alternatives := p.nodeAt(junctor...)
	if alternatives == nil || alternatives.Kind != yaml.SequenceNode {
		return nil
	}
	var types []string
	onlyTypes := true
	changes := []change{}
	for i, alternative := range alternatives.Content {
		if written := p.scalar(append(junctor, i, "type")...); written != "" {
			types = append(types, written)
			changes = append(changes, p.deleteAt(append(junctor, i, "type")...))
		}
		onlyTypes = onlyTypes && len(alternative.Content) == 2
	}
	slices.Sort(types)
	types = slices.Compact(types)
	switch {
	case onlyTypes && slices.Equal(types, []string{"integer", "string"}):
		return p.replaceJunctor(junctor, "x-kubernetes-int-or-string", true, "type")
	case len(types) > 1:
		p.Hint = fmt.Sprintf("A structural schema has one type, so a field cannot accept both %s. Choose one of them, or accept any value with x-kubernetes-preserve-unknown-fields: true instead of a type.", strings.Join(types, " and "))
		if !onlyTypes {
			return nil
		}
		var fixes []playground.Fix
		for _, name := range types {
			fixes = append(fixes, p.replaceJunctor(junctor, "type", name)...)
		}
		return fixes
	case onlyTypes:
		return p.replaceJunctor(junctor, "type", types[0])
	case p.scalar(append(schema, "type")...) == types[0]:
		return p.newFix("Remove the nested types", changes...)
	case !p.exists(append(schema, "type")...):
		return p.newFix("Set type: "+types[0]+" in the enclosing schema", append(changes, p.setValue(types[0], append(schema, "type")...))...)
	}
	return nil
}

// replaceJunctor replaces a junctor with another keyword of the same schema, and
// removes the keywords that exclude it.
func (p *problem) replaceJunctor(junctor []any, keyword string, value any, excluded ...string) []playground.Fix {
	schema := slices.Clip(junctor[:len(junctor)-1])
	var changes []change
	if p.exists(append(schema, keyword)...) {
		changes = append(changes, p.deleteAt(junctor...))
	} else {
		changes = append(changes, p.renameKey(keyword, junctor...), p.setValue(value, junctor...))
	}
	for _, name := range excluded {
		if p.exists(append(schema, name)...) {
			changes = append(changes, p.deleteAt(append(schema, name)...))
		}
	}
	return p.newFix(fmt.Sprintf("Set %s: %v", keyword, value), changes...)
}

// reduceMetadata removes all restrictions of metadata except for name and
// generateName.
func reduceMetadata(p *problem) []playground.Fix {
	at := slices.Index(p.path, any("metadata"))
	if at < 0 {
		return nil
	}
	path := slices.Clip(p.path[:at+1])
	kept := map[string]any{}
	for _, name := range []string{"name", "generateName"} {
		if n := p.nodeAt(append(path, "properties", name)...); n != nil {
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
	return p.newFix("Keep only name and generateName", p.setValue(bare, path...))
}

// defineType adds a node for a field that only a value validation describes.
func defineType(p *problem) []playground.Fix {
	at, ok := finding.LocateCRD(p.doc, strings.TrimSpace(p.Message[strings.LastIndex(p.Message, " defined in ")+len(" defined in "):]))
	inferred := "string"
	if ok && at.Exact && inferredType(at.Node()) != "" {
		inferred = inferredType(at.Node())
	}
	switch inferred {
	case "object", "array":
		return nil // a type alone is no valid definition
	}
	return p.newFix("Declare it with type: "+inferred, p.setValue(map[string]any{"type": inferred}, p.path...))
}

// setListTypeSet replaces uniqueItems with list type set, or removes it.
func setListTypeSet(p *problem) []playground.Fix {
	return append(
		p.newFix("Set x-kubernetes-list-type: set", p.renameKey("x-kubernetes-list-type", p.path...), p.setValue("set", p.path...)),
		removeField(p)...)
}

// chooseMapKeys suggests each scalar property of the items as the list map key.
// Required properties and properties with a default precede the others.
func chooseMapKeys(p *problem) []playground.Fix {
	list := p.parent()
	properties := p.nodeAt(append(list, "items", "properties")...)
	if properties == nil {
		return nil
	}
	required := p.scalars(append(list, "items", "required")...)
	var likely, others []string
	for i := 0; i+1 < len(properties.Content); i += 2 {
		name := properties.Content[i].Value
		switch {
		case !slices.Contains([]string{"string", "integer", "boolean", "number"}, p.scalar(append(list, "items", "properties", name, "type")...)):
		case slices.Contains(required, name) || p.exists(append(list, "items", "properties", name, "default")...):
			likely = append(likely, name)
		default:
			others = append(others, name)
		}
	}
	var fixes []playground.Fix
	for _, name := range likely {
		fixes = append(fixes, p.newFix("Set x-kubernetes-list-map-keys: ["+name+"]", p.setValue([]any{name}, p.path...))...)
	}
	for _, name := range others {
		fixes = append(fixes, p.newFix("Set x-kubernetes-list-map-keys: ["+name+"] and require it",
			p.setValue([]any{name}, p.path...), p.appendValue(name, append(list, "items", "required")...))...)
	}
	return fixes
}

// requireMapKey requires a list map key in the items of the list.
func requireMapKey(p *problem) []playground.Fix {
	if len(p.path) < 3 {
		return nil
	}
	items, key := slices.Clip(p.path[:len(p.path)-3]), p.path[len(p.path)-2]
	name, ok := key.(string)
	if !ok {
		return nil
	}
	return p.newFix("Require "+name, p.appendValue(name, append(items, "required")...))
}

// addKeyProperties adds the only list map key that the items do not define.
func addKeyProperties(p *problem) []playground.Fix {
	properties := append(p.parent(), "items", "properties")
	missing := map[string]any{}
	for _, key := range p.scalars(p.path...) {
		if !p.exists(append(properties, key)...) {
			missing[key] = map[string]any{"type": "string"}
		}
	}
	if len(missing) != 1 {
		return nil
	}
	name := slices.Sorted(maps.Keys(missing))[0]
	return p.newFix("Add the property "+name+" and require it",
		p.setValue(missing[name], append(properties, name)...),
		p.appendValue(name, append(p.parent(), "items", "required")...))
}

func chooseItems(p *problem) []playground.Fix {
	return append(
		p.newFix("Set items: {type: string}", p.setValue(map[string]any{"type": "string"}, p.path...)),
		p.newFix("Set items: {type: object} with any fields", p.setValue(map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}, p.path...))...)
}

// preserveUnknownFields keeps the unknown fields of the node that contains the
// field.
func preserveUnknownFields(p *problem) []playground.Fix {
	return p.newFix("Set x-kubernetes-preserve-unknown-fields: true", p.setValue(true, append(p.parent(), "x-kubernetes-preserve-unknown-fields")...))
}
