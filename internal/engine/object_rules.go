package engine

import (
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// evaluateRules evaluates the CEL rules, unless an earlier error is of a kind
// that could mislead them, and ends validation. Upstream's validator gives
// the verdict; what it found is then told rule by rule.
func evaluateRules(r *request) error {
	if r.version.celRules == nil {
		r.skip("the schema has no rules")
		return r.concludeValidation()
	}
	r.report.RulesBudget = celconfig.RuntimeCELCostBudget
	blocked := isBlocking(r.invalid)
	if blocked {
		r.addInvalid(playground.StageRules, field.ErrorList{field.Invalid(nil, nil,
			"some validation rules were not checked because the object was invalid; correct the existing errors to complete validation")})
	} else {
		r.addInvalid(playground.StageRules, r.validateRules())
	}
	r.reportRuleResults(blocked)
	return r.concludeValidation()
}

func (r *request) validateRules() field.ErrorList {
	var old any
	var options []cel.Option
	if r.old != nil {
		old = r.old.Object
		if ratchets() {
			options = append(options, cel.WithRatcheting(r.correlate()))
		}
	}
	r.memory = memory{}
	errs, _ := r.version.celRules.Validate(withMemory(r.ctx, r.memory), nil, r.version.schema, r.object.Object, old, celconfig.RuntimeCELCostBudget, options...)
	return errs
}

// isBlocking says whether errs keep the rules from being evaluated
// (hasBlockingErr of the strategy of custom resources).
func isBlocking(errs field.ErrorList) bool {
	for _, err := range errs {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
	}
	return false
}

func (r *request) reportRuleResults(blocked bool) {
	e := newEvaluation(r.ctx, r.version.kind.Version, r.memory, blocked)
	e.rule = func(node *ruleNode, i int) source.Location {
		if location, ok := r.crd.doc.At(r.crd.rulePath(r.version.index, node, i)...); ok {
			return location
		}
		return r.crd.doc.Root()
	}
	root := place{value: r.object.Object}
	if r.old != nil {
		root.old = r.old.Object
		if ratchets() {
			root.correlation = r.correlate()
		}
	}
	e.walk(r.version.rules, root)
	for i := range e.results {
		if location, ok := r.doc.At(e.paths[i]...); ok {
			at := location.Key()
			e.results[i].Range = &at
		}
	}
	r.report.Rules = append(e.results, r.absentRules(e.seen)...)
	r.report.RulesCost = e.cost
	r.report.RulesOmitted = e.omitted
}

// absentRules are the rules of the version that apply nowhere in the object.
func (r *request) absentRules(seen map[string]bool) []playground.RuleResult {
	var absent []playground.RuleResult
	for _, rule := range r.crd.report.Rules {
		if rule.Version == r.version.kind.Version && !seen[rule.ID] {
			absent = append(absent, playground.RuleResult{ID: rule.ID, Outcome: playground.OutcomeSkipped, Why: playground.WhyAbsent, Trace: []playground.TraceStep{}})
		}
	}
	return absent
}
