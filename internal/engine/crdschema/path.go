// Package crdschema finds nodes in the structural schemas of CRDs, describes them as
// OpenAPI schemas, and generates sample values.
package crdschema

import (
	"fmt"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// A Path is the path of a schema node. Each step is "properties" and a name, "items",
// or "additionalProperties".
type Path []string

// Property returns the path of a property of the node at p.
func (p Path) Property(name string) Path {
	return append(slices.Clip(p), "properties", name)
}

// Items returns the path of the items of the node at p.
func (p Path) Items() Path { return append(slices.Clip(p), "items") }

// Additional returns the path of the additional properties of the node at p.
func (p Path) Additional() Path {
	return append(slices.Clip(p), "additionalProperties")
}

// String formats the path as in the API server's errors: "properties[spec].items".
func (p Path) String() string {
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

// NodeAt returns the schema node for the value at the given path, and the path of the
// node. If the schema has no such node, NodeAt returns nil and the path of the nearest
// ancestor.
func NodeAt(root *structuralschema.Structural, value []any) (*structuralschema.Structural, Path) {
	path := make(Path, 0, 2*len(value))
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

// Steps returns the steps of the path in a report, never nil.
func (p Path) Steps() []string { return append([]string{}, p...) }

// ValuePath formats the path of the values that the node describes:
// "spec.jobs[*].name".
func (p Path) ValuePath() string {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		switch p[i] {
		case "properties":
			i++
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(p[i])
		default:
			b.WriteString("[*]")
		}
	}
	return b.String()
}
