package crdschema

import (
	"fmt"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// Path is the way from a schema's root down to one of its nodes:
// "properties" and a name, "items", or "additionalProperties".
type Path []string

func (p Path) Property(name string) Path {
	return append(slices.Clip(p), "properties", name)
}

func (p Path) Items() Path { return append(slices.Clip(p), "items") }

func (p Path) Additional() Path {
	return append(slices.Clip(p), "additionalProperties")
}

// String is the path as the API server's errors write it:
// "properties[spec].items".
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

// At follows the path of a value down a schema. It returns the node for
// the value, or, if the schema does not know the value, nil and the path of
// the last node that it knows.
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

// ValuePath names what a node is the schema of: "spec.jobs[*].name".
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
