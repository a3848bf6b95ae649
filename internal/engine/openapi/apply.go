package openapi

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

// ApplyTypes are the types of a version for a server-side apply, from the
// OpenAPI document that the API server publishes
// (buildOpenAPIModelsForApply in k8s.io/apiextensions-apiserver/pkg/apiserver).
func ApplyTypes(crd *apiextensionsv1.CustomResourceDefinition, version string) (managedfields.TypeConverter, error) {
	document, err := builder.BuildOpenAPIV3(crd, version, builder.Options{})
	if err != nil {
		return nil, fmt.Errorf("build OpenAPI: %w", err)
	}
	return managedfields.NewTypeConverter(document.Components.Schemas, crd.Spec.PreserveUnknownFields)
}
