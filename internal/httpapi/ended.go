package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

// evaluated is the report on a scenario. It says so if the evaluation was ended,
// which isEnded tells as well: another time it may not be.
func (s *Server) evaluated(r *http.Request, scenario playground.Scenario) (report playground.Report, isEnded bool, err error) {
	start := time.Now()
	report, err = s.evaluator.run(r.Context(), scenario)
	if stopped, ok := errors.AsType[*playground.StoppedError](err); ok {
		return s.ended(r, scenario, stopped, start), true, nil
	}
	return report, false, err
}

// evaluatedJSON is the same as JSON of the scenario in a request's body.
func (s *Server) evaluatedJSON(r *http.Request, body []byte) (json.RawMessage, error) {
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
	return encoded(s.ended(r, scenario, stopped, start))
}

// hintOfEnded is what usually is the cause.
const hintOfEnded = "This is a limit of the playground, not of Kubernetes. " +
	"What usually takes so much is a rule or a policy that builds long texts or lists within its cost budget, or a pattern with large repetitions. " +
	"Limit what they work on with maxLength, maxItems and maxProperties."

// ended is the report on a scenario whose evaluation, begun at start, was ended,
// and logs that.
func (s *Server) ended(r *http.Request, scenario playground.Scenario, stopped *playground.StoppedError, start time.Time) playground.Report {
	s.log.WarnContext(r.Context(), "evaluation ended", "route", route(r), "reason", stopped.Reason)
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
		Hint:     hintOfEnded,
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	})
	return report
}
