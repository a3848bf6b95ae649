package admission

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
)

// The API server's validation of admissionregistration.k8s.io is not in a
// library. What is checked here is what the plugins take for granted: that the
// required fields are there, that enumerations have known values, and, with
// the plugins' own compiler, that expressions compile.

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

func validateValidatingPolicy(p *admissionregistrationv1.ValidatingAdmissionPolicy) field.ErrorList {
	errs := validateFailurePolicy(specPath, p.Spec.FailurePolicy)
	errs = append(errs, validateParamKind(p.Spec.ParamKind)...)
	errs = append(errs, validateMatchConstraints(p.Spec.MatchConstraints)...)
	if len(p.Spec.Validations) == 0 && len(p.Spec.AuditAnnotations) == 0 {
		errs = append(errs, field.Required(specPath.Child("validations"), "validations or auditAnnotations must contain at least one item"))
	}
	c := newExpressionChecker(p.Spec.ParamKind != nil)
	c.checkMatchConditions(specPath, p.Spec.MatchConditions)
	c.checkVariables(p.Spec.Variables)
	for i, v := range p.Spec.Validations {
		path := specPath.Child("validations").Index(i)
		c.check(path.Child("expression"), &validating.ValidationCondition{Expression: v.Expression})
		if v.MessageExpression != "" {
			c.checkWith(c.withoutAuthorizer(), path.Child("messageExpression"), &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression})
		}
		errs = append(errs, validateMessage(path, v)...)
	}
	for i, a := range p.Spec.AuditAnnotations {
		path := specPath.Child("auditAnnotations").Index(i)
		if a.Key == "" {
			errs = append(errs, field.Required(path.Child("key"), ""))
		}
		c.check(path.Child("valueExpression"), &validating.AuditAnnotationCondition{Key: a.Key, ValueExpression: a.ValueExpression})
	}
	return append(errs, c.errs...)
}

func validateMessage(path *field.Path, v admissionregistrationv1.Validation) field.ErrorList {
	var errs field.ErrorList
	if strings.ContainsAny(strings.TrimSpace(v.Message), "\n\r") {
		errs = append(errs, field.Invalid(path.Child("message"), v.Message, "message must not contain line breaks"))
	}
	if v.Reason == nil {
		return errs
	}
	return append(errs, oneOf(path.Child("reason"), *v.Reason, validationReasons)...)
}

func validateMutatingPolicy(p *admissionregistrationv1.MutatingAdmissionPolicy) field.ErrorList {
	errs := validateFailurePolicy(specPath, p.Spec.FailurePolicy)
	errs = append(errs, validateParamKind(p.Spec.ParamKind)...)
	errs = append(errs, validateMatchConstraints(p.Spec.MatchConstraints)...)
	errs = append(errs, oneOf(specPath.Child("reinvocationPolicy"), p.Spec.ReinvocationPolicy, reinvocationPolicies)...)
	if len(p.Spec.Mutations) == 0 {
		errs = append(errs, field.Required(specPath.Child("mutations"), "mutations must contain at least one item"))
	}
	c := newExpressionChecker(p.Spec.ParamKind != nil)
	c.checkMatchConditions(specPath, p.Spec.MatchConditions)
	c.checkVariables(p.Spec.Variables)
	for i, m := range p.Spec.Mutations {
		errs = append(errs, c.checkMutation(specPath.Child("mutations").Index(i), m)...)
	}
	return append(errs, c.errs...)
}

func (c *expressionChecker) checkMutation(path *field.Path, m admissionregistrationv1.Mutation) field.ErrorList {
	errs := oneOf(path.Child("patchType"), m.PatchType, patchTypes)
	options := c.options
	options.HasPatchTypes = true
	switch {
	case m.PatchType == admissionregistrationv1.PatchTypeJSONPatch && m.JSONPatch == nil:
		errs = append(errs, field.Required(path.Child("jsonPatch"), "must be specified when patchType is JSONPatch"))
	case m.PatchType == admissionregistrationv1.PatchTypeJSONPatch:
		c.checkWith(options, path.Child("jsonPatch", "expression"), &patch.JSONPatchCondition{Expression: m.JSONPatch.Expression})
	case m.PatchType == admissionregistrationv1.PatchTypeApplyConfiguration && m.ApplyConfiguration == nil:
		errs = append(errs, field.Required(path.Child("applyConfiguration"), "must be specified when patchType is ApplyConfiguration"))
	case m.PatchType == admissionregistrationv1.PatchTypeApplyConfiguration:
		c.checkWith(options, path.Child("applyConfiguration", "expression"), &patch.ApplyConfigurationCondition{Expression: m.ApplyConfiguration.Expression})
	}
	return errs
}

func validateParamKind(kind *admissionregistrationv1.ParamKind) field.ErrorList {
	var errs field.ErrorList
	if kind != nil && kind.APIVersion == "" {
		errs = append(errs, field.Required(specPath.Child("paramKind", "apiVersion"), ""))
	}
	if kind != nil && kind.Kind == "" {
		errs = append(errs, field.Required(specPath.Child("paramKind", "kind"), ""))
	}
	return errs
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

func validateValidatingBinding(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) field.ErrorList {
	errs := validateBinding(b.Spec.PolicyName, b.Spec.ParamRef, b.Spec.MatchResources)
	path := specPath.Child("validationActions")
	if len(b.Spec.ValidationActions) == 0 {
		errs = append(errs, field.Required(path, "at least one validation action is required"))
	}
	for i, action := range b.Spec.ValidationActions {
		errs = append(errs, oneOf(path.Index(i), action, validationActions)...)
	}
	if slices.Contains(b.Spec.ValidationActions, admissionregistrationv1.Deny) && slices.Contains(b.Spec.ValidationActions, admissionregistrationv1.Warn) {
		errs = append(errs, field.Invalid(path, b.Spec.ValidationActions, "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)"))
	}
	return errs
}

func validateMutatingBinding(b *admissionregistrationv1.MutatingAdmissionPolicyBinding) field.ErrorList {
	return validateBinding(b.Spec.PolicyName, b.Spec.ParamRef, b.Spec.MatchResources)
}

func validateBinding(policy string, ref *admissionregistrationv1.ParamRef, match *admissionregistrationv1.MatchResources) field.ErrorList {
	errs := validateMatchResources(specPath.Child("matchResources"), match)
	if policy == "" {
		errs = append(errs, field.Required(specPath.Child("policyName"), ""))
	}
	if ref == nil {
		return errs
	}
	path := specPath.Child("paramRef")
	switch {
	case ref.Name != "" && ref.Selector != nil:
		errs = append(errs, field.Forbidden(path.Child("name"), "name and selector are mutually exclusive"))
	case ref.Name == "" && ref.Selector == nil:
		errs = append(errs, field.Required(path, "one of name or selector must be specified"))
	}
	action := admissionregistrationv1.ParameterNotFoundActionType("")
	if ref.ParameterNotFoundAction != nil {
		action = *ref.ParameterNotFoundAction
	}
	return append(errs, oneOf(path.Child("parameterNotFoundAction"), action, parameterNotFoundActions)...)
}

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
