package openapi

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// ApplyTypes returns the types with which a server-side apply merges the objects of a
// CRD. The converter has the types of all versions, because one object may have managers
// that applied different versions. It follows getOrCreateServingInfoFor of
// k8s.io/apiextensions-apiserver/pkg/apiserver: without models, it deduces the types.
func ApplyTypes(crd *apiextensionsv1.CustomResourceDefinition) (managedfields.TypeConverter, error) {
	models, err := applyModels(crd)
	if err != nil || len(models) == 0 {
		return managedfields.NewDeducedTypeConverter(), nil
	}
	types, err := managedfields.NewTypeConverter(models, crd.Spec.PreserveUnknownFields)
	if err != nil {
		return nil, fmt.Errorf("convert the OpenAPI document: %w", err)
	}
	return repeatableConverter{types}, nil
}

// CRDTypes returns the types with which a server-side apply merges CRDs.
func CRDTypes() (managedfields.TypeConverter, error) {
	kind := apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	models := map[string]*spec.Schema{}
	for name, definition := range Definitions(func(name string) spec.Ref { return spec.MustCreateRef("#/components/schemas/" + name) }) {
		schema := definition.Schema
		if name == (apiextensionsv1.CustomResourceDefinition{}).OpenAPIModelName() {
			schema.AddExtension("x-kubernetes-group-version-kind", []any{
				map[string]any{"group": kind.Group, "version": kind.Version, "kind": kind.Kind},
			})
		}
		models[name] = &schema
	}
	types, err := managedfields.NewTypeConverter(models, false)
	if err != nil {
		return nil, fmt.Errorf("convert the definitions of CRDs: %w", err)
	}
	return repeatableConverter{types}, nil
}

// applyModels returns the OpenAPI models of all versions, like
// buildOpenAPIModelsForApply.
func applyModels(crd *apiextensionsv1.CustomResourceDefinition) (map[string]*spec.Schema, error) {
	var documents []*spec3.OpenAPI
	for _, v := range crd.Spec.Versions {
		document, err := builder.BuildOpenAPIV3(crd, v.Name, builder.Options{})
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
	merged, err := builder.MergeSpecsV3(documents...)
	if err != nil {
		return nil, err
	}
	return merged.Components.Schemas, nil
}
