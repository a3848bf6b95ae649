package gotypes

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"reflect"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
)

// value returns the parsed value of a marker; nil if it is unknown or invalid.
func (p *places) value(node ast.Node, comment *ast.Comment) any {
	definition := p.registry.Lookup(markerText(comment), target(node))
	if definition == nil {
		return nil
	}
	value, err := definition.Parse(markerText(comment))
	if err != nil {
		return nil
	}
	return value
}

// schemaTypes lists the types of schemas to which a marker may apply.
var schemaTypes = []string{"string", "integer", "array", "object", "number", "boolean"}

// constrains reports whether a marker sets a keyword of the schema: it applies the marker to
// an empty schema of each type.
func (p *places) constrains(o origin, comment *ast.Comment, keyword any) bool {
	marker, ok := p.value(o.node, comment).(crd.SchemaMarker)
	if !ok {
		return false
	}
	context := &crdmarkers.SchemaContext{Package: o.pkg}
	for _, name := range schemaTypes {
		schema := &apiextensionsv1.JSONSchemaProps{Type: name}
		if marker.ApplyToSchema(context, schema) == nil && hasKeyword(schema, name, keyword) {
			return true
		}
	}
	return false
}

// hasKeyword reports whether a schema, which had only a type, has a keyword.
func hasKeyword(schema *apiextensionsv1.JSONSchemaProps, typeName string, keyword any) bool {
	value := fieldAt(schema, []any{keyword})
	return value != nil && (keyword != "type" || value != typeName)
}

// A crdMarker sets fields of a CRD outside of the schema.
type crdMarker interface {
	ApplyToCRD(spec *apiextensionsv1.CustomResourceDefinitionSpec, version string) error
}

// sets reports whether a marker sets the field of a CRD at a path, which is relative to the
// version for the fields of a version.
func (p *places) sets(o origin, comment *ast.Comment, path []any) bool {
	marker, ok := p.value(o.node, comment).(crdMarker)
	if !ok || len(path) == 0 {
		return false
	}
	spec := emptySpec()
	if err := marker.ApplyToCRD(spec, "v1"); err != nil {
		return false
	}
	if len(path) > 1 && path[0] == "spec" && path[1] == "versions" {
		return differs(&spec.Versions[0], &emptySpec().Versions[0], []any{"storage"}) // It relates the versions.
	}
	if path[0] == "spec" && len(path) > 1 {
		return differs(spec, emptySpec(), path[1:])
	}
	return differs(&spec.Versions[0], &emptySpec().Versions[0], path)
}

func emptySpec() *apiextensionsv1.CustomResourceDefinitionSpec {
	return &apiextensionsv1.CustomResourceDefinitionSpec{Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true}}}
}

// differs reports whether two values differ in the field at a path of names in JSON.
func differs(a, b any, path []any) bool {
	return !reflect.DeepEqual(fieldAt(a, path), fieldAt(b, path))
}

// fieldAt returns the field of a value at a path, or the nearest list above it.
func fieldAt(value any, path []any) any {
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil
	}
	var field any
	if err := json.Unmarshal(encoded, &field); err != nil {
		return nil
	}
	for _, step := range path {
		object, ok := field.(map[string]any)
		if !ok {
			break
		}
		field = object[fmt.Sprint(step)]
	}
	return field
}
