package ui

import (
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

const (
	pageTitle       = "crdlab: what the API server would do, and why"
	pageDescription = "See what a Kubernetes API server would do with a CustomResourceDefinition and an object, and why."
)

// title is the page's: for a shared scenario it tells the verdict, because
// that is what previews of a link show.
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

// sharedTitle is the verdict on the object, or on the CRD if there is none or
// the CRD is at fault: "CronTab my-cron rejected".
func sharedTitle(report playground.Report) string {
	if !report.CRD.Accepted || len(report.Objects) == 0 {
		name := report.CRD.Name
		if name == "" {
			name = "CRD"
		}
		return short(name, maxTitle) + " " + verdictWord(report.CRD.Accepted, report.CRD.Status)
	}
	rejected := 0
	for _, object := range report.Objects {
		if !object.Accepted {
			rejected++
		}
	}
	if len(report.Objects) == 1 {
		object := report.Objects[0]
		return short(objectTitle(object), maxTitle) + " " + verdictWord(object.Accepted, object.Status)
	}
	if rejected == 0 {
		return count(len(report.Objects), "object") + " accepted"
	}
	return bareCount(rejected) + " of " + count(len(report.Objects), "object") + " rejected"
}

// sharedDescription is the verdict in words, and the first error.
func sharedDescription(report playground.Report) string {
	text := announcement(report)
	for _, finding := range findings(report) {
		if finding.Severity == playground.SeverityError {
			field := finding.Field
			if field != "" {
				field += ": "
			}
			text += " " + field + finding.Message
			break
		}
	}
	return short(text, maxDescription)
}

// Previews of links cut off what is longer.
const (
	maxTitle       = 80
	maxDescription = 300
)

// short is a text in one line of at most so many characters.
func short(text string, most int) string {
	line := []rune(strings.Join(strings.Fields(text), " "))
	if len(line) <= most {
		return string(line)
	}
	return string(line[:most-1]) + "…"
}

// verbatim is a text as the content of a textarea or pre element: browsers drop
// the first line break there.
func verbatim(text string) string { return "\n" + text }
