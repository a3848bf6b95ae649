package manifest

import (
	"reflect"
	"regexp"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Definitions returns the OpenAPI definitions of the types in a manifest, with
// upstream's descriptions and only references to metav1. No library contains
// these definitions, so they are derived from the Go types. The types of
// documents have the extension x-kubernetes-group-version-kind.
func Definitions(reference common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	b := definitionBuilder{
		reference: reference, docs: documentation(), values: acceptedValues(), defaults: fieldDefaults(),
		schemas: map[string]*spec.Schema{},
	}
	for _, kind := range []struct {
		of             reflect.Type
		group, version string
	}{
		{reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicy](), admissionregistrationv1.GroupName, "v1"},
		{reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicyBinding](), admissionregistrationv1.GroupName, "v1"},
		{reflect.TypeFor[admissionregistrationv1.MutatingAdmissionPolicy](), admissionregistrationv1.GroupName, "v1"},
		{reflect.TypeFor[admissionregistrationv1.MutatingAdmissionPolicyBinding](), admissionregistrationv1.GroupName, "v1"},
		{reflect.TypeFor[admissionregistrationv1.ValidatingWebhookConfiguration](), admissionregistrationv1.GroupName, "v1"},
		{reflect.TypeFor[admissionregistrationv1.MutatingWebhookConfiguration](), admissionregistrationv1.GroupName, "v1"},
		{reflect.TypeFor[admissionv1.AdmissionReview](), admissionv1.GroupName, "v1"},
		{reflect.TypeFor[corev1.Namespace](), corev1.GroupName, "v1"},
		{reflect.TypeFor[corev1.ConfigMap](), corev1.GroupName, "v1"},
		{reflect.TypeFor[corev1.Secret](), corev1.GroupName, "v1"},
	} {
		b.define(kind.of).AddExtension("x-kubernetes-group-version-kind", []any{
			map[string]any{"group": kind.group, "version": kind.version, "kind": kind.of.Name()},
		})
	}
	b.adaptReview()
	definitions := map[string]common.OpenAPIDefinition{}
	for name, schema := range b.schemas {
		definitions[name] = common.OpenAPIDefinition{Schema: *schema}
	}
	return definitions
}

type definitionBuilder struct {
	reference common.ReferenceCallback
	docs      map[reflect.Type]map[string]string
	values    map[reflect.Type][]any
	defaults  map[goField]any
	schemas   map[string]*spec.Schema
}

// modelName returns the name of a type in upstream's OpenAPI documents.
func modelName(t reflect.Type) string {
	return "io.k8s." + strings.ReplaceAll(strings.TrimPrefix(t.PkgPath(), "k8s.io/"), "/", ".") + "." + t.Name()
}

// define returns the definition of a documented struct. It also defines the types
// that the struct refers to.
func (b *definitionBuilder) define(t reflect.Type) *spec.Schema {
	name := modelName(t)
	if known, ok := b.schemas[name]; ok {
		return known
	}
	schema := object(b.docs[t][""], map[string]spec.Schema{})
	b.schemas[name] = &schema
	b.addFields(&schema, t)
	return &schema
}

// isMarkedRequired reports whether a description marks its field as required,
// although the Go type permits its omission.
var isMarkedRequired = regexp.MustCompile(`\bRequired\b`).MatchString

// addFields adds the fields of a struct and of its embedded structs.
func (b *definitionBuilder) addFields(schema *spec.Schema, t reflect.Type) {
	for f := range t.Fields() {
		name := jsonName(f)
		if name == "" {
			b.addFields(schema, f.Type)
			continue
		}
		property := b.schemaOf(f.Type)
		property.Default = b.defaults[goField{t, name}]
		if doc := b.docs[t][name]; doc != "" {
			property.Description = doc
		}
		schema.Properties[name] = property
		isOptional := strings.HasSuffix(f.Tag.Get("json"), ",omitempty") && !isMarkedRequired(property.Description)
		if !isOptional || b.hasRequired(f.Type) {
			schema.Required = append(schema.Required, name)
		}
	}
}

// hasRequired reports whether t is a struct, not a pointer, with required fields.
func (b *definitionBuilder) hasRequired(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && b.docs[t] != nil && len(b.define(t).Required) > 0
}

func (b *definitionBuilder) schemaOf(t reflect.Type) spec.Schema {
	switch t.Kind() {
	case reflect.Pointer:
		return b.schemaOf(t.Elem())
	case reflect.Struct:
		if b.docs[t] != nil {
			b.define(t)
		}
		return spec.Schema{SchemaProps: spec.SchemaProps{Ref: b.reference(modelName(t))}}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return *spec.StrFmtProperty("byte")
		}
		items := b.schemaOf(t.Elem())
		return *spec.ArrayProperty(&items)
	case reflect.Map:
		values := b.schemaOf(t.Elem())
		return *spec.MapProperty(&values)
	case reflect.Bool:
		return *spec.BooleanProperty()
	case reflect.Int32:
		return *spec.Int32Property()
	case reflect.Int64:
		return *spec.Int64Property()
	}
	property := spec.StringProperty()
	property.Enum = b.values[t]
	return *property
}

// adaptReview changes the definition of AdmissionReview to its form in a manifest,
// the response of a webhook. Its metadata may name the webhook, and its request
// may select requests.
func (b *definitionBuilder) adaptReview() {
	review := b.define(reflect.TypeFor[admissionv1.AdmissionReview]())
	review.Properties["metadata"] = object("Selects the webhook of this response. The API has no such field.", map[string]spec.Schema{
		"name": described(spec.StringProperty(), "The name of the webhook. If it is empty, all webhooks return this response."),
	})
	request := b.define(reflect.TypeFor[admissionv1.AdmissionRequest]())
	selectors := map[string]spec.Schema{}
	for _, name := range []string{"name", "namespace", "operation", "uid"} {
		selectors[name] = request.Properties[name]
	}
	review.Properties["request"] = object("Selects the requests that get this response. If it is empty, all requests match.", selectors)
	response := b.define(reflect.TypeFor[admissionv1.AdmissionResponse]())
	patch := response.Properties["patch"]
	patch.Description += " In crdlab, it may also be a list of operations."
	patch.Type = spec.StringOrArray{"array", "string"}
	operation := object("", map[string]spec.Schema{
		"op":    {SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"string"}, Enum: []any{"add", "remove", "replace", "move", "copy", "test"}}},
		"path":  described(spec.StringProperty(), "A JSON Pointer, such as /spec/replicas."),
		"from":  described(spec.StringProperty(), "The source of move and copy, as a JSON Pointer."),
		"value": described(&spec.Schema{}, "The value of add, replace and test."),
	})
	operation.Required = []string{"op", "path"}
	patch.Items = &spec.SchemaOrArray{Schema: &operation}
	patch.Format = ""
	response.Properties["patch"] = patch
	response.Properties["uid"] = described(spec.StringProperty(), response.Properties["uid"].Description+" crdlab does not require it.")
	response.Required = []string{"allowed"}
}

func object(description string, properties map[string]spec.Schema) spec.Schema {
	return spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"object"}, Description: description, Properties: properties}}
}

func described(schema *spec.Schema, description string) spec.Schema {
	schema.Description = description
	return *schema
}
