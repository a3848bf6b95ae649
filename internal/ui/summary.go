package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// findings returns all findings of a report and of the reports on the other CRDs as people read
// them, errors first and then in the order of the documents. It excludes the findings of stored
// objects, which no request validates.
func findings(report playground.Report) []playground.Finding {
	all := []playground.Finding{}
	reports, _ := judgedReports(report)
	for _, r := range reports {
		for _, f := range ownFindings(r) {
			// Several CRDs share the documents for conversion and admission.
			if len(reports) == 1 || !slices.ContainsFunc(all, func(known playground.Finding) bool { return isSame(known, f) }) {
				all = append(all, f)
			}
		}
	}
	playground.SortFindings(all)
	return all
}

func isSame(a, b playground.Finding) bool {
	return a.Document == b.Document && a.Range == b.Range && a.Field == b.Field && a.Message == b.Message
}

// ownFindings returns the findings of a report about one CRD and its objects.
func ownFindings(report playground.Report) []playground.Finding {
	all := playground.Readable(report.CRD.Findings)
	for _, object := range report.Objects {
		all = append(all, playground.Readable(object.Findings)...)
	}
	all = append(all, report.Conversion.Findings...)
	if report.Admission != nil {
		all = append(all, report.Admission.Findings...)
	}
	playground.SortFindings(all)
	return all
}

func countSeverity(all []playground.Finding, severity playground.Severity) int {
	n := 0
	for _, finding := range all {
		if finding.Severity == severity {
			n++
		}
	}
	return n
}

func findingsIn(all []playground.Finding, document playground.Document) []playground.Finding {
	var found []playground.Finding
	for _, finding := range all {
		if finding.Document == document {
			found = append(found, finding)
		}
	}
	return found
}

// problemCounts returns the heading of the problems list: "2 errors · 1
// warning".
func problemCounts(all []playground.Finding) string {
	var parts []string
	if n := countSeverity(all, playground.SeverityError); n > 0 {
		parts = append(parts, count(n, "error"))
	}
	if n := countSeverity(all, playground.SeverityWarning); n > 0 {
		parts = append(parts, count(n, "warning"))
	}
	if n := countSeverity(all, playground.SeverityInfo); n > 0 {
		parts = append(parts, count(n, "note"))
	}
	if len(parts) == 0 {
		return "No problems"
	}
	return strings.Join(parts, " · ")
}

// announcement returns the verdict in one sentence per request, for screen
// readers.
func announcement(report playground.Report) string {
	var sentences []string
	reports, missing := judgedReports(report)
	for _, r := range reports {
		crd := "CRD "
		if len(reports) > 1 {
			crd += r.CRD.Name + " "
		}
		sentences = append(sentences, crd+verdictWord(r, r.CRD.Accepted, r.CRD.Status)+".")
		for _, object := range r.Objects {
			sentence := fmt.Sprintf("%s %s", objectTitle(object), objectWord(r, object))
			if n := countSeverity(playground.Readable(object.Findings), playground.SeverityError); n > 0 {
				sentence += ", " + count(n, "error")
			}
			sentences = append(sentences, sentence+".")
		}
	}
	if missing > 0 {
		sentences = append(sentences, count(missing, "further CRD")+" not evaluated.")
	}
	return strings.Join(sentences, " ")
}

func objectWord(report playground.Report, object playground.Object) string {
	switch {
	case len(object.DependsOn) > 0:
		return "depends on the webhook"
	case isOfAnotherCRD(report.CRD, object):
		return "has no CRD here"
	}
	return verdictWord(report, object.Accepted, object.Status)
}

// isOfAnotherCRD reports whether the kind or the group of an object differs from the CRD's.
func isOfAnotherCRD(crd playground.CRD, object playground.Object) bool {
	at := slices.IndexFunc(object.Findings, func(f playground.Finding) bool { return f.Code == playground.CodeNoMatches })
	if at < 0 {
		return false
	}
	_, group, _ := strings.Cut(crd.Name, ".")
	return object.Findings[at].Field == "kind" || !strings.HasPrefix(object.APIVersion, group+"/")
}

// verdictWord returns the verdict on a request. Acceptance is only probable unless the
// release's own libraries gave the verdict.
func verdictWord(report playground.Report, accepted bool, status playground.Status) string {
	switch {
	case accepted && report.Kubernetes.Approximate:
		return "probably accepted"
	case accepted:
		return "accepted"
	case status.Code == 0:
		return "not evaluated"
	}
	return "rejected"
}

// statusText returns a status in short form: "422 Invalid".
func statusText(status playground.Status) string {
	if status.Code == 0 {
		return ""
	}
	return strings.TrimSpace(strconv.Itoa(status.Code) + " " + status.Reason)
}

// objectTitle returns the kind, namespace and name of an object: "CronTab
// default/my-cron".
func objectTitle(object playground.Object) string {
	kind, name := object.Kind, object.Name
	if kind == "" {
		kind = "Object"
	}
	if object.Namespace != "" && name != "" {
		name = object.Namespace + "/" + name
	}
	return strings.TrimSpace(kind + " " + name)
}

// timing returns the duration of the evaluation: "CRD 31 ms · object 2 ms".
// slow is the time of an evaluation in milliseconds from which the page shows it.
const slow = 1000

func timing(report playground.Report) string {
	if report.Timing.CRD+report.Timing.Object < slow {
		return ""
	}
	text := "CRD " + milliseconds(report.Timing.CRD)
	if len(report.Objects) > 0 {
		text += " · object " + milliseconds(report.Timing.Object)
	}
	return text
}

func milliseconds(ms float64) string {
	switch {
	case ms < 0.05:
		return "cached"
	case ms < 9.95:
		return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
	}
	return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
}
