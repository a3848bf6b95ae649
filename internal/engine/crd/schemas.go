package crd

import (
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
