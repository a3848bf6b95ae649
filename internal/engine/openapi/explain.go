package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/mitchellh/go-wordwrap"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Explain returns the output of `kubectl explain` for a kind in an OpenAPI v3 document, or
// for the field at a path below it. It follows k8s.io/kubectl/pkg/explain/v2 instead of
// importing it, because its templates disable dead code elimination in the linker.
func Explain(document []byte, kind schema.GroupVersionKind, fields []string, recursive bool) (string, error) {
	root := map[string]any{}
	if err := json.Unmarshal(document, &root); err != nil { // like kubectl: all numbers are float64
		return "", fmt.Errorf("decode OpenAPI v3: %w", err)
	}
	components, _ := root["components"].(map[string]any)
	e := explainer{recursive: recursive}
	e.schemas, _ = components["schemas"].(map[string]any)
	fmt.Fprintf(&e.out, "GROUP:      %s\nKIND:       %s\nVERSION:    %s\n\n", kind.Group, kind.Kind, kind.Version)
	if !e.output(e.schemaOf(kind), fields, nil) {
		return "", fmt.Errorf("field %q does not exist", fields[len(fields)-1])
	}
	return e.out.String() + "\n", nil
}

type explainer struct {
	schemas   map[string]any // by name
	recursive bool
	out       strings.Builder
}

// schemaOf returns the schema of a kind, or nil.
func (e *explainer) schemaOf(kind schema.GroupVersionKind) map[string]any {
	want := map[string]any{"group": kind.Group, "version": kind.Version, "kind": kind.Kind}
	for _, name := range slices.Sorted(maps.Keys(e.schemas)) {
		candidate, _ := e.schemas[name].(map[string]any)
		kinds, _ := candidate["x-kubernetes-group-version-kind"].([]any)
		if slices.ContainsFunc(kinds, func(k any) bool { return reflect.DeepEqual(k, any(want)) }) {
			return candidate
		}
	}
	return nil
}

// output prints the field at a path below a schema. It reports whether the field exists.
// seen lists the references on the way to the schema.
func (e *explainer) output(schema map[string]any, fields, seen []string) bool {
	resolved, reference := e.resolve(schema)
	if len(fields) == 0 {
		e.describe(resolved)
		return true
	}
	if reference != "" {
		if slices.Contains(seen, reference) {
			return false
		}
		seen = append(slices.Clip(seen), reference)
	}
	properties, _ := resolved["properties"].(map[string]any)
	if property, _ := properties[fields[0]].(map[string]any); len(property) > 0 {
		if len(fields) == 1 {
			fmt.Fprintf(&e.out, "FIELD: %s <%s>\n%s\n\n", fields[0], e.typeName(property), enumLines(property))
		}
		return e.output(property, fields[1:], nil)
	}
	if element := elementOf(resolved); element != nil {
		return e.output(element, fields, seen)
	}
	all, _ := resolved["allOf"].([]any)
	return slices.ContainsFunc(all, func(part any) bool {
		alternative, _ := part.(map[string]any)
		return e.output(alternative, fields, seen)
	})
}

// describe prints the description and the fields of a schema.
func (e *explainer) describe(schema map[string]any) {
	description := e.description(schema)
	if description == "" {
		description = "<empty>"
	}
	e.out.WriteString("DESCRIPTION:\n" + wrap(description, 76, 4) + "\n")
	e.externalDocs(schema, 0, 76)
	fields := explainer{schemas: e.schemas, recursive: e.recursive}
	fields.fieldList(schema, 1, nil)
	if fields.out.Len() > 0 {
		e.out.WriteString("FIELDS:\n" + fields.out.String())
	}
}

// elementOf returns the schema of the items of a list or of the values of a map, or nil.
func elementOf(schema map[string]any) map[string]any {
	if items, _ := schema["items"].(map[string]any); len(items) > 0 {
		return items
	}
	if values, _ := schema["additionalProperties"].(map[string]any); len(values) > 0 {
		return values
	}
	return nil
}

// resolve returns the target of a schema's reference, or the schema itself.
func (e *explainer) resolve(schema map[string]any) (resolved map[string]any, reference string) {
	reference, _ = schema["$ref"].(string)
	name := reference[strings.LastIndex(reference, "/")+1:]
	if target, ok := e.schemas[name].(map[string]any); ok && reference != "" {
		return target, reference
	}
	return schema, reference
}

// description joins the descriptions of a schema and of its parts.
func (e *explainer) description(schema map[string]any) string {
	resolved, _ := e.resolve(schema)
	var b strings.Builder
	if own, _ := resolved["description"].(string); own != "" {
		b.WriteString(own + "\n")
	}
	for _, part := range schemaParts(resolved) {
		b.WriteString(e.description(part))
	}
	return b.String()
}

