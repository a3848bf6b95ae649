package engine

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// The cost limits of CEL rules in CEL cost units, for one rule and for all
// rules of a CRD.
const (
	ruleCostLimit = validation.StaticEstimatedCostLimit
	crdCostLimit  = validation.StaticEstimatedCRDCostLimit
)

// costContext tells how often a schema node may occur in one object.
type costContext = validation.CELSchemaContext

// newCostContext is the context of the root of a schema.
func newCostContext(root *apiextensions.JSONSchemaProps) *costContext {
	return validation.RootCELContext(root)
}

// validateCRD prepares and validates a CRD for creation, as
// rest.BeforeCreate does with the strategy of
// k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition, which
// does not build for WebAssembly.
func validateCRD(r *crdRequest) error {
	rest.WipeObjectMetaSystemFields(r.internal)
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace("", r.internal); err != nil {
		return err
	}
	prepareCRD(r.internal)
	errs := validation.ValidateCustomResourceDefinition(r.ctx, r.internal)
	if len(errs) == 0 {
		errs = genericvalidation.ValidateObjectMetaAccessor(r.internal, false, pathSegment, field.NewPath("metadata"))
	}
	if len(errs) > 0 {
		return apierrors.NewInvalid(apiextensions.Kind("CustomResourceDefinition"), r.internal.Name, sortErrors(errs))
	}
	r.report.Warnings = append(r.report.Warnings, crdWarnings(&r.internal.Spec)...)
	return nil
}

// prepareCRD sets what users cannot (strategy.PrepareForCreate).
func prepareCRD(crd *apiextensions.CustomResourceDefinition) {
	if crd.Name == "" && crd.GenerateName != "" {
		crd.Name = generateName(crd.GenerateName)
	}
	crd.Status = apiextensions.CustomResourceDefinitionStatus{}
	crd.Generation = 1
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			crd.Status.StoredVersions = []string{v.Name}
			break
		}
	}
}

// pathSegment tells why name cannot be part of a URL's path.
func pathSegment(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return content.IsPathSegmentName(name)
}

// crdWarnings are those of strategy.WarningsOnCreate, each once and in
// alphabetical order; the API server's order is random.
func crdWarnings(crd *apiextensions.CustomResourceDefinitionSpec) []string {
	warnings := sets.New[string]()
	visit := func(s *apiextensions.JSONSchemaProps) bool {
		warnings.Insert(unrecognizedFormats(s)...)
		warnings.Insert(nonScalarSet(s)...)
		return false
	}
	if crd.Validation != nil {
		validation.SchemaHas(crd.Validation.OpenAPIV3Schema, visit)
	}
	for _, v := range crd.Versions {
		if v.Schema != nil {
			validation.SchemaHas(v.Schema.OpenAPIV3Schema, visit)
		}
	}
	return sets.List(warnings)
}

func unrecognizedFormats(s *apiextensions.JSONSchemaProps) []string {
	if s.Format == "" {
		return nil
	}
	var warnings []string
	schema := &spec.Schema{SchemaProps: spec.SchemaProps{Format: s.Format, Type: []string{s.Type}}}
	for _, format := range apiservervalidation.GetUnrecognizedFormats(schema, environment.DefaultCompatibilityVersion()) {
		warnings = append(warnings, fmt.Sprintf("unrecognized format %q", format))
	}
	return warnings
}

func nonScalarSet(s *apiextensions.JSONSchemaProps) []string {
	if s.XListType == nil || *s.XListType != "set" || s.Items == nil || s.Items.Schema == nil {
		return nil
	}
	switch items := s.Items.Schema.Type; items {
	case "object", "array":
		return []string{fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", items)}
	}
	return nil
}
