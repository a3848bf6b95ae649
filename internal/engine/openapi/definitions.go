package openapi

import (
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/kube-openapi/pkg/common"
)

// Definitions returns the built-in types of the API server's OpenAPI documents,
// with their descriptions.
func Definitions(reference common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	return generatedopenapi.GetOpenAPIDefinitions(reference)
}
