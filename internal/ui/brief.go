package ui

import (
	"slices"
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

// briefVerdict returns the verdict on all CRDs of the document and their objects: the worst one.
func briefVerdict(report playground.Report) briefView {
	all, missing := judgedReports(report)
	return newBrief(all, missing, findings(report))
}

// verdictOn returns the verdict on one CRD and its objects.
func verdictOn(report playground.Report) briefView {
	return newBrief([]playground.Report{report}, 0, ownFindings(report))
}

// newBrief returns the worst verdict of reports: on the objects, or on a CRD if it is rejected or
// there are no objects. missing counts the CRDs without a report.
func newBrief(all []playground.Report, missing int, findings []playground.Finding) briefView {
	view := briefView{class: "accepted", word: "Accepted"}
	document := playground.DocumentObject
	var subject string
	var objects []playground.Object
	for _, report := range all {
		if !report.CRD.Accepted {
			view.worsen(false, report.CRD.Status)
			if document == playground.DocumentObject {
				subject, document = documentTitle(playground.DocumentCRD), playground.DocumentCRD
				if len(all) > 1 {
					subject += " " + report.CRD.Name
				}
			}
			continue
		}
		for _, object := range report.Objects {
			objects = append(objects, object)
			switch {
			case len(object.DependsOn) > 0:
				view.doubt("Depends on the webhook")
			case isOfAnotherCRD(report.CRD, object):
				view.doubt("No CRD for " + object.Kind)
			default:
				view.worsen(object.Accepted, object.Status)
			}
		}
	}
	switch {
	case document == playground.DocumentCRD:
	case len(objects) > 0:
		subject = objectsSummary(objects)
	default:
		view.word, document = "CRD accepted", playground.DocumentCRD
		if len(all) > 1 {
			view.word = "CRDs accepted"
		}
	}
	if missing > 0 {
		view.doubt("Not all CRDs are evaluated")
	}
	if view.class == "accepted" && slices.ContainsFunc(all, func(r playground.Report) bool { return r.Kubernetes.Approximate }) {
		view.class, view.word = "approximate", "Probably accepted"
		if document == playground.DocumentCRD {
			view.word = "CRD probably accepted"
		}
	}
	view.detail = strings.Join(countsByDocument(subject, document, findings), ", ")
	return view
}

// countsByDocument counts the problems of each document: "CronTab backup · 1 error" and
// "CRD · 2 warnings". The document of the verdict comes first, with its subject as the title.
func countsByDocument(subject string, first playground.Document, all []playground.Finding) []string {
	var counts []string
	if own := findingsIn(all, first); len(own) > 0 {
		counts = append(counts, strings.Join(nonEmpty(subject, problemCounts(own)), " · "))
	} else {
		counts = nonEmpty(subject)
	}
	for _, kind := range documents {
		if own := findingsIn(all, kind.Document); len(own) > 0 && kind.Document != first {
			counts = append(counts, kind.title+" · "+problemCounts(own))
		}
	}
	return counts
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
