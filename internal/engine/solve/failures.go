package solve

import (
	"fmt"
	"slices"

	"github.com/crdlab/crdlab/internal/playground"
)

// Failures returns the failures in the report on an object, or nil if the object was
// accepted. rules are those of its CRD.
func Failures(object map[string]any, report playground.Object, rules []playground.Rule) []Failure {
	if report.Accepted {
		return nil
	}
	var failures []Failure
	isBlocked := slices.ContainsFunc(report.Rules, func(r playground.RuleResult) bool { return r.Why == playground.WhyBlocked })
	for _, finding := range report.Findings {
		if finding.Severity == playground.SeverityError {
			failures = append(failures, Failure{
				Message: fmt.Sprintf("%s: %s", finding.Field, finding.Message), Path: ExistingPath(object, finding.Field),
				Blocks: isBlocked,
			})
		}
	}
	for _, result := range report.Rules {
		if result.Outcome != playground.OutcomeFail {
			continue
		}
		failure := Failure{Message: result.Path, Path: ExistingPath(object, result.Path)}
		if i := slices.IndexFunc(rules, func(r playground.Rule) bool { return r.ID == result.ID }); i >= 0 {
			failure.Rule = rules[i].Rule
		}
		failures = append(failures, failure)
	}
	if len(failures) == 0 {
		failures = append(failures, Failure{Message: report.Status.Message})
	}
	return failures
}
