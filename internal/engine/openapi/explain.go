package openapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mitchellh/go-wordwrap"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// explain returns the output of `kubectl explain` for a kind. schema is the kind's
// schema in document, an OpenAPI v3 document. The function follows
// k8s.io/kubectl/pkg/explain/v2 instead of importing it, because its templates
// disable dead code elimination in the linker.
func explain(crd *apiextensionsv1.CustomResourceDefinition, version string, document, schema map[string]any, recursive bool) string {
	e := explainer{recursive: recursive}
	components, _ := document["components"].(map[string]any)
	e.schemas, _ = components["schemas"].(map[string]any)

	fmt.Fprintf(&e.out, "GROUP:      %s\nKIND:       %s\nVERSION:    %s\n\n", crd.Spec.Group, crd.Spec.Names.Kind, version)
	e.out.WriteString("DESCRIPTION:\n")
	description := e.description(schema)
	if description == "" {
		description = "<empty>"
	}
	e.out.WriteString(wrap(description, 76, 4) + "\n")
	fields := explainer{schemas: e.schemas, recursive: e.recursive}
	fields.fieldList(schema, 1, nil)
	if fields.out.Len() > 0 {
		e.out.WriteString("FIELDS:\n" + fields.out.String())
	}
	return e.out.String() + "\n"
}

type explainer struct {
	schemas   map[string]any // by name
	recursive bool
	out       strings.Builder
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
	e.externalDocs(schema, indent)
	e.out.WriteString("\n")
}

func (e *explainer) externalDocs(schema map[string]any, indent int) {
	docs, _ := schema["externalDocs"].(map[string]any)
	if len(docs) == 0 {
		return
	}
	e.out.WriteString("\n" + indentLines("EXTERNAL DOCS:", indent+2) + "\n")
	if description, _ := docs["description"].(string); description != "" {
		e.out.WriteString(wrap(description, 76-indent, indent+4) + "\n")
	}
	if url, _ := docs["url"].(string); url != "" {
		e.out.WriteString(indentLines("URL: "+url, indent+4) + "\n")
	}
}

// enumLine lists the first four values of an enum.
func enumLine(schema map[string]any, indent int) string {
	const most = 4
	values, _ := schema["enum"].([]any)
	if len(values) == 0 {
		return ""
	}
	var shown []string
	for i, value := range values {
		if i == most {
			shown = append(shown, "....")
			break
		}
		if value == "" {
			value = `""`
		}
		shown = append(shown, fmt.Sprint(value))
	}
	return "\n" + strings.Repeat(" ", indent) + "enum: " + strings.Join(shown, ", ")
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
