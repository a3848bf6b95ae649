package manifest

import (
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The API server's validation of admissionregistration.k8s.io is not in a
// library. This package checks the assumptions of the admission plugins: required
// fields, the values of enumerations, and, with the plugins' own compiler, that
// expressions compile.

var specPath = field.NewPath("spec")

func validateName(object metav1.Object) field.ErrorList {
	path := field.NewPath("metadata", "name")
	if object.GetName() == "" {
		return field.ErrorList{field.Required(path, "name or generateName is required")}
	}
	var errs field.ErrorList
	for _, message := range validation.NameIsDNSSubdomain(object.GetName(), false) {
		errs = append(errs, field.Invalid(path, object.GetName(), message))
	}
	return errs
}

func oneOf[T ~string](path *field.Path, value T, supported []T) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	if slices.Contains(supported, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, value, supported)}
}

func validateFailurePolicy(path *field.Path, policy *admissionregistrationv1.FailurePolicyType) field.ErrorList {
	return oneOf(path.Child("failurePolicy"), *policy, failurePolicies)
}

func validateMatchConstraints(m *admissionregistrationv1.MatchResources) field.ErrorList {
	path := specPath.Child("matchConstraints")
	if m == nil {
		return field.ErrorList{field.Required(path, "")}
	}
	errs := validateMatchResources(path, m)
	if len(m.ResourceRules) == 0 {
		errs = append(errs, field.Required(path.Child("resourceRules"), ""))
	}
	return errs
}

func validateMatchResources(path *field.Path, m *admissionregistrationv1.MatchResources) field.ErrorList {
	if m == nil {
		return nil
	}
	errs := validateSelectors(path, m.NamespaceSelector, m.ObjectSelector, *m.MatchPolicy)
	for i, rule := range m.ResourceRules {
		errs = append(errs, validateRule(path.Child("resourceRules").Index(i), rule.RuleWithOperations)...)
	}
	for i, rule := range m.ExcludeResourceRules {
		errs = append(errs, validateRule(path.Child("excludeResourceRules").Index(i), rule.RuleWithOperations)...)
	}
	return errs
}

func validateSelectors(path *field.Path, namespace, object *metav1.LabelSelector, policy admissionregistrationv1.MatchPolicyType) field.ErrorList {
	options := metav1validation.LabelSelectorValidationOptions{}
	errs := oneOf(path.Child("matchPolicy"), policy, matchPolicies)
	errs = append(errs, metav1validation.ValidateLabelSelector(namespace, options, path.Child("namespaceSelector"))...)
	return append(errs, metav1validation.ValidateLabelSelector(object, options, path.Child("objectSelector"))...)
}

func validateRule(path *field.Path, rule admissionregistrationv1.RuleWithOperations) field.ErrorList {
	var errs field.ErrorList
	for name, length := range map[string]int{
		"operations": len(rule.Operations), "apiGroups": len(rule.APIGroups), "apiVersions": len(rule.APIVersions), "resources": len(rule.Resources),
	} {
		if length == 0 {
			errs = append(errs, field.Required(path.Child(name), ""))
		}
	}
	for i, operation := range rule.Operations {
		errs = append(errs, oneOf(path.Child("operations").Index(i), operation, operations)...)
	}
	return append(errs, oneOf(path.Child("scope"), *rule.Scope, scopes)...)
}
