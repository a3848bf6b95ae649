package ui

import (
	"cmp"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

const (
	pageTitle       = "crdlab: what the API server would do, and why"
	pageDescription = "See what a Kubernetes API server would do with a CustomResourceDefinition and an object, and why."
)

// title returns the title of the page. For a shared scenario it contains the
// verdict, because link previews show the title.
func (d PageData) title() string {
	switch {
	case d.Shared == "":
		return pageTitle
	case d.Report == nil:
		return "A shared CRD · crdlab"
	}
	return sharedTitle(*d.Report) + " · crdlab"
}

func (d PageData) description() string {
	if d.Shared == "" || d.Report == nil {
		return pageDescription
	}
	return sharedDescription(*d.Report)
}

// sharedTitle returns the verdict on the objects, or on a CRD if it is
// rejected or there are no objects: "CronTab my-cron rejected".
func sharedTitle(report playground.Report) string {
	var objects []playground.Object
	reports, missing := judgedReports(report)
	for _, r := range reports {
		if !r.CRD.Accepted {
			return truncate(cmp.Or(r.CRD.Name, "CRD"), maxTitle) + " " + verdictWord(r, false, r.CRD.Status)
		}
		objects = append(objects, r.Objects...)
	}
	rejected, dependent := 0, 0
	for _, object := range objects {
		switch {
		case len(object.DependsOn) > 0:
			dependent++
		case !object.Accepted:
			rejected++
		}
	}
	switch {
	case rejected == 0 && missing > 0:
		return count(len(report.CRD.Candidates), "CRD") + ", not all evaluated"
	case len(objects) == 0:
		return truncate(cmp.Or(report.CRD.Name, "CRD"), maxTitle) + " " + verdictWord(report, true, report.CRD.Status)
	case len(objects) == 1:
		return truncate(objectTitle(objects[0]), maxTitle) + " " + objectWord(report, objects[0])
	case rejected == 0 && dependent > 0:
		return formatInt(dependent) + " of " + count(len(objects), "object") + " depend on webhooks"
	case rejected == 0:
		return count(len(objects), "object") + " " + verdictWord(report, true, playground.Status{})
	}
	return formatInt(rejected) + " of " + count(len(objects), "object") + " rejected"
}

// sharedDescription returns the verdict in a sentence, followed by the first
// error.
func sharedDescription(report playground.Report) string {
	text := announcement(report)
	for _, finding := range findings(report) {
		if finding.Severity == playground.SeverityError {
			field := finding.Place()
			if field != "" {
				field += ": "
			}
			return truncate(text+" "+field+finding.Message, maxDescription)
		}
	}
	return truncate(text, maxDescription)
}

// Link previews truncate longer strings.
const (
	maxTitle       = 80
	maxDescription = 300
)

// truncate joins the lines of a string and limits it to a number of characters.
func truncate(text string, limit int) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) <= limit {
		return string(line)
	}
	return string(line[:limit-1]) + "…"
}

// withLeadingNewline prepares the content of a textarea or pre element:
// browsers drop its first line break.
func withLeadingNewline(text string) string { return "\n" + text }
