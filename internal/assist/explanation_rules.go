package assist

import (
	"slices"

	"github.com/crdlab/crdlab/internal/engine/celvalue"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

func (e *explainer) rulesReading(path crdschema.Path) []playground.ExplainedRule {
	version := e.crd.Internal.Spec.Versions[e.version].Name
	below := map[string][]string{} // the steps to the node, by the path of an ancestor
	for n := 0; n <= len(path); n++ {
		if n == 0 || path[n-1] != "properties" || n > 1 && path[n-2] == "properties" {
			below[path[:n].String()] = readSteps(path[n:])
		}
	}
	rules := []playground.ExplainedRule{}
	for _, rule := range e.report.CRD.Rules {
		steps, isAbove := below[rule.SchemaPath]
		if isAbove && rule.Version == version && (rule.SchemaPath == path.String() || celvalue.Reads(rule.Rule, steps)) {
			rules = append(rules, e.explainRule(rule))
		}
	}
	return rules
}

func readSteps(path crdschema.Path) []string {
	var steps []string
	for i := 0; i < len(path); i++ {
		step := celvalue.Each
		if path[i] == "properties" {
			i++
			step = path[i]
		}
		steps = append(steps, step)
	}
	return steps
}

func (e *explainer) ruleAt(steps []any) (rule playground.ExplainedRule, ok bool) {
	if len(steps) < 2 || steps[0] != "x-kubernetes-validations" {
		return rule, false
	}
	path := append(e.crd.SchemaPath(e.version, e.schemaPath), steps[0], steps[1], "rule")
	location, ok := e.crd.Doc.At(path...)
	if !ok {
		return rule, false
	}
	for _, each := range e.report.CRD.Rules {
		if each.Range == location.Value() {
			return e.explainRule(each), true
		}
	}
	return rule, false
}

func (e *explainer) explainRule(rule playground.Rule) playground.ExplainedRule {
	explained := playground.ExplainedRule{Rule: rule}
	if rule.EstimatedCost <= rule.CostLimit {
		return explained
	}
	for _, f := range e.report.CRD.Findings {
		if f.Document == playground.DocumentCRD && f.Range == rule.Range && len(f.Fixes) > 0 {
			explained.Bound = &f.Fixes[0]
			break
		}
	}
	return explained
}

func (e *explainer) addResults(rules []playground.ExplainedRule, path []any, object playground.Object) {
	selfs := map[string]bool{}
	for n := range len(path) + 1 {
		selfs[jsonvalue.PathString(path[:n])] = true
	}
	for i := range rules {
		for _, result := range object.Rules {
			if result.ID == rules[i].Rule.ID && selfs[result.Path] {
				rules[i].Result = &result
			}
		}
	}
}

var resultOrder = []playground.Outcome{playground.OutcomeError, playground.OutcomeFail, playground.OutcomePass, playground.OutcomeSkipped}

func (e *explainer) addWorstResults(rules []playground.ExplainedRule) {
	for i := range rules {
		worst := len(resultOrder)
		for _, object := range e.report.Objects {
			for _, result := range object.Rules {
				rank := slices.Index(resultOrder, result.Outcome)
				if result.ID == rules[i].Rule.ID && rank < worst {
					worst, rules[i].Result = rank, &result
				}
			}
		}
	}
}
