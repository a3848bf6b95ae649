package ui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// findings are all findings of a report, those of the CRD first. What a stored
// object would complain of is not among them: nobody asked for it.
func findings(report playground.Report) []playground.Finding {
	all := append([]playground.Finding{}, report.CRD.Findings...)
	for _, object := range report.Objects {
		all = append(all, object.Findings...)
	}
	all = append(all, report.Conversion.Findings...)
	if report.Admission != nil {
		all = append(all, report.Admission.Findings...)
	}
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

func inDocument(all []playground.Finding, document playground.Document) []playground.Finding {
	var found []playground.Finding
	for _, finding := range all {
		if finding.Document == document {
			found = append(found, finding)
		}
	}
	return found
}

// problemCounts is the head of the problems list: "2 errors · 1 warning".
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

// announcement is the verdict in a sentence or two, for screen readers.
func announcement(report playground.Report) string {
	sentences := []string{"CRD " + verdictWord(report.CRD.Accepted, report.CRD.Status) + "."}
	for _, object := range report.Objects {
		sentence := fmt.Sprintf("%s %s", objectTitle(object), verdictWord(object.Accepted, object.Status))
		if n := countSeverity(object.Findings, playground.SeverityError); n > 0 {
			sentence += ", " + count(n, "error")
		}
		sentences = append(sentences, sentence+".")
	}
	return strings.Join(sentences, " ")
}

func verdictWord(accepted bool, status playground.Status) string {
	switch {
	case accepted:
		return "accepted"
	case status.Code == 0:
		return "not evaluated"
	}
	return "rejected"
}

// statusText is the API server's answer in short: "422 Invalid".
func statusText(status playground.Status) string {
	if status.Code == 0 {
		return ""
	}
	return strings.TrimSpace(strconv.Itoa(status.Code) + " " + status.Reason)
}

// objectTitle is how an object is called: "CronTab default/my-cron".
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

// timing is how long the evaluation took: "CRD 31 ms · object 2 ms".
func timing(report playground.Report) string {
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

// unseenWarnings are the warnings that the output does not show already.
func unseenWarnings(output string, warnings []string) []string {
	var unseen []string
	for _, warning := range warnings {
		if !strings.Contains(output, "Warning: "+warning) {
			unseen = append(unseen, warning)
		}
	}
	return unseen
}
