package manifest

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"

	"github.com/crdlab/crdlab/internal/engine/celvalue"
)

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

// warnExpressionMessages warns about messages that their authors took for expressions.
func (m *Manifest) warnExpressionMessages(p Declared[*admissionregistrationv1.ValidatingAdmissionPolicy]) {
	for i, v := range p.Object.Spec.Validations {
		if location, ok := p.Doc.At("spec", "validations", i, "message"); ok && v.MessageExpression == "" && celvalue.BuildsText(v.Message) {
			m.warn(location.Value(), "the API server does not evaluate message, which looks like an expression")
		}
	}
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
