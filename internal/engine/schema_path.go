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
	node, path := root, schemaPath{}
	for _, step := range value {
		if node == nil {
			return nil, path
		}
		next, nextPath := schemaChild(node, path, step)
		if next == nil {
			return nil, path
		}
		node, path = next, nextPath
	}
	return node, path
}

func schemaChild(node *structuralschema.Structural, path schemaPath, step any) (*structuralschema.Structural, schemaPath) {
	name, isKey := step.(string)
	if !isKey {
		return node.Items, path.items()
	}
	if property, ok := node.Properties[name]; ok {
		return &property, path.property(name)
	}
	if node.AdditionalProperties != nil {
		return node.AdditionalProperties.Structural, path.additional()
	}
	return nil, path
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
