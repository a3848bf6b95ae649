package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// schemaPath is the way from a schema's root down to one of its nodes:
// "properties" and a name, "items", or "additionalProperties".
type schemaPath []string

func (p schemaPath) property(name string) schemaPath {
	return append(slices.Clip(p), "properties", name)
}

func (p schemaPath) items() schemaPath { return append(slices.Clip(p), "items") }

func (p schemaPath) additional() schemaPath {
	return append(slices.Clip(p), "additionalProperties")
}

// String is the path as the API server's errors write it:
// "properties[spec].items".
func (p schemaPath) String() string {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(p[i])
		if p[i] == "properties" {
			i++
			fmt.Fprintf(&b, "[%s]", p[i])
		}
	}
	return b.String()
}

// schemaAt follows the path of a value down a schema. It returns the node for
// the value, or, if the schema does not know the value, nil and the path of
// the last node that it knows.
func schemaAt(root *structuralschema.Structural, value []any) (*structuralschema.Structural, schemaPath) {
	path := make(schemaPath, 0, 2*len(value))
	if root == nil {
		return nil, path
	}
	node := *root
	for _, step := range value {
		name, isKey := step.(string)
		property, isProperty := node.Properties[name]
		switch {
		case !isKey && node.Items != nil:
			node, path = *node.Items, append(path, "items")
		case isKey && isProperty:
			node, path = property, append(path, "properties", name)
		case isKey && node.AdditionalProperties != nil && node.AdditionalProperties.Structural != nil:
			node, path = *node.AdditionalProperties.Structural, append(path, "additionalProperties")
		default:
			return nil, path
		}
	}
	return &node, path
}

// appendStep is a longer path that shares no memory with path.
func appendStep(path []any, step any) []any {
	return append(path[:len(path):len(path)], step)
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// valuePath writes the path of a value as the API server's errors do:
// "spec.jobs[0].name". A key that is no plain name is put in brackets.
func valuePath(path []any) string {
	var b strings.Builder
	for _, step := range path {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			if strings.ContainsAny(step, ".[]/ ") || step == "" {
				fmt.Fprintf(&b, "[%s]", step)
				continue
			}
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
	}
	return b.String()
}
