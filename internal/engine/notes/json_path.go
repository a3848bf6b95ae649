package notes

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/jsonpath"

	"github.com/crdlab/crdlab/internal/engine/gotype"
)

// A target is the part that a JSON path of the CRD selects according to the schema.
type target struct {
	// schema describes the selected values. It is nil if they are unknown.
	schema *apiextensionsv1.JSONSchemaProps
	// problem explains why no object has such a value, or is empty.
	problem string
	// missing is the name that the schema lacks, and known has the names at its place.
	missing string
	known   []string
	// several reports whether the path can select several values.
	several bool
	// path is the whole path, and walked the part up to the present step.
	path, walked string
}

// hint returns the remedy for the problem.
func (t *target) hint() string {
	switch {
	case t.missing != "" && t.schema.Type == "array":
		return "Select one item, by its index or by a filter such as [?(@.name=='a')]."
	case t.missing != "" && strings.Contains(t.path, " ."):
		return "A column shows the value of one path. Add a column for each value, or let the controller write the text into the status."
	case t.missing != "":
		return "The API server prunes fields that the schema does not have. Correct the path, or add the field to the schema."
	}
	return "Correct the path, or the type in the schema."
}

// resolve follows a JSON path through the schema of a version, as FindResults of
// k8s.io/client-go/util/jsonpath does through an object.
func resolve(root *apiextensionsv1.JSONSchemaProps, path string) target {
	parsed, err := jsonpath.Parse("", "{"+path+"}")
	t := target{schema: root, path: path}
	if err != nil {
		t.schema = nil
		return t
	}
	t.list(parsed.Root)
	return t
}

func (t *target) list(list *jsonpath.ListNode) {
	for _, step := range list.Nodes {
		if t.schema == nil || t.problem != "" {
			return
		}
		switch step := step.(type) {
		case *jsonpath.ListNode:
			t.list(step)
		case *jsonpath.FieldNode:
			t.field(step.Value)
		case *jsonpath.ArrayNode:
			t.several = t.several || !step.Params[1].Derived
			t.items()
		case *jsonpath.FilterNode:
			t.items()
		case *jsonpath.WildcardNode:
			t.wildcard()
		default:
			t.schema = nil
		}
	}
}

// objectFields lists the fields that each object has, besides the schema's fields.
var objectFields = map[string]*apiextensionsv1.JSONSchemaProps{
	"apiVersion": {Type: "string"}, "kind": {Type: "string"}, "metadata": objectMeta(),
}

// objectMeta returns a schema with the fields of ObjectMeta, whose values are unknown.
func objectMeta() *apiextensionsv1.JSONSchemaProps {
	schema := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}}
	for _, name := range gotype.FieldNames(reflect.TypeFor[metav1.ObjectMeta](), nil) {
		schema.Properties[name] = apiextensionsv1.JSONSchemaProps{XPreserveUnknownFields: new(true)}
	}
	return schema
}

func (t *target) field(name string) {
	if name == "" {
		return
	}
	schema := t.schema
	property, ok := schema.Properties[name]
	ofObject, always := objectFields[name]
	always = always && (t.walked == "" || schema.XEmbeddedResource)
	switch {
	case always && (!ok || name == "metadata"):
		t.schema = ofObject
	case ok:
		t.schema = &property
	case schema.AdditionalProperties != nil && (schema.AdditionalProperties.Schema != nil || schema.AdditionalProperties.Allows):
		t.schema = schema.AdditionalProperties.Schema
	case schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields:
		t.schema = nil
	default:
		t.missing, t.known = name, slices.Sorted(maps.Keys(schema.Properties))
		t.problem = "the schema has no field " + t.join(name)
		if typeOf(schema) != "object" {
			t.problem = t.walked + " is " + describe(schema) + " and has no field " + name
		}
	}
	t.walked = t.join(name)
}

// join returns the walked path with a further name.
func (t *target) join(name string) string { return strings.TrimPrefix(t.walked+"."+name, ".") }

func (t *target) items() {
	if typeOf(t.schema) == "" {
		t.schema = nil
		return
	}
	if t.schema.Type != "array" {
		t.problem = t.walked + " is " + describe(t.schema) + ", not a list"
		return
	}
	t.schema = t.schema.Items.Schema
	t.walked += "[]"
}

func (t *target) wildcard() {
	t.several = true
	switch {
	case t.schema.Type == "array":
		t.items()
	case t.schema.AdditionalProperties != nil:
		t.schema = t.schema.AdditionalProperties.Schema
	default:
		t.schema = nil
	}
}

// typeOf returns the type of a schema, int-or-string, or an empty string for any value.
func typeOf(schema *apiextensionsv1.JSONSchemaProps) string {
	if schema.XIntOrString {
		return "int-or-string"
	}
	return schema.Type
}

// describe returns the type of a schema with its article.
func describe(schema *apiextensionsv1.JSONSchemaProps) string {
	switch name := typeOf(schema); name {
	case "":
		return "any value"
	case "array":
		return "a list"
	case "integer", "object", "int-or-string":
		return "an " + name
	default:
		return "a " + name
	}
}
