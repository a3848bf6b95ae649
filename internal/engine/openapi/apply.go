package openapi

import (
	"fmt"
	"reflect"
	"sync/atomic"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// lastTypes holds the types of the last CRD, because most keystrokes in a CRD change only
// what types do not depend on. BenchmarkCRDEdit measures the gain.
var lastTypes atomic.Pointer[knownTypes]

type knownTypes struct {
	// crd has no parts that types do not depend on.
	crd   *apiextensionsv1.CustomResourceDefinition
	types managedfields.TypeConverter
}

// ApplyTypes returns the types with which a server-side apply merges the objects of a
// CRD. The converter has the types of all versions, because one object may have managers
// that applied different versions.
func ApplyTypes(crd *apiextensionsv1.CustomResourceDefinition) (managedfields.TypeConverter, error) {
	typed := &apiextensionsv1.CustomResourceDefinition{Spec: *crd.Spec.DeepCopy()}
	for _, v := range typed.Spec.Versions {
		if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
			removeUntyped(v.Schema.OpenAPIV3Schema)
		}
	}
	if known := lastTypes.Load(); known != nil && reflect.DeepEqual(known.crd, typed) {
		return known.types, nil
	}
	types, err := buildTypes(typed)
	if err == nil {
		lastTypes.Store(&knownTypes{typed, types})
	}
	return types, err
}

// HaveSameTypes reports whether two schemas give objects the same types. It changes the schemas.
func HaveSameTypes(a, b *apiextensionsv1.JSONSchemaProps) bool {
	removeUntyped(a)
	removeUntyped(b)
	return reflect.DeepEqual(a, b)
}

// removeUntyped removes the parts of a schema on which neither types nor the validity of the
// schema depend: descriptions, limits of values, and rules.
func removeUntyped(s *apiextensionsv1.JSONSchemaProps) {
	s.Title, s.Description, s.Example, s.ExternalDocs = "", "", nil, nil
	s.Enum, s.Pattern, s.MinLength, s.MaxLength, s.MinItems, s.MaxItems = nil, "", nil, nil, nil, nil
	s.Minimum, s.Maximum, s.MinProperties, s.MaxProperties = nil, nil, nil, nil
	s.XValidations = nil
	for name, property := range s.Properties {
		removeUntyped(&property)
		s.Properties[name] = property
	}
	if s.Items != nil && s.Items.Schema != nil {
		removeUntyped(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		removeUntyped(s.AdditionalProperties.Schema)
	}
}

// buildTypes follows getOrCreateServingInfoFor of k8s.io/apiextensions-apiserver/pkg/apiserver:
// without models, it deduces the types.
func buildTypes(crd *apiextensionsv1.CustomResourceDefinition) (managedfields.TypeConverter, error) {
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
