package solve

import (
	"fmt"

	"github.com/crdlab/crdlab/internal/playground"
)

// Failures returns the failures in the report on an object, or nil if the object was
// accepted.
func Failures(object map[string]any, report playground.Object) []Failure {
	if report.Accepted {
		return nil
	}
	var failures []Failure
	for _, finding := range report.Findings {
		if finding.Severity == playground.SeverityError {
			failures = append(failures, Failure{fmt.Sprintf("%s: %s", finding.Field, finding.Message), ExistingPath(object, finding.Field)})
		}
	}
	for _, rule := range report.Rules {
		if rule.Outcome == playground.OutcomeFail {
			failures = append(failures, Failure{rule.Path, ExistingPath(object, rule.Path)})
		}
	}
	if len(failures) == 0 {
		failures = append(failures, Failure{report.Status.Message, nil})
	}
	return failures
}
