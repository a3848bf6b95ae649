package object

import (
	"cmp"
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// Accept replaces the response in a report by acceptance with a status code, the
// response of another release. The explanations remain.
func Accept(report *playground.Object, doc *source.Document, code int, warnings []string) {
	kind := schema.FromAPIVersionAndKind(report.APIVersion, report.Kind)
	replaceResponse(report, doc, warnings)
	report.Accepted = true
	report.Status = playground.Status{Code: code}
	report.Output = kubectl.FormatSuccess(kind.Kind, kind.Group, report.Name, report.Operation, warnings)
}

// Reject replaces the response in a report by an error, the response of another
// release. The explanations remain.
func Reject(report *playground.Object, s playground.Scenario, doc *source.Document, err error, warnings []string) {
	replaceResponse(report, doc, warnings)
	report.Accepted, report.Deleted = false, false
	report.Status = upstream.StatusOf(err)
	report.Output = cmp.Or(unsentOutput(doc, s.ObjectFile, report.Operation, s.FieldValidation), kubectl.FormatError(err, report.Operation, s.ObjectFile, warnings))
	report.Findings = append(report.Findings, errorFindings(doc, err)...)
	report.Stored, report.Size = json.RawMessage("null"), nil
	report.Versions, report.Scale = []playground.ObjectVersion{}, []playground.Scale{}
	report.SelectableFields = []playground.SelectableFields{}
}

// replaceResponse sets the warnings, and replaces the findings of the former response by
// the warnings' findings.
func replaceResponse(report *playground.Object, doc *source.Document, warnings []string) {
	report.Warnings = append([]string{}, warnings...)
	report.Findings = slices.DeleteFunc(slices.Clone(report.Findings), func(f playground.Finding) bool {
		return f.Severity == playground.SeverityError || f.Reason == playground.ReasonWarning && !slices.Contains(warnings, f.Message)
	})
	for _, message := range warnings {
		if !slices.ContainsFunc(report.Findings, func(f playground.Finding) bool { return f.Message == message }) {
			report.Findings = append(report.Findings, finding.OfWarning(playground.DocumentObject, "", doc, message))
		}
	}
}

// errorFindings returns a finding for each cause of an error. Their stage is not known.
func errorFindings(doc *source.Document, err error) []playground.Finding {
	status := upstream.APIStatus(err)
	if status.Details == nil || len(status.Details.Causes) == 0 {
		f := finding.OfRequest(playground.DocumentObject, "", doc, status.Message)
		f.Reason = string(status.Reason)
		return []playground.Finding{f}
	}
	findings := finding.NewCollector(finding.MaxDescribed)
	for _, cause := range status.Details.Causes {
		f := finding.Error(playground.DocumentObject, "", playground.Range{}, cause.Message)
		f.Reason, f.Field = string(cause.Type), cause.Field
		findings.AddLazily(f, func(f playground.Finding) playground.Finding {
			f.Range = finding.RequestRange(doc, f.Message)
			if location, ok := finding.Locate(doc, f.Place()); ok {
				f.Range = finding.Mark(location)
			}
			return f
		})
	}
	return findings.List()
}
