package admission

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/playground"
)

// A recordingPolicyMatcher records the policies and bindings that match a request,
// and the current binding.
type recordingPolicyMatcher struct {
	generic.PolicyMatcher
	plugins *Plugins
	record  *record
	policy  *admissionPolicy
	binding *admissionBinding
}

func (m *recordingPolicyMatcher) DefinitionMatches(a admission.Attributes, o admission.ObjectInterfaces, definition generic.PolicyAccessor) (bool, schema.GroupVersionResource, schema.GroupVersionKind, error) {
	matches, resource, kind, err := m.PolicyMatcher.DefinitionMatches(a, o, definition)
	i := slices.IndexFunc(m.plugins.validating, func(p *admissionPolicy) bool { return p.name == definition.GetName() })
	m.policy = m.plugins.validating[i]
	switch {
	case err != nil:
		m.record.policy(m.policy).mismatch = &playground.AdmissionMismatch{Why: err.Error()}
	case !matches:
		m.record.policy(m.policy).mismatch = m.plugins.explainMismatch(a, o, m.policy.match)
	}
	return matches, resource, kind, err
}

func (m *recordingPolicyMatcher) BindingMatches(a admission.Attributes, o admission.ObjectInterfaces, binding generic.BindingAccessor) (bool, error) {
	matches, err := m.PolicyMatcher.BindingMatches(a, o, binding)
	i := slices.IndexFunc(m.policy.bindings, func(b *admissionBinding) bool { return b.name == binding.GetName() })
	m.binding = m.policy.bindings[i]
	switch {
	case err != nil:
		m.record.binding(m.binding).mismatch = &playground.AdmissionMismatch{Why: err.Error()}
	case !matches:
		m.record.binding(m.binding).mismatch = m.plugins.explainMismatch(a, o, m.binding.match)
	default:
		if _, err := m.binding.params(a.GetNamespace()); err != nil {
			m.record.fail(m.binding.at, nil)
		}
	}
	return matches, err
}

type policyMatcherKey struct{}

// A recordingValidator records the decisions of a validating policy.
type recordingValidator struct{ validating.Validator }

func (v recordingValidator) Validate(ctx context.Context, resource schema.GroupVersionResource, attributes *admission.VersionedAttributes, param runtime.Object, namespace *corev1.Namespace, budget int64, authz authorizer.UnconditionalAuthorizer) validating.ValidateResult {
	record := recordOf(ctx)
	matcher := ctx.Value(policyMatcherKey{}).(*recordingPolicyMatcher)
	invocation := record.begin(matcher.binding, param)
	result := v.Validator.Validate(ctx, resource, attributes, param, namespace, budget, authz)
	record.addDecisions(matcher.binding, invocation, result)
	return result
}

// addDecisions records the plugin's decisions on the values of the expressions.
func (r *record) addDecisions(b *admissionBinding, invocation *playground.AdmissionInvocation, result validating.ValidateResult) {
	validations := expressionsOf(invocation, playground.ExpressionValidation)
	if len(result.Decisions) == 0 && len(result.AuditAnnotations) == 0 {
		skipUnmatched(invocation)
	}
	for i, decision := range result.Decisions {
		denial := Denial{At: b.policy.at, Message: decision.Message, Reason: decision.Reason, IsMistake: decision.Evaluation == validating.EvalError}
		if len(validations) == len(result.Decisions) {
			denial.At = validations[i].Range
			setDecision(validations[i], decision)
		}
		switch decision.Evaluation {
		case validating.EvalError:
			setFailure(invocation, playground.OutcomeError, decision.Message)
		case validating.EvalDeny:
			setFailure(invocation, playground.OutcomeFail, decision.Message)
		}
		if decision.Action == validating.ActionDeny && slices.Contains(b.actions, admissionregistrationv1.Deny) {
			r.explainDecision(&denial, i, len(validations) == 0)
			r.deny(b, denial)
		}
	}
	skipMessages(invocation, validations)
	for _, annotation := range result.AuditAnnotations {
		if annotation.Action == validating.AuditAnnotationActionError {
			setFailure(invocation, playground.OutcomeError, annotation.Error)
			r.deny(b, Denial{Message: annotation.Error, At: b.policy.at, IsMistake: true, Fault: r.faultOf(playground.ExpressionAuditAnnotation, annotation.Key)})
		}
	}
}

// explainDecision adds the causes of errors to the denial of validation i, or of the match
// conditions.
func (r *record) explainDecision(d *Denial, i int, isMatch bool) {
	name := strconv.Itoa(i)
	switch {
	case isMatch:
		if d.Fault = r.matchFault(); d.Fault != nil {
			d.At = d.Fault.Expression.Value()
		}
	case d.IsMistake:
		d.Fault = r.faultOf(playground.ExpressionValidation, name)
	default:
		if message := r.faultOf(playground.ExpressionMessage, name); message != nil {
			d.IgnoredMessage = &playground.Related{Document: playground.DocumentAdmission, Range: message.Range, Message: "The API server ignored messageExpression: " + message.Error + ". " + message.Explanation + celrule.MessageAdvice(message.Error), Fails: true}
		}
	}
}

// skipMessages marks the messages of successful validations as skipped: the plugin
// evaluates them, but shows them to no user.
func skipMessages(invocation *playground.AdmissionInvocation, validations []*playground.AdmissionExpression) {
	for _, message := range expressionsOf(invocation, playground.ExpressionMessage) {
		for _, v := range validations {
			if v.Name == message.Name && v.Outcome != playground.OutcomeFail {
				message.Outcome = playground.OutcomeSkipped
			}
		}
	}
}

func setDecision(e *playground.AdmissionExpression, decision validating.PolicyDecision) {
	switch decision.Evaluation {
	case validating.EvalDeny:
		e.Outcome, e.Message = playground.OutcomeFail, decision.Message
	case validating.EvalError:
		e.Outcome, e.Message = playground.OutcomeError, decision.Message
	}
}

func expressionsOf(invocation *playground.AdmissionInvocation, kind string) []*playground.AdmissionExpression {
	var found []*playground.AdmissionExpression
	for i := range invocation.Expressions {
		if invocation.Expressions[i].Kind == kind {
			found = append(found, &invocation.Expressions[i])
		}
	}
	return found
}

// skipUnmatched marks an invocation as skipped if a match condition is not true.
func skipUnmatched(invocation *playground.AdmissionInvocation) {
	for _, e := range expressionsOf(invocation, playground.ExpressionMatchCondition) {
		if e.Outcome != playground.OutcomePass {
			invocation.Outcome = playground.OutcomeSkipped
			invocation.Why = fmt.Sprintf("the match condition %q is false", e.Name)
			if e.Outcome == playground.OutcomeError {
				invocation.Why = fmt.Sprintf("the match condition %q cannot be evaluated: %s", e.Name, e.Message)
			}
		}
	}
}

// setFailure sets the outcome unless the invocation already has a failure.
func setFailure(invocation *playground.AdmissionInvocation, outcome playground.Outcome, why string) {
	if invocation.Outcome == playground.OutcomePass {
		invocation.Outcome, invocation.Why = outcome, why
	}
}

// deny adds a denial of a policy, in the words of its dispatcher.
func (r *record) deny(b *admissionBinding, d Denial) {
	d.Reason = cmp.Or(d.Reason, metav1.StatusReasonInvalid)
	d.Message = fmt.Sprintf("%s '%s' with binding '%s' denied request: %s", b.policy.kind, b.policy.name, b.name, d.Message)
	r.denials = append(r.denials, d)
}
