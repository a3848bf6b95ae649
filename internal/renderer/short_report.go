package renderer

import (
	"fmt"
	"unicode/utf8"

	"github.com/crdlab/crdlab/internal/playground"
)

const (
	// shortFindings limits the findings of each document in a short report.
	shortFindings = 20
	// shortText limits the messages of a short report in bytes.
	shortText = 4 << 10
)

// shorten returns a small report with the verdicts and the first findings of a report,
// and a finding that explains this.
func shorten(report playground.Report) playground.Report {
	short := playground.EmptyReport()
	short.Kubernetes, short.Timing = report.Kubernetes, report.Timing
	short.CRD.Name = clip(report.CRD.Name)
	short.CRD.Accepted = report.CRD.Accepted
	short.CRD.Status = shortStatus(report.CRD.Status)
	short.CRD.Output = clip(report.CRD.Output)
	short.CRD.Findings = append([]playground.Finding{{
		Severity: playground.SeverityInfo,
		Reason:   playground.ReasonLimit,
		Message:  fmt.Sprintf("the report is larger than %d MiB, so only the verdicts and the first findings are shown", MaxResult>>20),
		Document: playground.DocumentCRD,
		Hint:     "This is a limit of crdlab, not of Kubernetes. Large reports result from large objects in a CRD with many versions.",
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	}}, firstFindings(report.CRD.Findings)...)
	for _, candidate := range report.CRD.Candidates {
		if candidate.Report != nil {
			other := shorten(*candidate.Report)
			candidate.Report = &other
		}
		short.CRD.Candidates = append(short.CRD.Candidates, candidate)
	}
	for _, object := range report.Objects {
		short.Objects = append(short.Objects, shortObject(object))
	}
	return short
}

func shortObject(object playground.Object) playground.Object {
	return playground.Object{
		APIVersion: clip(object.APIVersion),
		Kind:       clip(object.Kind),
		Namespace:  clip(object.Namespace),
		Name:       clip(object.Name),
		Range:      object.Range,
		Operation:  object.Operation,
		Accepted:   object.Accepted,
		Deleted:    object.Deleted,
		Status:     shortStatus(object.Status),
		Output:     clip(object.Output),
		Findings:   firstFindings(object.Findings),

		Warnings:         []string{},
		Stages:           []playground.Stage{},
		Schema:           []playground.SchemaPlace{},
		Rules:            []playground.RuleResult{},
		Versions:         []playground.ObjectVersion{},
		Conversions:      []playground.ConversionReview{},
		Scale:            []playground.Scale{},
		SelectableFields: []playground.SelectableFields{},
	}
}

func shortStatus(status playground.Status) playground.Status {
	return playground.Status{Code: status.Code, Reason: clip(status.Reason), Message: clip(status.Message)}
}

func firstFindings(findings []playground.Finding) []playground.Finding {
	first := make([]playground.Finding, 0, shortFindings)
	for _, f := range findings[:min(len(findings), shortFindings)] {
		f.Field, f.Message = clip(f.Field), clip(f.Message)
		f.Fixes, f.Related = []playground.Fix{}, []playground.Related{}
		first = append(first, f)
	}
	return first
}

// clip shortens a long string at a character.
func clip(text string) string {
	if len(text) <= shortText {
		return text
	}
	end := shortText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
