package crd

import (
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/features"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	genericvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/engine/upstream"
)

// The cost limits of CEL rules in CEL cost units, for one rule and for all
// rules of a CRD.
const (
	RuleCostLimit = validation.StaticEstimatedCostLimit
	CostLimit     = validation.StaticEstimatedCRDCostLimit
)

// CostContext tells how often a schema node may occur in one object.
type CostContext = validation.CELSchemaContext

// NewCostContext is the context of the root of a schema.
func NewCostContext(root *apiextensions.JSONSchemaProps) *CostContext {
	return validation.RootCELContext(root)
}

// validate prepares and validates a CRD, as rest.BeforeCreate and
// BeforeUpdate do with the strategy of
// k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition, which
// does not build for WebAssembly.
func validate(r *Request) error {
	if r.Old == nil {
		rest.WipeObjectMetaSystemFields(r.Internal)
	}
	if err := rest.EnsureObjectNamespaceMatchesRequestNamespace("", r.Internal); err != nil {
		return err
	}
	check := r.checkCreate
	if r.Old != nil {
		if r.Internal.Name != r.Old.Name {
			return apierrors.NewNotFound(apiextensions.Resource("customresourcedefinitions"), r.Internal.Name)
		}
		check = r.checkUpdate
	}
	if errs := check(); len(errs) > 0 {
		return apierrors.NewInvalid(apiextensions.Kind("CustomResourceDefinition"), r.Internal.Name, upstream.SortErrors(errs))
	}
	r.Report.Warnings = append(r.Report.Warnings, r.warnings()...)
	return nil
}

func (r *Request) checkCreate() field.ErrorList {
	prepare(r.Internal)
	if errs := r.validateSpec(); len(errs) > 0 {
		return errs
	}
	return genericvalidation.ValidateObjectMetaAccessor(r.Internal, false, upstream.ValidatePathSegment, field.NewPath("metadata"))
}

func (r *Request) checkUpdate() field.ErrorList {
	prepareUpdate(r.Internal, r.Old)
	metadata := field.NewPath("metadata")
	errs := genericvalidation.ValidateObjectMetaAccessor(r.Internal, false, upstream.ValidatePathSegment, metadata)
	errs = append(errs, genericvalidation.ValidateObjectMetaAccessorUpdate(r.Internal, r.Old, metadata)...)
	return append(errs, r.validateSpec()...)
}

// validateSpec asks upstream what is wrong with the prepared CRD, unless it found
// nothing wrong when it was asked the same before.
func (r *Request) validateSpec() field.ErrorList {
	if r.Old != nil {
		return validation.ValidateCustomResourceDefinitionUpdate(r.ctx, r.validated(), r.Old)
	}
	if r.valid == nil || countRules(r.Internal) <= MaxImmediateRules {
		return validation.ValidateCustomResourceDefinition(r.ctx, r.validated())
	}
	asked := newValidCRD(r.Internal)
	if r.valid.has(asked) {
		return nil
	}
	errs := validation.ValidateCustomResourceDefinition(r.ctx, r.validated())
	if len(errs) == 0 && !r.Preliminary && r.ctx.Err() == nil {
		r.valid.add(asked)
	}
	return errs
}

// warnings are those of the CRD less those that it had before.
func (r *Request) warnings() []string {
	warnings := schemaWarnings(&r.Internal.Spec)
	if r.Old == nil {
		return warnings
	}
	before := schemaWarnings(&r.Old.Spec)
	return slices.DeleteFunc(warnings, func(w string) bool { return slices.Contains(before, w) })
}

// prepare sets what users cannot (strategy.PrepareForCreate).
func prepare(crd *apiextensions.CustomResourceDefinition) {
	if crd.Name == "" && crd.GenerateName != "" {
		crd.Name = upstream.GenerateName(crd.GenerateName)
	}
	crd.Status = apiextensions.CustomResourceDefinitionStatus{}
	crd.Generation = 1
	addStoredVersion(crd)
	dropDisabledFields(crd, nil)
}