// schemaParts returns the schemas of allOf, items and additionalProperties.
func schemaParts(schema map[string]any) []map[string]any {
	var parts []map[string]any
	all, _ := schema["allOf"].([]any)
	for _, part := range append(all, schema["items"], schema["additionalProperties"]) {
		if part, ok := part.(map[string]any); ok && len(part) > 0 {
			parts = append(parts, part)
		}
	}
	return parts
}

// fieldList prints the fields of a schema. seen lists the references on the path to
// the schema, to stop at a cycle.
func (e *explainer) fieldList(schema map[string]any, level int, seen []string) {
	resolved, reference := e.resolve(schema)
	if reference != "" {
		if slices.Contains(seen, reference) {
			return
		}
		seen = append(slices.Clip(seen), reference)
	}
	properties, _ := resolved["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property, _ := properties[name].(map[string]any)
		e.field(name, property, isRequired(resolved, name), level)
		if e.recursive {
			e.fieldList(property, level+1, seen)
		}
	}
	for _, part := range schemaParts(resolved) {
		e.fieldList(part, level, seen)
	}
}

func isRequired(schema map[string]any, name string) bool {
	required, _ := schema["required"].([]any)
	return slices.Contains(required, any(name))
}

func (e *explainer) field(name string, schema map[string]any, required bool, level int) {
	indent := level * 2
	fmt.Fprintf(&e.out, "%s%s\t<%s>", strings.Repeat(" ", indent), name, e.typeName(schema))
	if required {
		e.out.WriteString(" -required-")
	}
	e.out.WriteString(enumLine(schema, indent) + "\n")
	if e.recursive {
		return
	}
	description, _ := schema["description"].(string)
	if description == "" {
		description = "<no description>"
	}
	e.out.WriteString(wrap(description, 78-indent, indent+2) + "\n")
	e.externalDocs(schema, indent+2, 76-indent)
	e.out.WriteString("\n")
}

func (e *explainer) externalDocs(schema map[string]any, indent, width int) {
	docs, _ := schema["externalDocs"].(map[string]any)
	if len(docs) == 0 {
		return
	}
	e.out.WriteString("\n" + indentLines("EXTERNAL DOCS:", indent) + "\n")
	below := max(indent+2, 4)
	if description, _ := docs["description"].(string); description != "" {
		e.out.WriteString(wrap(description, width, below) + "\n")
	}
	if url, _ := docs["url"].(string); url != "" {
		e.out.WriteString(indentLines("URL: "+url, below) + "\n")
	}
}

// enumLine lists the first four values of an enum.
func enumLine(schema map[string]any, indent int) string {
	const most = 4
	values := enumValues(schema)
	if len(values) == 0 {
		return ""
	}
	if len(values) > most {
		values = append(values[:most], "....")
	}
	return "\n" + strings.Repeat(" ", indent) + "enum: " + strings.Join(values, ", ")
}

// enumLines lists all values of an enum.
func enumLines(schema map[string]any) string {
	values := enumValues(schema)
	if len(values) == 0 {
		return ""
	}
	return "ENUM:\n" + indentLines(strings.Join(values, "\n"), 4)
}

func enumValues(schema map[string]any) []string {
	values, _ := schema["enum"].([]any)
	names := make([]string, len(values))
	for i, value := range values {
		switch value {
		case "":
			names[i] = `""`
		case nil:
			names[i] = "<no value>" // by text/template, which kubectl uses
		default:
			names[i] = fmt.Sprint(value)
		}
	}
	return names
}

// typeName returns the short name of a type: string, []Object, map[string]integer.
func (e *explainer) typeName(schema map[string]any) string {
	items, _ := schema["items"].(map[string]any)
	values, _ := schema["additionalProperties"].(map[string]any)
	all, _ := schema["allOf"].([]any)
	properties, _ := schema["properties"].(map[string]any)
	reference, _ := schema["$ref"].(string)
	switch {
	case len(items) > 0:
		return "[]" + e.typeName(items)
	case len(values) > 0:
		return "map[string]" + e.typeName(values)
	case len(all) == 1 && len(properties) == 0:
		only, _ := all[0].(map[string]any)
		return e.typeName(only)
	case reference != "":
		return e.referenceName(schema, reference)
	}
	return plainType(schema)
}

func (e *explainer) referenceName(schema map[string]any, reference string) string {
	target, _ := e.resolve(schema)
	if kind, _ := target["type"].(string); kind != "" && kind != "object" {
		return kind
	}
	return reference[strings.LastIndexAny(reference, "/.")+1:]
}

func plainType(schema map[string]any) string {
	kind, _ := schema["type"].(string)
	if kind == "" || kind == "object" {
		return "Object"
	}
	return kind
}

// wrap breaks a paragraph into lines of at most width characters, and indents them.
func wrap(paragraph string, width, indent int) string {
	return indentLines(wordwrap.WrapString(paragraph, uint(max(width, 1))), indent)
}

func indentLines(lines string, indent int) string {
	pad := strings.Repeat(" ", indent)
	return pad + strings.ReplaceAll(lines, "\n", "\n"+pad)
}
