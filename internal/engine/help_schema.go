package engine

import (
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// kindSchema is the schema of all that a document may hold.
type kindSchema struct {
	root typedSchema
	// version is that of the CRD whose objects these are; empty otherwise.
	version string
}

// typedSchema is a schema and, if it is that of a Go type, the type's name.
type typedSchema struct {
	*spec.Schema
	name  string
	types *kubernetesTypes
}

// kubernetesTypes are the types that the API server publishes beside CRDs, with
// upstream's descriptions, by name; none if the engine lacks them.
type kubernetesTypes struct {
	definitions map[string]common.OpenAPIDefinition
}

// kubernetesTypes builds the types when they are first asked for.
func (e *Engine) kubernetesTypes() *kubernetesTypes {
	e.types.Do(func() {
		e.types.built = &kubernetesTypes{}
		if e.parts.Definitions != nil {
			e.types.built.definitions = e.parts.Definitions(func(name string) spec.Ref { return spec.MustCreateRef(definitionPrefix + name) })
		}
	})
	return e.types.built
}

const definitionPrefix = "#/definitions/"

var (
	crdDefinition        = apiextensionsv1.CustomResourceDefinition{}.OpenAPIModelName()
	crdV1beta1Definition = apiextensionsv1beta1.CustomResourceDefinition{}.OpenAPIModelName()
	metaDefinition       = metav1.ObjectMeta{}.OpenAPIModelName()
)

// definition is the schema of a type of Kubernetes, whose properties may be
// replaced.
func (t *kubernetesTypes) definition(name string) typedSchema {
	schema := t.definitions[name].Schema
	properties := map[string]spec.Schema{}
	for name, property := range schema.Properties {
		if isGoZero(property.Default) {
			property.Default = nil // published for every field, and no default that the API server sets
		}
		properties[name] = property
	}
	schema.Properties = properties
	return typedSchema{&schema, name, t}
}

func isGoZero(value any) bool {
	fields, isObject := value.(map[string]any)
	return isObject && len(fields) == 0 || value == "" || value == false || value == 0 || value == int32(0) || value == int64(0)
}

// crdKind is the type of a document among the CRDs: nil if it is another kind.
func (t *kubernetesTypes) crdKind(root *tolerant.Node) *kindSchema {
	kind := root.Scalar("kind")
	if kind != "" && kind != "CustomResourceDefinition" || t.definitions == nil {
		return nil
	}
	name := crdDefinition
	if strings.HasSuffix(root.Scalar("apiVersion"), "/v1beta1") {
		name = crdV1beta1Definition
	}
	schema := t.definition(name)
	schema.Properties["apiVersion"] = constant(schema.Properties["apiVersion"], apiextensionsv1.SchemeGroupVersion.String())
	schema.Properties["kind"] = constant(schema.Properties["kind"], "CustomResourceDefinition")
	schema.Required = append([]string{"apiVersion", "kind", "metadata"}, schema.Required...)
	return &kindSchema{root: schema}
}

// constant is a schema that only has these values.
func constant(schema spec.Schema, values ...string) spec.Schema {
	schema.Enum = nil
	for _, value := range values {
		schema.Enum = append(schema.Enum, value)
	}
	return schema
}

// kindOf is the type of an object: that of its apiVersion, or else of the
// version that is stored. It is nil if the CRD has none.
func (c *crd) kindOf(types *kubernetesTypes, object *tolerant.Node) *kindSchema {
	if c.internal == nil {
		return nil
	}
	_, version, _ := strings.Cut(object.Scalar("apiVersion"), "/")
	return c.kindAt(types, version)
}

// kindAt is the type of objects of a version, or, if there is none of that
// name, of the version that is stored.
func (c *crd) kindAt(types *kubernetesTypes, version string) *kindSchema {
	c.kinds.Do(func() { c.kinds.byVersion = c.objectKinds(types) })
	kinds := c.kinds.byVersion
	if kind, ok := kinds[version]; ok {
		return kind
	}
	for _, v := range c.internal.Spec.Versions {
		if v.Storage {
			return kinds[v.Name]
		}
	}
	return nil
}

// objectKinds are the types of a CRD's objects by version.
func (c *crd) objectKinds(types *kubernetesTypes) map[string]*kindSchema {
	kinds := map[string]*kindSchema{}
	if c.internal == nil {
		return kinds
	}
	for _, v := range c.internal.Spec.Versions {
		schema := &spec.Schema{}
		if of, err := apiextensions.GetSchemaForVersion(c.internal, v.Name); err == nil && of != nil {
			if validation.ConvertJSONSchemaProps(of.OpenAPIV3Schema, schema) != nil {
				schema = &spec.Schema{}
			}
		}
		root := typedSchema{Schema: types.withTypeMeta(schema), types: types}
		root.Properties["apiVersion"] = constant(root.Properties["apiVersion"], c.apiVersions(v.Name)...)
		root.Properties["kind"] = constant(root.Properties["kind"], c.internal.Spec.Names.Kind)
		root.Required = append([]string{"apiVersion", "kind", "metadata"}, root.Required...)
		kinds[v.Name] = &kindSchema{root: root, version: v.Name}
	}
	return kinds
}

// apiVersions are those of the versions that are served, the given one first.
func (c *crd) apiVersions(first string) []string {
	versions := []string{c.internal.Spec.Group + "/" + first}
	for _, v := range c.internal.Spec.Versions {
		if v.Served && v.Name != first {
			versions = append(versions, c.internal.Spec.Group+"/"+v.Name)
		}
	}
	return versions
}

// withTypeMeta is the schema with what every resource has. What the schema says
// of a field of the metadata is added to what Kubernetes says of it.
func (t *kubernetesTypes) withTypeMeta(schema *spec.Schema) *spec.Schema {
	out := *schema
	out.Properties = map[string]spec.Schema{}
	for name, property := range schema.Properties {
		out.Properties[name] = property
	}
	published := t.definition(crdDefinition)
	for _, name := range []string{"apiVersion", "kind"} {
		property := published.Properties[name]
		property.Type = spec.StringOrArray{"string"}
		out.Properties[name] = property
	}
	out.Properties["metadata"] = t.metadataSchema(schema.Properties["metadata"])
	return &out
}

func (t *kubernetesTypes) metadataSchema(own spec.Schema) spec.Schema {
	meta := *t.definition(metaDefinition).Schema
	meta.Type = spec.StringOrArray{"object"}
	for name, constrained := range own.Properties {
		if property, ok := meta.Properties[name]; ok {
			constrained.Description = property.Description
			constrained.Default = property.Default
			meta.Properties[name] = constrained
		}
	}
	meta.Description = metadataDescription
	meta.Required = own.Required
	return meta
}

const metadataDescription = "Standard object's metadata."

// resolved follows the references of a schema, and takes an embedded resource
// for one.
func (s typedSchema) resolved() typedSchema {
	if s.Schema == nil {
		return s
	}
	reference := s.Ref.String()
	if reference == "" && len(s.AllOf) == 1 && len(s.Properties) == 0 && s.Items == nil {
		reference = s.AllOf[0].Ref.String()
	}
	if name, ok := strings.CutPrefix(reference, definitionPrefix); ok {
		target := s.types.definition(strings.NewReplacer("OrArray", "", "OrBool", "", "OrStringArray", "").Replace(name))
		if s.Description != "" {
			target.Description = s.Description
		}
		return target
	}
	if isTrue(s.Schema, "x-kubernetes-embedded-resource") && s.Properties["metadata"].Description != metadataDescription {
		out := s.types.withTypeMeta(s.Schema)
		out.Required = append([]string{"apiVersion", "kind"}, without(out.Required, "apiVersion", "kind")...)
		return typedSchema{Schema: out, types: s.types}
	}
	return s
}

func without(names []string, left ...string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(left, name) })
}