// prepareUpdate takes what users cannot change from the old CRD
// (BeforeUpdate and strategy.PrepareForUpdate).
func prepareUpdate(crd, old *apiextensions.CustomResourceDefinition) {
	crd.Generation = old.Generation
	crd.Status = *old.Status.DeepCopy()
	if !apiequality.Semantic.DeepEqual(old.Spec, crd.Spec) {
		crd.Generation++
	}
	addStoredVersion(crd)
	dropDisabledFields(crd, old)
	crd.UID = old.UID
	crd.CreationTimestamp = old.CreationTimestamp
	if crd.ResourceVersion == "" {
		crd.ResourceVersion = old.ResourceVersion
	}
}

// addStoredVersion notes that objects may be persisted at the storage version.
func addStoredVersion(crd *apiextensions.CustomResourceDefinition) {
	for _, v := range crd.Spec.Versions {
		if !v.Storage {
			continue
		}
		if !apiextensions.IsStoredVersion(crd, v.Name) {
			crd.Status.StoredVersions = append(crd.Status.StoredVersions, v.Name)
		}
		return
	}
}

// dropDisabledFields drops the fields of features that the emulated release has
// not enabled, unless the old CRD has them (strategy.go likewise). Those of the
// status are not shown.
func dropDisabledFields(crd, old *apiextensions.CustomResourceDefinition) {
	if !release.HasRatcheting() && (old == nil || !validation.HasSchemaWith(&old.Spec, hasOptionalOldSelf)) {
		eachNode(crd, func(s *apiextensions.JSONSchemaProps) {
			for i := range s.XValidations {
				s.XValidations[i].OptionalOldSelf = nil
			}
		})
	}
	if !utilfeature.DefaultFeatureGate.Enabled(features.CustomResourceFieldSelectors) && (old == nil || !hasSelectableFields(&old.Spec)) {
		crd.Spec.SelectableFields = nil
		for i := range crd.Spec.Versions {
			crd.Spec.Versions[i].SelectableFields = nil
		}
	}
}

func hasOptionalOldSelf(root *apiextensions.JSONSchemaProps) bool {
	return validation.SchemaHas(root, func(s *apiextensions.JSONSchemaProps) bool {
		return slices.ContainsFunc(s.XValidations, func(rule apiextensions.ValidationRule) bool { return rule.OptionalOldSelf != nil })
	})
}

// eachNode lets visit change the nodes of a CRD's structural schemas.
func eachNode(crd *apiextensions.CustomResourceDefinition, visit func(*apiextensions.JSONSchemaProps)) {
	if crd.Spec.Validation != nil {
		eachNodeBelow(crd.Spec.Validation.OpenAPIV3Schema, visit)
	}
	for _, v := range crd.Spec.Versions {
		if v.Schema != nil {
			eachNodeBelow(v.Schema.OpenAPIV3Schema, visit)
		}
	}
}

func eachNodeBelow(s *apiextensions.JSONSchemaProps, visit func(*apiextensions.JSONSchemaProps)) {
	if s == nil {
		return
	}
	visit(s)
	if s.AdditionalProperties != nil {
		eachNodeBelow(s.AdditionalProperties.Schema, visit)
	}
	for name, property := range s.Properties {
		eachNodeBelow(&property, visit)
		s.Properties[name] = property
	}
	if s.Items != nil {
		eachNodeBelow(s.Items.Schema, visit)
	}
}

func countRules(crd *apiextensions.CustomResourceDefinition) (count int) {
	validation.HasSchemaWith(&crd.Spec, func(root *apiextensions.JSONSchemaProps) bool {
		return validation.SchemaHas(root, func(s *apiextensions.JSONSchemaProps) bool {
			count += len(s.XValidations)
			return false
		})
	})
	return count
}

func hasSelectableFields(spec *apiextensions.CustomResourceDefinitionSpec) bool {
	return spec.SelectableFields != nil || slices.ContainsFunc(spec.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool {
		return v.SelectableFields != nil
	})
}

// schemaWarnings are those of strategy.WarningsOnCreate, each once and in
// alphabetical order; the API server's order is random.
func schemaWarnings(crd *apiextensions.CustomResourceDefinitionSpec) []string {
	warnings := sets.New[string]()
	visit := func(s *apiextensions.JSONSchemaProps) bool {
		warnings.Insert(FormatWarnings(s)...)
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

func FormatWarnings(s *apiextensions.JSONSchemaProps) []string {
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
