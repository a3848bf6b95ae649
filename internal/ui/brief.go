package ui

import (
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// briefView is the content of the panel "brief".
type briefView struct {
	// class is accepted, approximate, rejected or unknown.
	class string
	word  string
	// status is the HTTP status of a rejected request.
	status string
	// detail has the number of problems and the evaluated request.
	detail string
}

// briefVerdict returns the verdict on the objects, or on the CRD if it is
// rejected or there are no objects.
func briefVerdict(report playground.Report) briefView {
	view := briefView{class: "accepted", word: "Accepted"}
	var subject string
	if !report.CRD.Accepted || len(report.Objects) == 0 {
		subject = "CRD"
		view.worsen(report.CRD.Accepted, report.CRD.Status)
	} else {
		subject = objectsSummary(report.Objects)
		for _, object := range report.Objects {
			if len(object.DependsOn) > 0 {
				view.doubt("Depends on the webhook")
				continue
			}
			view.worsen(object.Accepted, object.Status)
		}
	}
	switch {
	case view.class != "accepted":
	case report.Preliminary:
		view.class, view.word = "unknown", "Checking rules…"
	case report.Kubernetes.Approximate:
		view.class, view.word = "approximate", "Probably accepted"
	}
	var problems string
	if all := findings(report); len(all) > 0 {
		problems = problemCounts(all)
	}
	view.detail = strings.Join(nonEmpty(subject, problems), " · ")
	return view
}

// worsen lowers the verdict if a request was rejected or not evaluated.
func (v *briefView) worsen(accepted bool, status playground.Status) {
	switch {
	case accepted:
	case status.Code != 0:
		v.class, v.word = "rejected", "Rejected"
		v.status = statusText(status)
	default:
		v.doubt("Not evaluated")
	}
}

// doubt changes a favourable verdict to unknown.
func (v *briefView) doubt(word string) {
	if v.class == "accepted" {
		v.class, v.word = "unknown", word
	}
}

func objectsSummary(objects []playground.Object) string {
	if len(objects) == 1 {
		return objectTitle(objects[0])
	}
	accepted := 0
	for _, object := range objects {
		if object.Accepted && len(object.DependsOn) == 0 {
			accepted++
		}
	}
	if accepted == len(objects) {
		return count(len(objects), "object")
	}
	return formatInt(accepted) + " of " + count(len(objects), "object") + " accepted"
}
