package crd

import (
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
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

// visitInOrder calls visit for each node of a schema. It follows validation.SchemaHas,
// which visits properties in a random order: here, it is the order of their names. It
// omits the keywords that no CRD may have, such as patternProperties.
func visitInOrder(s *apiextensions.JSONSchemaProps, visit func(*apiextensions.JSONSchemaProps)) {
	if s == nil {
		return
	}
	visit(s)
	if s.Items != nil {
		visitInOrder(s.Items.Schema, visit)
		for i := range s.Items.JSONSchemas {
			visitInOrder(&s.Items.JSONSchemas[i], visit)
		}
	}
	for _, junctor := range [][]apiextensions.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range junctor {
			visitInOrder(&junctor[i], visit)
		}
	}
	visitInOrder(s.Not, visit)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		visitInOrder(&property, visit)
	}
	if s.AdditionalProperties != nil {
		visitInOrder(s.AdditionalProperties.Schema, visit)
	}
}
