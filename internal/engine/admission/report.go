package admission

import (
	"cmp"
	"maps"
	"slices"

	"github.com/crdlab/crdlab/internal/playground"
)

// Report returns the recorded decisions. Policies and webhooks that did not run have
// a reason.
func (r *Review) Report(request ReviewedRequest) *playground.ObjectAdmission {
	r.request = request
	report := &playground.ObjectAdmission{
		Policies:         []playground.AdmissionPolicy{},
		Webhooks:         []playground.AdmissionWebhook{},
		AuditAnnotations: []playground.AuditAnnotation{},
	}
	for _, p := range r.plugins.mutating {
		report.Policies = append(report.Policies, r.reportPolicy(p, r.request.Unreached(playground.StageMutate)))
	}
	for _, p := range r.plugins.validating {
		report.Policies = append(report.Policies, r.reportPolicy(p, r.request.Unreached(playground.StageAdmit)))
	}
	for _, w := range r.plugins.webhooks {
		stage := playground.StageAdmit
		if w.mutates() {
			stage = playground.StageMutate
		}
		report.Webhooks = append(report.Webhooks, r.reportWebhook(w, r.request.Unreached(stage)))
	}
	for _, key := range slices.Sorted(maps.Keys(r.record.audit)) {
		report.AuditAnnotations = append(report.AuditAnnotations, playground.AuditAnnotation{Key: key, Value: r.record.replaceUIDs(r.record.audit[key])})
	}
	return report
}

func (r *Review) reportPolicy(p *admissionPolicy, unreached string) playground.AdmissionPolicy {
	out := playground.AdmissionPolicy{Kind: p.kind, Name: p.name, Range: p.at, Outcome: playground.OutcomeSkipped, Bindings: []playground.AdmissionBinding{}}
	out.Why = unreached
	if out.Why == "" {
		out.Why, out.Mismatch = r.whyPolicySkipped(p)
	}
	why := out.Why
	for _, b := range p.bindings {
		binding := r.reportBinding(b, why)
		out.Bindings = append(out.Bindings, binding)
		if rank(binding.Outcome) > rank(out.Outcome) || out.Why == "" {
			out.Outcome, out.Why = binding.Outcome, binding.Why
		}
	}
	return out
}

// whyPolicySkipped returns the reason why a policy ignores the request.
func (r *Review) whyPolicySkipped(p *admissionPolicy) (why string, mismatch *playground.AdmissionMismatch) {
	if len(p.bindings) == 0 {
		return "no binding refers to the policy", nil
	}
	if mismatch = cmp.Or(r.record.policy(p).mismatch, r.explainMismatch(p.match)); mismatch != nil {
		return mismatch.Why, mismatch
	}
	return "", nil
}

func (r *Review) reportBinding(b *admissionBinding, why string) playground.AdmissionBinding {
	out := playground.AdmissionBinding{Name: b.name, Range: b.at, Outcome: playground.OutcomeSkipped, Why: why, Actions: []string{}, Invocations: []playground.AdmissionInvocation{}}
	for _, action := range b.actions {
		out.Actions = append(out.Actions, string(action))
	}
	for _, invocation := range r.record.binding(b).invocations {
		if invocation.Reinvocation && invocation.Outcome == playground.OutcomePass && len(expressionsOf(invocation, playground.ExpressionMutation)) == 0 {
			continue // evaluated match conditions only
		}
		out.Invocations = append(out.Invocations, *invocation)
		if rank(invocation.Outcome) > rank(out.Outcome) || out.Outcome == playground.OutcomeSkipped {
			out.Outcome, out.Why = invocation.Outcome, invocation.Why
		}
	}
	if len(out.Invocations) == 0 && out.Why == "" {
		if out.Mismatch = r.bindingMismatch(b); out.Mismatch != nil {
			out.Why = out.Mismatch.Why
		} else {
			out.Outcome, out.Why = r.whyBindingSkipped(b)
		}
	}
	return out
}

func (r *Review) bindingMismatch(b *admissionBinding) *playground.AdmissionMismatch {
	if known := r.record.binding(b).mismatch; known != nil || b.match == nil {
		return known
	}
	return r.explainMismatch(b.match)
}

// whyBindingSkipped returns the reason why a policy was not evaluated for a binding that matches.
func (r *Review) whyBindingSkipped(b *admissionBinding) (playground.Outcome, string) {
	params, err := b.params(r.request.Namespace)
	switch {
	case err != nil:
		return playground.OutcomeError, err.Error()
	case len(params) == 0:
		return playground.OutcomeSkipped, "there is no parameter object, and parameterNotFoundAction is Allow"
	}
	return playground.OutcomeSkipped, "an earlier plugin denied the request"
}

// rank orders outcomes by importance.
func rank(outcome playground.Outcome) int {
	return map[playground.Outcome]int{playground.OutcomePass: 1, playground.OutcomeError: 2, playground.OutcomeFail: 3}[outcome]
}

func (r *Review) reportWebhook(w *admissionWebhook, unreached string) playground.AdmissionWebhook {
	out := playground.AdmissionWebhook{Kind: w.kind, Configuration: w.configuration, Name: w.name, Range: w.at, Outcome: playground.OutcomeSkipped, Calls: []playground.AdmissionCall{}}
	known, called := r.record.webhooks[w]
	switch {
	case called:
		out.Outcome, out.Why, out.Calls = known.outcome, known.why, append(out.Calls, known.calls...)
	case unreached != "":
		out.Why = unreached
	default:
		out.Why = "a match condition is false, or an earlier plugin denied the request"
		if out.Mismatch = r.explainMismatch(w.match); out.Mismatch != nil {
			out.Why = out.Mismatch.Why
		}
	}
	return out
}
