package crdschema

import (
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// A Kind describes the documents of a Kubernetes kind.
type Kind struct {
	Root Schema
	// Version is the version of the CRD, if the documents are objects of a CRD.
	Version string
}

// A Schema is a node of an OpenAPI schema.
type Schema struct {
	*spec.Schema
	Name  string // of the Go type, if any
	Types *Types // resolves references
}

// Types holds the OpenAPI definitions of Kubernetes types by name. It is empty if the
// engine has no definitions.
type Types struct {
	Definitions map[string]common.OpenAPIDefinition
}

// NewTypes builds the types from upstream's definitions, which may be nil.
func NewTypes(definitions common.GetOpenAPIDefinitions) *Types {
	types := &Types{}
	if definitions != nil {
		types.Definitions = definitions(func(name string) spec.Ref { return spec.MustCreateRef(definitionPrefix + name) })
	}
	return types
}

const definitionPrefix = "#/definitions/"

var (
	crdDefinition        = apiextensionsv1.CustomResourceDefinition{}.OpenAPIModelName()
	crdV1beta1Definition = apiextensionsv1beta1.CustomResourceDefinition{}.OpenAPIModelName()
	metaDefinition       = metav1.ObjectMeta{}.OpenAPIModelName()
)

// Definition returns the schema of a Kubernetes type. The caller may replace its
// properties.
func (t *Types) Definition(name string) Schema {
	schema := t.Definitions[name].Schema
	properties := map[string]spec.Schema{}
	for name, property := range schema.Properties {
		if isGoZero(property.Default) {
			property.Default = nil // upstream publishes the zero value for every field
		}
		properties[name] = property
	}
	schema.Properties = properties
	return Schema{&schema, name, t}
}

func isGoZero(value any) bool {
	fields, isObject := value.(map[string]any)
	return isObject && len(fields) == 0 || value == "" || value == false || value == 0 || value == int32(0) || value == int64(0)
}

// CRDKind returns the kind CustomResourceDefinition in the version of a document. It
// returns nil if the document has a different kind.
func (t *Types) CRDKind(root *tolerant.Node) *Kind {
	kind := root.Scalar("kind")
	if kind != "" && kind != "CustomResourceDefinition" || t.Definitions == nil {
		return nil
	}
	name := crdDefinition
	if strings.HasSuffix(root.Scalar("apiVersion"), "/v1beta1") {
		name = crdV1beta1Definition
	}
	schema := t.Definition(name)
	schema.Properties["apiVersion"] = WithEnum(schema.Properties["apiVersion"], apiextensionsv1.SchemeGroupVersion.String())
	schema.Properties["kind"] = WithEnum(schema.Properties["kind"], "CustomResourceDefinition")
	schema.Required = append([]string{"apiVersion", "kind", "metadata"}, schema.Required...)
	return &Kind{Root: schema}
}

// WithEnum returns a schema that permits only the given values.
func WithEnum(schema spec.Schema, values ...string) spec.Schema {
	schema.Enum = nil
	for _, value := range values {
		schema.Enum = append(schema.Enum, value)
	}
	return schema
}

// WithTypeMeta returns a schema with the fields that every resource has. It keeps the
// constraints of schema on the fields of the metadata.
func (t *Types) WithTypeMeta(schema *spec.Schema) *spec.Schema {
	out := *schema
	out.Properties = map[string]spec.Schema{}
	maps.Copy(out.Properties, schema.Properties)
	published := t.Definition(crdDefinition)
	for _, name := range []string{"apiVersion", "kind"} {
		property := published.Properties[name]
		property.Type = spec.StringOrArray{"string"}
		out.Properties[name] = property
	}
	out.Properties["metadata"] = t.metadataSchema(schema.Properties["metadata"])
	return &out
}

func (t *Types) metadataSchema(own spec.Schema) spec.Schema {
	meta := *t.Definition(metaDefinition).Schema
	meta.Type = spec.StringOrArray{"object"}
	for name, constrained := range own.Properties {
		if property, ok := meta.Properties[name]; ok {
			constrained.Description = property.Description
			constrained.Default = property.Default
			meta.Properties[name] = constrained
		}
	}
	meta.Description = MetadataDescription
	meta.Required = own.Required
	return meta
}

// MetadataDescription is the description of the metadata of any object.
const MetadataDescription = "Standard object's metadata."

// resolve returns the target of a reference. It adds the fields of a resource to an
// embedded resource.
func (s Schema) resolve() Schema {
	if s.Schema == nil {
		return s
	}
	reference := s.Ref.String()
	if reference == "" && len(s.AllOf) == 1 && len(s.Properties) == 0 && s.Items == nil {
		reference = s.AllOf[0].Ref.String()
	}
	if name, ok := strings.CutPrefix(reference, definitionPrefix); ok {
		target := s.Types.Definition(strings.NewReplacer("OrArray", "", "OrBool", "", "OrStringArray", "").Replace(name))
		if s.Description != "" {
			target.Description = s.Description
		}
		return target
	}
	if BoolExtension(s.Schema, "x-kubernetes-embedded-resource") && s.Properties["metadata"].Description != MetadataDescription {
		out := s.Types.WithTypeMeta(s.Schema)
		out.Required = RequireFirst(out.Required, "apiVersion", "kind")
		return Schema{Schema: out, Types: s.Types}
	}
	return s
}

// RequireFirst returns the required fields of a schema with names in front.
func RequireFirst(required []string, names ...string) []string {
	return append(names, slices.DeleteFunc(slices.Clone(required), func(name string) bool { return slices.Contains(names, name) })...)
}

// BoolExtension returns the value of a Boolean extension such as
// x-kubernetes-embedded-resource.
func BoolExtension(schema *spec.Schema, extension string) bool {
	value, _ := schema.Extensions.GetBool(extension)
	return value
}

// Child returns the schema of a property, an item or a map value. The Schema field of
// the result is nil if there is no such child.
func (s Schema) Child(step any) Schema {
	if s.Schema == nil {
		return Schema{}
	}
	switch step := step.(type) {
	case int:
		if s.Items != nil && s.Items.Schema != nil {
			return Schema{Schema: s.Items.Schema, Types: s.Types}.resolve()
		}
	case string:
		if property, ok := s.Properties[step]; ok {
			return Schema{Schema: &property, Types: s.Types}.resolve()
		}
		if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
			return Schema{Schema: s.AdditionalProperties.Schema, Types: s.Types}.resolve()
		}
	}
	return Schema{}
}

