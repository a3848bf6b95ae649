package openapi

import (
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/kube-openapi/pkg/common"
)

// Definitions are the types that the API server's documents are built from,
// with their descriptions.
func Definitions(reference common.ReferenceCallback) map[string]common.OpenAPIDefinition {
	return generatedopenapi.GetOpenAPIDefinitions(reference)
}
