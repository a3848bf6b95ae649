package crd

import (
	"cmp"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/util/webhook"

	"github.com/crdlab/crdlab/internal/playground"
)

// buildConditions returns the conditions that the controllers set in a cluster without
// other CRDs, and sets the accepted names of crd. violations are those of the rules for structural schemas.
func buildConditions(crd *apiextensionsv1.CustomResourceDefinition, violations field.ErrorList) []playground.Condition {
	all := []playground.Condition{
		establishedCondition(crd),
		acceptNames(crd),
	}
	if apihelpers.IsProtectedCommunityGroup(crd.Spec.Group) {
		all = append(all, apiApprovalCondition(crd.Annotations))
	}
	if len(violations) > 0 {
		all = append(all, playground.Condition{
			Type:    string(apiextensionsv1.NonStructuralSchema),
			Status:  string(apiextensionsv1.ConditionTrue),
			Reason:  "Violations",
			Message: violations.ToAggregate().Error(),
		})
	}
	slices.SortFunc(all, func(a, b playground.Condition) int { return cmp.Compare(a.Type, b.Type) })
	return all
}

// establishedCondition follows
// k8s.io/apiextensions-apiserver/pkg/controller/establish.
func establishedCondition(crd *apiextensionsv1.CustomResourceDefinition) playground.Condition {
	condition := playground.Condition{
		Type:    string(apiextensionsv1.Established),
		Status:  string(apiextensionsv1.ConditionTrue),
		Reason:  "InitialNamesAccepted",
		Message: "the initial names have been accepted",
	}
	conversion := crd.Spec.Conversion
	if conversion == nil || conversion.Webhook == nil || conversion.Webhook.ClientConfig == nil {
		return condition
	}
	if len(webhook.ValidateCABundle(field.NewPath(""), conversion.Webhook.ClientConfig.CABundle)) > 0 {
		condition.Status = string(apiextensionsv1.ConditionFalse)
		condition.Reason = "InvalidCABundle"
		condition.Message = "The conversion webhook CABundle is invalid"
	}
	return condition
}

// apiApprovalCondition follows
// k8s.io/apiextensions-apiserver/pkg/controller/apiapproval.
func apiApprovalCondition(annotations map[string]string) playground.Condition {
	state, reason := apihelpers.GetAPIApprovalState(annotations)
	condition := playground.Condition{
		Type:    string(apiextensionsv1.KubernetesAPIApprovalPolicyConformant),
		Status:  string(apiextensionsv1.ConditionFalse),
		Message: reason,
	}
	switch state {
	case apihelpers.APIApproved:
		condition.Status = string(apiextensionsv1.ConditionTrue)
		condition.Reason = "ApprovedAnnotation"
	case apihelpers.APIApprovalBypassed:
		condition.Reason = "UnapprovedAnnotation"
	case apihelpers.APIApprovalMissing:
		condition.Reason = "MissingAnnotation"
	case apihelpers.APIApprovalInvalid:
		condition.Reason = "InvalidAnnotation"
	}
	return condition
}

// findNonStructural returns the violations of the rules for structural schemas. An
// updated CRD may keep earlier violations. It follows
// k8s.io/apiextensions-apiserver/pkg/controller/nonstructuralschema. compiled may be nil.
func findNonStructural(internal *apiextensions.CustomResourceDefinition, crd *apiextensionsv1.CustomResourceDefinition, compiled map[string]*Version) field.ErrorList {
	var errs field.ErrorList
	if crd.Spec.PreserveUnknownFields {
		errs = append(errs, field.Invalid(field.NewPath("spec", "preserveUnknownFields"), true, "must be false"))
	}
	for i, v := range crd.Spec.Versions {
		structural := structuralSchema(internal, v.Name, compiled)
		if structural == nil {
			continue
		}
		path := field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema")
		errs = append(errs, structuralschema.ValidateStructural(path, structural)...)
	}
	return errs
}

// structuralSchema returns the structural schema of a version, from compiled if
// possible. It returns nil if the version has no schema or the schema cannot be
// converted.
func structuralSchema(internal *apiextensions.CustomResourceDefinition, name string, compiled map[string]*Version) *structuralschema.Structural {
	if v, ok := compiled[name]; ok && !v.PreserveUnknown {
		return v.Schema
	}
	validation, err := apiextensions.GetSchemaForVersion(internal, name)
	if err != nil || validation == nil || validation.OpenAPIV3Schema == nil {
		return nil
	}
	structural, err := structuralschema.NewStructural(validation.OpenAPIV3Schema)
	if err != nil {
		return nil
	}
	return structural
}
