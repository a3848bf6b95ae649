package manifest

import (
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateValidatingWebhooks(c *admissionregistrationv1.ValidatingWebhookConfiguration) field.ErrorList {
	var errs field.ErrorList
	for i, w := range c.Webhooks {
		path := field.NewPath("webhooks").Index(i)
		errs = append(errs, validateFailurePolicy(path, w.FailurePolicy)...)
		errs = append(errs, validateSelectors(path, w.NamespaceSelector, w.ObjectSelector, *w.MatchPolicy)...)
		errs = append(errs, validateWebhook(path, w.Name, w.SideEffects, w.AdmissionReviewVersions, w.ClientConfig, w.Rules, w.MatchConditions)...)
	}
	return errs
}

func validateMutatingWebhooks(c *admissionregistrationv1.MutatingWebhookConfiguration) field.ErrorList {
	var errs field.ErrorList
	for i, w := range c.Webhooks {
		path := field.NewPath("webhooks").Index(i)
		errs = append(errs, validateFailurePolicy(path, w.FailurePolicy)...)
		errs = append(errs, validateSelectors(path, w.NamespaceSelector, w.ObjectSelector, *w.MatchPolicy)...)
		errs = append(errs, oneOf(path.Child("reinvocationPolicy"), *w.ReinvocationPolicy, reinvocationPolicies)...)
		errs = append(errs, validateWebhook(path, w.Name, w.SideEffects, w.AdmissionReviewVersions, w.ClientConfig, w.Rules, w.MatchConditions)...)
	}
	return errs
}

func validateWebhook(path *field.Path, name string, effects *admissionregistrationv1.SideEffectClass, versions []string,
	config admissionregistrationv1.WebhookClientConfig, rules []admissionregistrationv1.RuleWithOperations, conditions []admissionregistrationv1.MatchCondition) field.ErrorList {
	errs := utilvalidation.IsFullyQualifiedName(path.Child("name"), name)
	if effects == nil {
		errs = append(errs, field.Required(path.Child("sideEffects"), "must specify one of None, NoneOnDryRun"))
	} else {
		errs = append(errs, oneOf(path.Child("sideEffects"), *effects, sideEffects)...)
	}
	if len(versions) == 0 {
		errs = append(errs, field.Required(path.Child("admissionReviewVersions"), "must specify one of v1, v1beta1"))
	} else if !slices.Contains(versions, "v1") && !slices.Contains(versions, "v1beta1") {
		errs = append(errs, field.Invalid(path.Child("admissionReviewVersions"), versions, "must include at least one of v1, v1beta1"))
	}
	if (config.URL == nil) == (config.Service == nil) {
		errs = append(errs, field.Required(path.Child("clientConfig"), "exactly one of url or service is required"))
	}
	for i, rule := range rules {
		errs = append(errs, validateRule(path.Child("rules").Index(i), rule)...)
	}
	c := newExpressionChecker(false)
	c.checkMatchConditions(path, conditions)
	return append(errs, c.errs...)
}
