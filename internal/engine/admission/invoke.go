package admission

import (
	"context"
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/client-go/informers"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

// collectParams finds the parameters of a binding as the dispatchers do, to
// tell why there are none.
func collectParams(kind *admissionregistrationv1.ParamKind, ref *admissionregistrationv1.ParamRef, informer informers.GenericInformer, scope meta.RESTScope) func(string) ([]runtime.Object, error) {
	return func(namespace string) ([]runtime.Object, error) {
		return generic.CollectParams(kind, informer, scope, ref, namespace, nil, nil)
	}
}

// recordedPolicyMatcher notes which policies and bindings match a request, and
// which binding is being looked at.
type recordedPolicyMatcher struct {
	generic.PolicyMatcher
	control *Control
	record  *Record
	policy  *admissionPolicy
	binding *admissionBinding
}

func (m *recordedPolicyMatcher) DefinitionMatches(a admission.Attributes, o admission.ObjectInterfaces, definition generic.PolicyAccessor) (bool, schema.GroupVersionResource, schema.GroupVersionKind, error) {
	matches, resource, kind, err := m.PolicyMatcher.DefinitionMatches(a, o, definition)
	i := slices.IndexFunc(m.control.validating, func(p *admissionPolicy) bool { return p.name == definition.GetName() })
	m.policy = m.control.validating[i]
	switch {
	case err != nil:
		m.record.policy(m.policy).why = err.Error()
	case !matches:
		m.record.policy(m.policy).why = m.control.explainMismatch(a, o, m.policy.match)
	}
	return matches, resource, kind, err
}

func (m *recordedPolicyMatcher) BindingMatches(a admission.Attributes, o admission.ObjectInterfaces, binding generic.BindingAccessor) (bool, error) {
	matches, err := m.PolicyMatcher.BindingMatches(a, o, binding)
	i := slices.IndexFunc(m.policy.bindings, func(b *admissionBinding) bool { return b.name == binding.GetName() })
	m.binding = m.policy.bindings[i]
	switch {
	case err != nil:
		m.record.binding(m.binding).why = err.Error()
	case !matches:
		m.record.binding(m.binding).why = m.control.explainMismatch(a, o, m.binding.match)
	default:
		if _, err := m.binding.params(a.GetNamespace()); err != nil {
			m.record.failedAt = &m.binding.at
		}
	}
	return matches, err
}

type policyMatcherKey struct{}

// recordedValidator notes the decisions of a validating policy.
type recordedValidator struct {
	validating.Validator
	policy *admissionPolicy
}

func (v recordedValidator) Validate(ctx context.Context, resource schema.GroupVersionResource, attributes *admission.VersionedAttributes, param runtime.Object, namespace *corev1.Namespace, budget int64, authz authorizer.UnconditionalAuthorizer) validating.ValidateResult {
	record := recordOf(ctx)
	matcher, _ := ctx.Value(policyMatcherKey{}).(*recordedPolicyMatcher)
	if record == nil || matcher == nil {
		return v.Validator.Validate(ctx, resource, attributes, param, namespace, budget, authz)
	}
	invocation := record.begin(matcher.binding, param)
	result := v.Validator.Validate(ctx, resource, attributes, param, namespace, budget, authz)
	record.decided(matcher.binding, invocation, result)
	record.current = nil
	return result
}

// decided notes what the plugin made of the values of a policy's expressions.
func (r *Record) decided(b *admissionBinding, invocation *playground.AdmissionInvocation, result validating.ValidateResult) {
	validations := expressionsOf(invocation, playground.ExpressionValidation)
	if len(result.Decisions) == 0 && len(result.AuditAnnotations) == 0 {
		notMatched(invocation)
	}
	for i, decision := range result.Decisions {
		at := b.policy.at
		if len(validations) == len(result.Decisions) {
			at = validations[i].Range
			decideValidation(validations[i], decision)
		}
		switch {
		case decision.Evaluation == validating.EvalError:
			worsen(invocation, playground.OutcomeError, decision.Message)
		case decision.Evaluation == validating.EvalDeny:
			worsen(invocation, playground.OutcomeFail, decision.Message)
		}
		if decision.Action == validating.ActionDeny && slices.Contains(b.actions, admissionregistrationv1.Deny) {
			r.deny(b, decision.Message, decision.Reason, at)
		}
	}
	skipMessages(invocation, validations)
	for _, annotation := range result.AuditAnnotations {
		if annotation.Action == validating.AuditAnnotationActionError {
			worsen(invocation, playground.OutcomeError, annotation.Error)
			r.deny(b, annotation.Error, "", b.policy.at)
		}
	}
}

// skipMessages marks the messages of validations that hold: the plugin
// evaluates them, but nobody gets to see them.
func skipMessages(invocation *playground.AdmissionInvocation, validations []*playground.AdmissionExpression) {
	for _, message := range expressionsOf(invocation, playground.ExpressionMessage) {
		for _, v := range validations {
			if v.Name == message.Name && v.Outcome != playground.OutcomeFail {
				message.Outcome = playground.OutcomeSkipped
			}
		}
	}
}

func decideValidation(e *playground.AdmissionExpression, decision validating.PolicyDecision) {
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

// notMatched says which match condition kept a policy from being evaluated.
func notMatched(invocation *playground.AdmissionInvocation) {
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

func worsen(invocation *playground.AdmissionInvocation, outcome playground.Outcome, why string) {
	if invocation.Outcome == playground.OutcomePass {
		invocation.Outcome, invocation.Why = outcome, why
	}
}

func (r *Record) deny(b *admissionBinding, message string, reason metav1.StatusReason, at playground.Range) {
	if reason == "" {
		reason = metav1.StatusReasonInvalid
	}
	r.denials = append(r.denials, engine.Denial{
		Message: fmt.Sprintf("%s '%s' with binding '%s' denied request: %s", b.policy.kind, b.policy.name, b.name, message),
		Reason:  reason,
		At:      at,
	})
}

// recordMutators makes the parts of a mutating policy note what they do for a
// binding.
func recordMutators(evaluator mutating.PolicyEvaluator, b *admissionBinding, mutations []admissionregistrationv1.Mutation) mutating.PolicyEvaluator {
	recorded := evaluator
	if evaluator.Matcher != nil {
		recorded.Matcher = recordedMatcher{evaluator.Matcher, b}
	}
	recorded.Mutators = nil
	for i, patcher := range evaluator.Mutators {
		by := fmt.Sprintf("%s %q (%s)", b.policy.kind, b.policy.name, mutations[i].PatchType)
		recorded.Mutators = append(recorded.Mutators, recordedPatcher{patcher, b, by, i == 0 && evaluator.Matcher == nil})
	}
	return recorded
}

type recordedMatcher struct {
	matchconditions.Matcher
	binding *admissionBinding
}

func (m recordedMatcher) Match(ctx context.Context, attributes *admission.VersionedAttributes, param runtime.Object, authz authorizer.UnconditionalAuthorizer) matchconditions.MatchResult {
	record := recordOf(ctx)
	if record == nil {
		return m.Matcher.Match(ctx, attributes, param, authz)
	}
	invocation := record.begin(m.binding, param)
	result := m.Matcher.Match(ctx, attributes, param, authz)
	switch {
	case result.Error != nil:
		worsen(invocation, playground.OutcomeError, result.Error.Error())
		record.failedAt = &m.binding.policy.at
	case !result.Matches:
		notMatched(invocation)
	}
	return result
}

type recordedPatcher struct {
	patch.Patcher
	binding *admissionBinding
	by      string
	first   bool // nothing of the policy was evaluated before
}

func (p recordedPatcher) Patch(ctx context.Context, request patch.Request, budget int64) (runtime.Object, error) {
	record := recordOf(ctx)
	if record == nil {
		return p.Patcher.Patch(ctx, request, budget)
	}
	if p.first {
		record.begin(p.binding, request.OptionalVariables.VersionedParams)
	}
	before := contentOf(request.VersionedAttributes.VersionedObject.Object())
	patched, err := p.Patcher.Patch(ctx, request, budget)
	if err != nil {
		record.failedMutation(p.binding, err)
		return patched, err
	}
	record.mutations = append(record.mutations, engine.Mutation{By: p.by, Before: before, After: contentOf(patched)})
	return patched, nil
}

func (r *Record) failedMutation(b *admissionBinding, err error) {
	worsen(r.current, playground.OutcomeError, err.Error())
	r.failedAt = &b.policy.at
	if mutations := expressionsOf(r.current, playground.ExpressionMutation); len(mutations) > 0 {
		last := mutations[len(mutations)-1]
		last.Outcome, last.Message = playground.OutcomeError, err.Error()
		r.failedAt = &last.Range
	}
}

// contentOf is a copy of an object's content.
func contentOf(object runtime.Object) map[string]any {
	if u, ok := object.(*unstructured.Unstructured); ok && u != nil {
		return runtime.DeepCopyJSON(u.Object)
	}
	return nil
}
