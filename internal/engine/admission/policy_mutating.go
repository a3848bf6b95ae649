package admission

import (
	"context"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/crdlab/crdlab/internal/playground"
)

// recordMutators wraps the matcher and patchers of a mutating policy to record
// their results for a binding.
func recordMutators(evaluator mutating.PolicyEvaluator, b *admissionBinding, mutations []admissionregistrationv1.Mutation) mutating.PolicyEvaluator {
	recorded := evaluator
	if evaluator.Matcher != nil {
		recorded.Matcher = recordingMatcher{evaluator.Matcher, b}
	}
	recorded.Mutators = nil
	for i, patcher := range evaluator.Mutators {
		by := fmt.Sprintf("%s %q (%s)", b.policy.kind, b.policy.name, mutations[i].PatchType)
		recorded.Mutators = append(recorded.Mutators, recordingPatcher{patcher, b, by, i == 0 && evaluator.Matcher == nil})
	}
	return recorded
}

type recordingMatcher struct {
	matchconditions.Matcher
	binding *admissionBinding
}

func (m recordingMatcher) Match(ctx context.Context, attributes *admission.VersionedAttributes, param runtime.Object, authz authorizer.UnconditionalAuthorizer) matchconditions.MatchResult {
	record := recordOf(ctx)
	invocation := record.begin(m.binding, param)
	result := m.Matcher.Match(ctx, attributes, param, authz)
	switch {
	case result.Error != nil:
		setFailure(invocation, playground.OutcomeError, result.Error.Error())
		record.failToMatch(m.binding.policy.at)
	case !result.Matches:
		skipUnmatched(invocation)
	}
	return result
}

type recordingPatcher struct {
	patch.Patcher
	binding *admissionBinding
	by      string
	first   bool // the first evaluation of the policy
}

func (p recordingPatcher) Patch(ctx context.Context, request patch.Request, budget int64) (runtime.Object, error) {
	record := recordOf(ctx)
	if p.first {
		record.begin(p.binding, request.OptionalVariables.VersionedParams)
	}
	before := contentOf(request.VersionedAttributes.VersionedObject.Object())
	patched, err := p.Patcher.Patch(ctx, request, budget)
	if err != nil {
		record.addMutationFailure(p.binding, err)
		return patched, err
	}
	record.mutations = append(record.mutations, Mutation{By: p.by, Before: before, After: contentOf(patched)})
	return patched, nil
}

func (r *record) addMutationFailure(b *admissionBinding, err error) {
	setFailure(r.current, playground.OutcomeError, err.Error())
	r.fail(b.policy.at, nil)
	if mutations := expressionsOf(r.current, playground.ExpressionMutation); len(mutations) > 0 {
		last := mutations[len(mutations)-1]
		last.Outcome, last.Message = playground.OutcomeError, err.Error()
		r.fail(last.Range, r.faultOf(last.Kind, last.Name))
	}
}

// contentOf returns a copy of the object as JSON, or nil.
func contentOf(object runtime.Object) map[string]any {
	if u, ok := object.(*unstructured.Unstructured); ok && u != nil {
		return runtime.DeepCopyJSON(u.Object)
	}
	return nil
}
