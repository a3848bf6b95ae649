package engine

import (
	"github.com/crdlab/crdlab/internal/playground"
)

// reportAdmission tells what the policies and webhooks did. Whatever was not
// reached says why.
func (r *request) reportAdmission() *playground.ObjectAdmission {
	report := &playground.ObjectAdmission{
		Policies:         []playground.AdmissionPolicy{},
		Webhooks:         []playground.AdmissionWebhook{},
		AuditAnnotations: []playground.AuditAnnotation{},
	}
	for _, p := range r.control.mutating {
		report.Policies = append(report.Policies, r.reportPolicy(p, r.unreached(playground.StageMutate)))
	}
	for _, p := range r.control.validating {
		report.Policies = append(report.Policies, r.reportPolicy(p, r.unreached(playground.StageAdmit)))
	}
	for _, w := range r.control.webhooks {
		stage := playground.StageAdmit
		if w.mutates() {
			stage = playground.StageMutate
		}
		report.Webhooks = append(report.Webhooks, r.reportWebhook(w, r.unreached(stage)))
	}
	for _, key := range sortedKeys(r.admitted.audit) {
		report.AuditAnnotations = append(report.AuditAnnotations, playground.AuditAnnotation{Key: key, Value: r.admitted.repeatable(r.admitted.audit[key])})
	}
	return report
}

// unreached says why a stage did not run, or is empty if it did.
func (r *request) unreached(stage string) string {
	for _, s := range r.report.Stages {
		if s.Name == stage && s.Outcome == playground.OutcomeSkipped {
			return s.Why
		}
	}
	return ""
}

func (r *request) reportPolicy(p *admissionPolicy, unreached string) playground.AdmissionPolicy {
	out := playground.AdmissionPolicy{Kind: p.kind, Name: p.name, Range: p.at, Outcome: playground.OutcomeSkipped, Bindings: []playground.AdmissionBinding{}}
	out.Why = unreached
	if out.Why == "" {
		out.Why = r.whyPolicySkipped(p)
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

// whyPolicySkipped is why the policy as a whole does not look at the request.
func (r *request) whyPolicySkipped(p *admissionPolicy) string {
	if len(p.bindings) == 0 {
		return "no binding names the policy"
	}
	if why := r.admitted.policy(p).why; why != "" {
		return why
	}
	return r.control.explainMismatch(r.attributes(r.object.GetName()), r.objectInterfaces(), p.match)
}

func (r *request) reportBinding(b *admissionBinding, why string) playground.AdmissionBinding {
	out := playground.AdmissionBinding{Name: b.name, Range: b.at, Outcome: playground.OutcomeSkipped, Why: why, Actions: []string{}, Invocations: []playground.AdmissionInvocation{}}
	for _, action := range b.actions {
		out.Actions = append(out.Actions, string(action))
	}
	for _, invocation := range r.admitted.binding(b).invocations {
		if invocation.Reinvocation && invocation.Outcome == playground.OutcomePass && len(expressionsOf(invocation, playground.ExpressionMutation)) == 0 {
			continue // only its match conditions were looked at
		}
		out.Invocations = append(out.Invocations, *invocation)
		if rank(invocation.Outcome) > rank(out.Outcome) || out.Outcome == playground.OutcomeSkipped {
			out.Outcome, out.Why = invocation.Outcome, invocation.Why
		}
	}
	if len(out.Invocations) == 0 && out.Why == "" {
		out.Outcome, out.Why = r.whyBindingSkipped(b)
	}
	return out
}

// whyBindingSkipped is why the policy was not evaluated for a binding.
func (r *request) whyBindingSkipped(b *admissionBinding) (playground.Outcome, string) {
	if why := r.admitted.binding(b).why; why != "" {
		return playground.OutcomeSkipped, why
	}
	if b.match != nil {
		if why := r.control.explainMismatch(r.attributes(r.object.GetName()), r.objectInterfaces(), b.match); why != "" {
			return playground.OutcomeSkipped, why
		}
	}
	params, err := b.params(r.requestNamespace)
	switch {
	case err != nil:
		return playground.OutcomeError, err.Error()
	case len(params) == 0:
		return playground.OutcomeSkipped, "no parameter object is there, and parameterNotFoundAction is Allow"
	}
	return playground.OutcomeSkipped, "an earlier plugin denied the request"
}

// rank orders outcomes by how much they matter.
func rank(outcome playground.Outcome) int {
	return map[playground.Outcome]int{playground.OutcomePass: 1, playground.OutcomeError: 2, playground.OutcomeFail: 3}[outcome]
}

func (r *request) reportWebhook(w *admissionWebhook, unreached string) playground.AdmissionWebhook {
	out := playground.AdmissionWebhook{Kind: w.kind, Configuration: w.configuration, Name: w.name, Range: w.at, Outcome: playground.OutcomeSkipped, Calls: []playground.AdmissionCall{}}
	known, called := r.admitted.webhooks[w]
	switch {
	case called:
		out.Outcome, out.Why, out.Calls = known.outcome, known.why, known.calls
	case unreached != "":
		out.Why = unreached
	default:
		out.Why = r.control.explainMismatch(r.attributes(r.object.GetName()), r.objectInterfaces(), w.match)
		if out.Why == "" {
			out.Why = "a match condition is not true, or an earlier plugin denied the request"
		}
	}
	return out
}
