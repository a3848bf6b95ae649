package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

// evaluateScenario evaluates a scenario. isStopped reports that the evaluation
// exceeded its limits; the report then has no verdict, and a repeated evaluation
// may have another result.
func (s *Server) evaluateScenario(r *http.Request, scenario playground.Scenario) (report playground.Report, isStopped bool, err error) {
	start := time.Now()
	report, err = s.evaluator.run(r.Context(), scenario)
	if stopped, ok := errors.AsType[*playground.StoppedError](err); ok {
		return s.stoppedReport(r, scenario, stopped, start), true, nil
	}
	return report, false, err
}

// evaluateBody evaluates the scenario in a request body and returns the report as JSON.
func (s *Server) evaluateBody(r *http.Request, body []byte) (json.RawMessage, error) {
	start := time.Now()
	report, err := s.evaluator.runJSON(r.Context(), body)
	var stopped *playground.StoppedError
	if !errors.As(err, &stopped) {
		return report, err
	}
	var scenario playground.Scenario
	if err := decodeBody(body, "scenario", &scenario); err != nil {
		return nil, err
	}
	return encodeJSON(s.stoppedReport(r, scenario, stopped, start))
}

// stoppedHint names the usual causes of a stopped evaluation.
const stoppedHint = "This is a limit of the playground, not of Kubernetes. " +
	"What usually takes so much is a rule or a policy that builds long texts or lists within its cost budget, or a pattern with large repetitions. " +
	"Limit what they work on with maxLength, maxItems and maxProperties."

// stoppedReport logs that an evaluation was stopped and returns its report,
// which holds the reason as a finding.
func (s *Server) stoppedReport(r *http.Request, scenario playground.Scenario, stopped *playground.StoppedError, start time.Time) playground.Report {
	s.log.WarnContext(r.Context(), "evaluation stopped", "route", route(r), "reason", stopped.Reason)
	report := playground.EmptyReport()
	report.Timing.CRD = float64(time.Since(start).Microseconds()) / 1000
	report.Kubernetes = playground.Kubernetes{Library: s.build.Kubernetes, Emulated: scenario.Kubernetes}
	if scenario.Kubernetes == "" {
		report.Kubernetes.Emulated = fmt.Sprintf("1.%d", playground.NewestMinor)
	}
	message := "the evaluation was ended, so that there is no verdict: " + stopped.Reason
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