// At returns the schema of the value at a path. The Schema field of the result is nil
// if there is no such value.
func (s Schema) At(path []any) Schema {
	s = s.resolve()
	for _, step := range path {
		s = s.Child(step)
	}
	return s
}

// Is reports whether s permits values of a type.
func (s Schema) Is(name string) bool {
	if s.Schema == nil {
		return false
	}
	if len(s.Type) == 0 {
		return name == "object" && (len(s.Properties) > 0 || s.AdditionalProperties != nil) || name == "array" && s.Items != nil
	}
	return s.Type.Contains(name)
}

// TypeName formats the type in the notation of kubectl explain: "[]Object",
// "map[string]integer".
func (s Schema) TypeName() string {
	switch {
	case s.Schema == nil:
		return ""
	case BoolExtension(s.Schema, "x-kubernetes-int-or-string"):
		return "integer or string"
	case s.Is("array"):
		return "[]" + s.Child(0).typeNameOr("any")
	case s.Is("object") && len(s.Properties) == 0 && s.AdditionalProperties != nil:
		return "map[string]" + s.Child("").typeNameOr("any")
	case s.Is("object") && s.Name != "":
		return s.Name[strings.LastIndexByte(s.Name, '.')+1:]
	case s.Is("object"):
		return "Object"
	case len(s.Type) == 0:
		return "any"
	}
	return strings.Join(s.Type, " or ")
}

func (s Schema) typeNameOr(fallback string) string {
	if name := s.TypeName(); name != "" {
		return name
	}
	return fallback
}

// ListKeys returns the keys of the items if s is a list of type map.
func (s Schema) ListKeys() []string {
	var keys []string
	if s.Schema == nil {
		return nil
	}
	values, _ := s.Extensions["x-kubernetes-list-map-keys"].([]any)
	for _, value := range values {
		if key, ok := value.(string); ok {
			keys = append(keys, key)
		}
	}
	return keys
}

// Documentation returns the description, or the title without a description.
func (s Schema) Documentation() string {
	if s.Schema == nil {
		return ""
	}
	if s.Description == "" {
		return s.Title
	}
	return s.Description
}
