package object

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// runRules evaluates the CEL rules and ends validation. Upstream's validator
// returns the verdict; the evaluation then explains the result of each rule.
func runRules(r *Request) error {
	v := r.endpoint.version
	if v.CELValidator == nil {
		r.rec.skip(playground.StageSkipNoRules)
		return r.concludeValidation()
	}
	r.rec.report.RulesBudget = celconfig.RuntimeCELCostBudget
	var memo celrule.Memo
	blocked := customresource.BlocksRules(r.invalid)
	errs := field.ErrorList{field.Invalid(nil, nil,
		"some validation rules were not checked because the object was invalid; correct the existing errors to complete validation")}
	if !blocked {
		earlier := len(r.rec.report.Warnings)
		errs, memo = validateRules(r.ctx, v, r.object, r.old.object)
		playground.SortWarnings(r.rec.report.Warnings[earlier:])
	}
	outcome := explainRules(r.ctx, &r.endpoint, r.rec.at, rootTarget(v, r.object, r.old.object), memo, blocked)
	r.rec.ignoredMessages, r.rec.faults = outcome.MessageErrors, outcome.Faults
	r.rec.report.Rules, r.rec.report.RulesCost, r.rec.report.RulesOmitted = outcome.Results, outcome.Cost, outcome.Omitted
	r.addInvalid(playground.StageRules, errs)
	return r.concludeValidation()
}

// validateRules validates an object with the rules of a version. On create, old is
// nil. The memo holds the evaluated expressions.
func validateRules(ctx context.Context, v *crd.Version, object, old *unstructured.Unstructured) (field.ErrorList, celrule.Memo) {
	target := rootTarget(v, object, old)
	var options []cel.Option
	if target.Correlation != nil {
		options = append(options, cel.WithRatcheting(target.Correlation))
	}
	memo := celrule.Memo{}
	errs, _ := v.CELValidator.Validate(celrule.WithMemo(ctx, memo), nil, v.Schema, object.Object, target.Old, celconfig.RuntimeCELCostBudget, options...)
	return errs, memo
}

// rootTarget returns an object as the target of its root rules. On create, old
// is nil.
func rootTarget(v *crd.Version, object, old *unstructured.Unstructured) celrule.Target {
	root := celrule.Target{Value: object.Object}
	if old != nil {
		root.Old = old.Object
		if release.HasRatcheting() {
			root.Correlation = customresource.Correlate(v, object, old)
		}
	}
	return root
}

// explainRules returns the result of each rule for each value to which it applies, with the
// location of the value. The memo of the validation already holds most results.
func explainRules(ctx context.Context, e *endpoint, locate func(path []any) (source.Location, bool), target celrule.Target, memo celrule.Memo, blocked bool) celrule.Outcome {
	outcome := celrule.Evaluate(ctx, e.version.Rules, target, celrule.Options{
		Version: e.version.Kind.Version, Memo: memo, Blocked: blocked,
		Locate: func(node *celrule.Node, i int, keyword string) source.Location {
			return locateRule(e.CRD, e.version, node, i, keyword)
		},
	})
	for i := range outcome.Results {
		path := outcome.Paths[i]
		if len(path) == 0 {
			path = readByRoot(e.CRD.Report.Rules, outcome.Results[i].ID)
		}
		location, ok := locate(path)
		if !ok {
			location, ok = locate(nil)
		}
		if ok {
			at := location.Key()
			outcome.Results[i].Range = &at
		}
	}
	outcome.Results = append(outcome.Results, absentRules(e.CRD.Report.Rules, e.version.Kind.Version, outcome.Applied)...)
	return outcome
}

// readsOfSelf matches the fields of self that a rule reads, and the parenthesis after a function.
var readsOfSelf = regexp.MustCompile(`\bself((?:\.\w+)+)(\(?)`)

// readByRoot returns the path of the only field that a rule of the root reads; empty if it reads
// several.
func readByRoot(rules []playground.Rule, id string) (path []any) {
	i := slices.IndexFunc(rules, func(r playground.Rule) bool { return r.ID == id })
	if i < 0 {
		return nil
	}
	fields := map[string]bool{}
	for _, m := range readsOfSelf.FindAllStringSubmatch(rules[i].Rule, -1) {
		names := strings.Split(m[1], ".")[1:]
		if m[2] != "" {
			names = names[:len(names)-1] // a function
		}
		fields[strings.Join(names, ".")] = true
		path = nil
		for _, name := range names {
			path = append(path, name)
		}
	}
	if len(fields) != 1 {
		return nil
	}
	return path
}

// locateRule returns the location of a keyword of rule i of a node in the CRD.
func locateRule(c *crd.CRD, v *crd.Version, node *celrule.Node, i int, keyword string) source.Location {
	if location, ok := c.Doc.At(c.RulePath(v.Index, node, i, keyword)...); ok {
		return location
	}
	return c.Doc.Root()
}

// absentRules returns a skipped result for each rule of the version that is not in
// applied, because it applies to no value of the object.
func absentRules(rules []playground.Rule, version string, applied map[string]bool) []playground.RuleResult {
	var absent []playground.RuleResult
	for _, rule := range rules {
		if rule.Version == version && !applied[rule.ID] {
			absent = append(absent, playground.RuleResult{ID: rule.ID, Outcome: playground.OutcomeSkipped, Why: playground.WhyAbsent, Trace: []playground.TraceStep{}})
		}
	}
	return absent
}
