package renderer

import (
	"fmt"

	"github.com/crdlab/crdlab/internal/playground"
)

// stoppedHint names the usual causes of a stopped evaluation.
const stoppedHint = "This is a limit of crdlab, not of Kubernetes. " +
	"The usual cause is a rule or a policy that builds long strings or lists within its cost budget, or a pattern with large repetitions. " +
	"Limit their input with maxLength, maxItems and maxProperties."

// stoppedReport returns the report of a stopped evaluation, which has the reason as a
// finding.
func stoppedReport(scenario playground.Scenario, library string, stopped playground.Stopped) playground.Report {
	report := playground.EmptyReport()
	report.Timing.CRD = stopped.Milliseconds
	report.Kubernetes = playground.Kubernetes{Library: library, Emulated: scenario.Kubernetes}
	if scenario.Kubernetes == "" {
		report.Kubernetes.Emulated = fmt.Sprintf("1.%d", playground.NewestMinor)
	}
	message := "the evaluation was stopped without a verdict: " + stopped.Reason
	report.CRD.Status.Message = message
	report.CRD.Findings = append(report.CRD.Findings, playground.Finding{
		Severity: playground.SeverityError,
		Reason:   playground.ReasonLimit,
		Message:  message,
		Document: playground.DocumentCRD,
		Hint:     stoppedHint,
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	})
	return report
}
