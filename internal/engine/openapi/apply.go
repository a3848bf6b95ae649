package openapi

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

// ApplyTypes returns the types with which a server-side apply merges objects of a
// version. They follow from the published OpenAPI document, like
// buildOpenAPIModelsForApply in k8s.io/apiextensions-apiserver/pkg/apiserver.
func ApplyTypes(crd *apiextensionsv1.CustomResourceDefinition, version string) (managedfields.TypeConverter, error) {
	document, err := builder.BuildOpenAPIV3(crd, version, builder.Options{})
	if err != nil {
		return nil, fmt.Errorf("build OpenAPI: %w", err)
	}
	return managedfields.NewTypeConverter(document.Components.Schemas, crd.Spec.PreserveUnknownFields)
}