func isTrue(schema *spec.Schema, extension string) bool {
	value, _ := schema.Extensions.GetBool(extension)
	return value
}

// child is the schema of a property, an item or a map's value; its Schema is
// nil if there is none.
func (s typedSchema) child(step any) typedSchema {
	if s.Schema == nil {
		return typedSchema{}
	}
	switch step := step.(type) {
	case int:
		if s.Items != nil && s.Items.Schema != nil {
			return typedSchema{Schema: s.Items.Schema, types: s.types}.resolved()
		}
	case string:
		if property, ok := s.Properties[step]; ok {
			return typedSchema{Schema: &property, types: s.types}.resolved()
		}
		if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
			return typedSchema{Schema: s.AdditionalProperties.Schema, types: s.types}.resolved()
		}
	}
	return typedSchema{}
}

// at follows a path; its Schema is nil if the path leads out of the schema.
func (s typedSchema) at(path []any) typedSchema {
	s = s.resolved()
	for _, step := range path {
		s = s.child(step)
	}
	return s
}

// is says whether values of a type are allowed.
func (s typedSchema) is(name string) bool {
	if s.Schema == nil {
		return false
	}
	if len(s.Type) == 0 {
		return name == "object" && (len(s.Properties) > 0 || s.AdditionalProperties != nil) || name == "array" && s.Items != nil
	}
	return s.Type.Contains(name)
}

// typeName is the type as `kubectl explain` writes it: []Object,
// map[string]integer.
func (s typedSchema) typeName() string {
	switch {
	case s.Schema == nil:
		return ""
	case isTrue(s.Schema, "x-kubernetes-int-or-string"):
		return "integer or string"
	case s.is("array"):
		return "[]" + s.child(0).typeNameOr("any")
	case s.is("object") && len(s.Properties) == 0 && s.AdditionalProperties != nil:
		return "map[string]" + s.child("").typeNameOr("any")
	case s.is("object") && s.name != "":
		return s.name[strings.LastIndexByte(s.name, '.')+1:]
	case s.is("object"):
		return "Object"
	case len(s.Type) == 0:
		return "any"
	}
	return strings.Join(s.Type, " or ")
}

func (s typedSchema) typeNameOr(fallback string) string {
	if name := s.typeName(); name != "" {
		return name
	}
	return fallback
}

// listKeys are the keys of a list's items, if it is a map.
func (s typedSchema) listKeys() []string {
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
