package ui

import (
	"cmp"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// ruleView is a rule with its results for all objects.
type ruleView struct {
	playground.Rule
	results []ruleResult
	// outcome is the worst outcome of the results; empty without results.
	outcome playground.Outcome
	// actual is the total actual cost.
	actual uint64
	// refusal is the first finding with a fix at a refused rule, or nil.
	refusal *playground.Finding
}

type ruleResult struct {
	playground.RuleResult
	// object is the title of the object, empty for a single object. index is
	// its index in the report.
	object string
	index  int
}

// ruleGroup has the rules of one version.
type ruleGroup struct {
	version string
	rules   []ruleView
	open    bool
}

// outcomeOrder ranks outcomes by urgency.
var outcomeOrder = map[playground.Outcome]int{
	playground.OutcomeError:   0,
	playground.OutcomeFail:    1,
	playground.OutcomePass:    2,
	playground.OutcomeSkipped: 3,
	"":                        4,
}

// ruleGroups groups the rules of a report by version and sorts each group by
// outcome, failures first. Groups without results are folded.
func ruleGroups(report playground.Report) []ruleGroup {
	results := resultsByRule(report.Objects)
	var groups []ruleGroup
	indexes := map[string]int{} // of groups, by version
	for _, rule := range report.CRD.Rules {
		view := newRuleView(rule, results[rule.ID])
		view.refusal = refusalOf(view, report.CRD.Findings)
		i, known := indexes[rule.Version]
		if !known {
			i = len(groups)
			indexes[rule.Version] = i
			groups = append(groups, ruleGroup{version: rule.Version})
		}
		groups[i].rules = append(groups[i].rules, view)
		groups[i].open = groups[i].open || view.outcome != "" || view.isRefused()
	}
	for i := range groups {
		groups[i].open = groups[i].open || i == 0 && len(report.Objects) == 0
		slices.SortStableFunc(groups[i].rules, func(a, b ruleView) int { return cmp.Compare(a.rank(), b.rank()) })
	}
	if len(groups) == 1 {
		groups[0].open = true
	}
	return groups
}

func resultsByRule(objects []playground.Object) map[string][]ruleResult {
	results := map[string][]ruleResult{}
	for i, object := range objects {
		for _, result := range object.Rules {
			r := ruleResult{RuleResult: result, index: i}
			if len(objects) > 1 {
				r.object = objectTitle(object)
			}
			results[result.ID] = append(results[result.ID], r)
		}
	}
	return results
}

func newRuleView(rule playground.Rule, results []ruleResult) ruleView {
	view := ruleView{Rule: rule, results: results}
	for _, result := range results {
		view.actual += result.ActualCost
		if outcomeOrder[result.Outcome] < outcomeOrder[view.outcome] {
			view.outcome = result.Outcome
		}
	}
	slices.SortStableFunc(view.results, func(a, b ruleResult) int {
		return cmp.Compare(outcomeOrder[a.Outcome], outcomeOrder[b.Outcome])
	})
	return view
}

// refusalOf returns the first finding with a fix at a refused rule, or nil.
func refusalOf(rule ruleView, all []playground.Finding) *playground.Finding {
	at := slices.IndexFunc(all, func(f playground.Finding) bool {
		return f.Document == playground.DocumentCRD && f.Range == rule.Range && len(f.Fixes) > 0
	})
	if at < 0 || !rule.isRefused() {
		return nil
	}
	return &all[at]
}

// isRefused reports whether the API server rejects the rule itself.
func (r ruleView) isRefused() bool {
	return r.Error != "" || r.overBudget()
}

func (r ruleView) overBudget() bool {
	return r.CostLimit > 0 && r.EstimatedCost > r.CostLimit
}

func (r ruleView) rank() int {
	if r.isRefused() {
		return -1
	}
	return outcomeOrder[r.outcome]
}

// class returns the CSS class of the rule, which is also the key of the filter.
func (r ruleView) class() string {
	switch {
	case r.isRefused():
		return "refused"
	case r.outcome == "":
		return "idle"
	}
	return string(r.outcome)
}

// consoleTarget returns the value for which the console evaluates the rule: the
// value of the first result, or the first value that the schema node could
// have.
func (r ruleView) consoleTarget() (path string, object int) {
	if len(r.results) > 0 && r.results[0].Why != playground.WhyAbsent {
		return r.results[0].Path, r.results[0].index
	}
	return firstPath(r.SchemaSteps), 0
}

// firstPath returns the field path of the first value that a schema node could
// have: "spec.jobs[0]". It stops at the first map, whose keys are unknown.
func firstPath(schemaSteps []string) string {
	var path strings.Builder
	for i := 0; i < len(schemaSteps); i++ {
		switch schemaSteps[i] {
		case "properties":
			i++
			path.WriteString("." + schemaSteps[i])
		case "items":
			path.WriteString("[0]")
		default:
			return strings.TrimPrefix(path.String(), ".")
		}
	}
	return strings.TrimPrefix(path.String(), ".")
}

// location returns the path of the schema node, or a phrase for the root.
func (r ruleView) location() string {
	if r.SchemaPath == "" {
		return "at the root"
	}
	return r.SchemaPath
}

// evaluations explains the estimated cost: "12 × 100 evaluations".
func (r ruleView) evaluations() string {
	if r.Cardinality <= 1 && !r.Unbounded {
		return ""
	}
	return FormatCost(r.ExpressionCost) + " × " + FormatCost(r.Cardinality) + " evaluations"
}

// repetitionText describes the size limit of a list or map around a rule: "jobs:
// max 100 items".
func repetitionText(list playground.Repetition) string {
	name, noun := lastProperty(list.SchemaSteps), "value"
	if list.Keyword == "maxItems" {
		noun = "item"
	}
	if list.Max == nil {
		return name + ": unbounded (no " + list.Keyword + ")"
	}
	return name + ": max " + FormatCost(uint64(max(0, *list.Max))) + " " + pluralize(int(*list.Max), noun)
}

// lastProperty names the innermost property in a schema path: "jobs", or "the
// items of jobs".
func lastProperty(schemaSteps []string) string {
	name := "the object"
	for i := 0; i < len(schemaSteps); i++ {
		if schemaSteps[i] == "properties" {
			i++
			name = schemaSteps[i]
		} else {
			name = "the items of " + name
		}
	}
	return name
}

func skipReason(result playground.RuleResult) string {
	switch result.Why {
	case playground.WhyCreate:
		return "skipped: a create request has no old value"
	case playground.WhyBlocked:
		return "skipped: earlier errors"
	case playground.WhyAbsent:
		return "field not set"
	case playground.WhyBudget:
		return "skipped: earlier rules used the whole budget"
	case playground.WhyRatcheted:
		return "still fails, but the value is unchanged: only a warning"
	}
	return result.Why
}

func pathText(path string) string {
	if path == "" {
		return "the object"
	}
	return path
}

// ruleCounts returns the heading of the panel: "78 rules · 2 fail · 12 pass".
func ruleCounts(groups []ruleGroup) string {
	counts := map[string]int{}
	total := 0
	for _, group := range groups {
		total += len(group.rules)
		for _, rule := range group.rules {
			counts[rule.class()]++
		}
	}
	parts := []string{count(total, "rule")}
	for _, class := range []string{"refused", "error", "fail", "pass", "skipped"} {
		if counts[class] > 0 {
			parts = append(parts, FormatCost(uint64(counts[class]))+" "+class)
		}
	}
	return strings.Join(parts, " · ")
}
