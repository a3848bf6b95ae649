package object

import (
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// evaluateRules evaluates the CEL rules, unless an earlier error is of a kind
// that could mislead them, and ends validation. Upstream's validator gives
// the verdict; what it found is then told rule by rule.
func evaluateRules(r *Request) error {
	if r.Version.CELValidator == nil {
		r.skip(playground.StageSkipNoRules)
		return r.concludeValidation()
	}
	r.Report.RulesBudget = celconfig.RuntimeCELCostBudget
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

func (r *Request) validateRules() field.ErrorList {
	var old any
	var options []cel.Option
	if r.Old != nil {
		old = r.Old.Object
		if release.HasRatcheting() {
			options = append(options, cel.WithRatcheting(r.correlate()))
		}
	}
	r.memory = celrule.Memo{}
	errs, _ := r.Version.CELValidator.Validate(celrule.WithMemo(r.ctx, r.memory), nil, r.Version.Schema, r.Object.Object, old, celconfig.RuntimeCELCostBudget, options...)
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

func (r *Request) reportRuleResults(blocked bool) {
	target := celrule.Target{Value: r.Object.Object}
	if r.Old != nil {
		target.Old = r.Old.Object
		if release.HasRatcheting() {
			target.Correlation = r.correlate()
		}
	}
	outcome := celrule.Evaluate(r.ctx, r.Version.Rules, target, celrule.Options{
		Version: r.Version.Kind.Version, Memo: r.memory, Blocked: blocked, Locate: r.locateRule,
	})
	for i := range outcome.Results {
		if location, ok := r.Doc.At(outcome.Paths[i]...); ok {
			at := location.Key()
			outcome.Results[i].Range = &at
		}
	}
	r.Report.Rules = append(outcome.Results, r.absentRules(outcome.Applied)...)
	r.Report.RulesCost = outcome.Cost
	r.Report.RulesOmitted = outcome.Omitted
}

// locateRule returns the location of rule i of a node in the CRD.
func (r *Request) locateRule(node *celrule.Node, i int) source.Location {
	if location, ok := r.crd.Doc.At(r.crd.RulePath(r.Version.Index, node, i)...); ok {
		return location
	}
	return r.crd.Doc.Root()
}

// absentRules are the rules of the version that apply nowhere in the object.
func (r *Request) absentRules(seen map[string]bool) []playground.RuleResult {
	var absent []playground.RuleResult
	for _, rule := range r.crd.Report.Rules {
		if rule.Version == r.Version.Kind.Version && !seen[rule.ID] {
			absent = append(absent, playground.RuleResult{ID: rule.ID, Outcome: playground.OutcomeSkipped, Why: playground.WhyAbsent, Trace: []playground.TraceStep{}})
		}
	}
	return absent
}
