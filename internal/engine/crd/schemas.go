package crd

import (
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// visitSchemas calls visit for each node of the structural schemas of crd. visit may
// change the node.
func visitSchemas(crd *apiextensions.CustomResourceDefinition, visit func(*apiextensions.JSONSchemaProps)) {
	if crd.Spec.Validation != nil {
		visitSchema(crd.Spec.Validation.OpenAPIV3Schema, visit)
	}
	for _, v := range crd.Spec.Versions {
		if v.Schema != nil {
			visitSchema(v.Schema.OpenAPIV3Schema, visit)
		}
	}
}

func visitSchema(s *apiextensions.JSONSchemaProps, visit func(*apiextensions.JSONSchemaProps)) {
	if s == nil {
		return
	}
	visit(s)
	if s.AdditionalProperties != nil {
		visitSchema(s.AdditionalProperties.Schema, visit)
	}
	for name, property := range s.Properties {
		visitSchema(&property, visit)
		s.Properties[name] = property
	}
	if s.Items != nil {
		visitSchema(s.Items.Schema, visit)
	}
}

// visitInOrder calls visit for each node of a schema, with its path in the spelling of the API
// server's errors. It follows validation.SchemaHas, which visits properties in a random order:
// here, it is the order of their names. It omits the keywords that no CRD may have, such as
// patternProperties.
func visitInOrder(s *apiextensions.JSONSchemaProps, path *field.Path, visit func(*apiextensions.JSONSchemaProps, *field.Path)) {
	if s == nil {
		return
	}
	visit(s, path)
	if s.Items != nil {
		visitInOrder(s.Items.Schema, path.Child("items"), visit)
		for i := range s.Items.JSONSchemas {
			visitInOrder(&s.Items.JSONSchemas[i], path.Child("items").Index(i), visit)
		}
	}
	for _, junctor := range []struct {
		name    string
		schemas []apiextensions.JSONSchemaProps
	}{{"allOf", s.AllOf}, {"anyOf", s.AnyOf}, {"oneOf", s.OneOf}} {
		for i := range junctor.schemas {
			visitInOrder(&junctor.schemas[i], path.Child(junctor.name).Index(i), visit)
		}
	}
	visitInOrder(s.Not, path.Child("not"), visit)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		visitInOrder(&property, path.Child("properties").Key(name), visit)
	}
	if s.AdditionalProperties != nil {
		visitInOrder(s.AdditionalProperties.Schema, path.Child("additionalProperties"), visit)
	}
}

// visitAllInOrder calls visit for each node of all schemas, as [visitInOrder].
func visitAllInOrder(spec *apiextensions.CustomResourceDefinitionSpec, visit func(*apiextensions.JSONSchemaProps, *field.Path)) {
	if spec.Validation != nil {
		visitInOrder(spec.Validation.OpenAPIV3Schema, field.NewPath("spec", "validation", "openAPIV3Schema"), visit)
	}
	for i, v := range spec.Versions {
		if v.Schema != nil {
			visitInOrder(v.Schema.OpenAPIV3Schema, field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema"), visit)
		}
	}
}
