package object

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/playground"
)

// dependsOn returns the webhooks without a response on which the response to the request
// depends, in the order of the API server's calls.
func (r *Request) dependsOn() []string {
	report := &r.rec.report
	if !report.Accepted && !r.undecided {
		return nil
	}
	var webhooks []string
	if report.Admission != nil {
		for _, w := range report.Admission.Webhooks {
			if name := fmt.Sprintf("the admission webhook %q", w.Name); isUnanswered(w) && !slices.Contains(webhooks, name) {
				webhooks = append(webhooks, name)
			}
		}
	}
	if r.undecided || r.isUnconverted() {
		webhooks = append(webhooks, playground.ConversionWebhook)
	}
	return webhooks
}

// isUnanswered reports whether a webhook counts as having allowed a request, because the
// scenario has no response.
func isUnanswered(w playground.AdmissionWebhook) bool {
	return w.Outcome == playground.OutcomePass && slices.ContainsFunc(w.Calls, func(call playground.AdmissionCall) bool {
		return call.ResponseRange == nil
	})
}

// isUnconverted reports whether the accepted object could not be converted to the
// storage version, or back to the version of the request.
func (r *Request) isUnconverted() bool {
	report := &r.rec.report
	if report.Deleted {
		return false
	}
	return r.stored == nil || slices.ContainsFunc(report.Versions, func(v playground.ObjectVersion) bool {
		return v.Cause == playground.CauseUnansweredWebhook && strings.HasSuffix(report.APIVersion, "/"+v.Name)
	})
}

// refuseUndecided ends a request whose response depends on a conversion webhook. It
// reports whether err is due to such a webhook.
func (r *Request) refuseUndecided(stage playground.StageName, err error) bool {
	if !errors.Is(err, conversion.ErrNoWebhook) {
		return false
	}
	r.undecided = true
	r.rec.report.Status = playground.Status{Message: err.Error()}
	r.rec.add(r.rec.finding(stage, err.Error()))
	return true
}
