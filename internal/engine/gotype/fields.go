// Package gotype relates YAML documents to the Go types that the API server
// decodes them into.
package gotype

import (
	"reflect"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// FieldNames returns the JSON names of the fields at a path in the values
// of a Go type.
func FieldNames(t reflect.Type, path []any) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct {
		// The types "schema or Boolean" and "schema or list" have no field in JSON:
		// the schema is at the same path.
		if field, ok := t.FieldByName("Schema"); ok && field.Type == reflect.TypeFor[*apiextensionsv1.JSONSchemaProps]() {
			return FieldNames(field.Type, path)
		}
	}
	if len(path) == 0 {
		if t.Kind() != reflect.Struct {
			return nil
		}
		return Fields(t, nil)
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Map:
		return FieldNames(t.Elem(), path[1:])
	case reflect.Struct:
		var found []string
		Fields(t, func(name string, field reflect.Type) {
			if name == path[0] {
				found = FieldNames(field, path[1:])
			}
		})
		return found
	}
	return nil
}

// Fields returns the JSON names of a struct's fields, including the fields
// of embedded structs. It calls visit for each of them, unless visit is nil.
func Fields(t reflect.Type, visit func(name string, field reflect.Type)) []string {
	var names []string
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && (field.Anonymous || strings.Contains(options, "inline")):
			names = append(names, Fields(field.Type, visit)...)
		case name != "":
			names = append(names, name)
			if visit != nil {
				visit(name, field.Type)
			}
		}
	}
	return names
}
