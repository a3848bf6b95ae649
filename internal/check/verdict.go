package check

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// Reasons for an unknown verdict.
const (
	crdRejected  = "its CRD is rejected"
	crdNotServed = "the API server does not serve its CRD"
	notJudged    = "there is nothing to judge"
)

// The names of the files in the reports of the engine.
const (
	crdFile    = "crd.yaml"
	objectFile = "object.yaml"
)

// verdictOf returns the verdict in a report on a document under its CRD.
func verdictOf(report playground.Report, d, crd *Document, a *admission) Verdict {
	files := sources{crd: crd.source, admission: a, own: d.source}
	if d == crd {
		v := Verdict{
			Accepted: report.CRD.Accepted, Status: report.CRD.Status,
			Output: named(report.CRD.Output, crdFile, d.Path, report.CRD.Warnings),
			Cost:   report.CRD.EstimatedCost, CostLimit: report.CRD.CostLimit,
			Findings: findingsOf(report.CRD.Findings, files),
		}
		v.Kubernetes, v.Approximate = report.Kubernetes.Emulated, report.Kubernetes.Approximate
		return v
	}
	files.object = d.source
	v := Verdict{Kubernetes: report.Kubernetes.Emulated, Approximate: report.Kubernetes.Approximate, Findings: []Finding{}}
	if len(report.Objects) == 0 {
		v.Unknown = notJudged
		return v
	}
	o := report.Objects[0]
	v.Accepted, v.Status = o.Accepted, o.Status
	v.Output = named(o.Output, objectFile, d.Path, o.Warnings)
	v.Cost, v.CostLimit = o.RulesCost, o.RulesBudget
	v.Findings = append(findingsOf(o.Findings, files), scaleFindings(report.CRD, o, d.source, crd.source)...)
	switch {
	case !report.CRD.Accepted:
		v.Unknown = crdRejected
	case len(o.DependsOn) > 0:
		v.Unknown = "it depends on " + strings.Join(o.DependsOn, " and ")
	}
	return v
}

// addNote adds a note at the first line of a document.
func (v *Verdict) addNote(d *Document, message string) {
	place, line := located(d.source, playground.Range{})
	v.Findings = append(v.Findings, Finding{
		Place: place, Source: line, Severity: playground.SeverityInfo, Reason: playground.ReasonNote, Message: message, Related: []Related{}, Fixes: []string{},
	})
}

// scaleFindings returns a warning for each version whose scale subresource has no response for
// an accepted object: kubectl scale and autoscalers fail.
func scaleFindings(crd playground.CRD, o playground.Object, object, definition *manifest.Document) []Finding {
	var all []Finding
	for _, scale := range o.Scale {
		version := slices.IndexFunc(crd.Versions, func(v playground.Version) bool { return v.Name == scale.Version })
		readable := slices.ContainsFunc(o.Versions, func(v playground.ObjectVersion) bool { return v.Name == scale.Version && v.Error == "" })
		responds := scale.Status.Code == http.StatusOK || scale.Status.Code == http.StatusNotFound // not enabled
		if !o.Accepted || version < 0 || !readable || responds {
			continue
		}
		field := fmt.Sprintf("spec.versions[%d].subresources.scale", version)
		place, line := located(object, object.At("spec"))
		subresource := placeOf(definition, definition.At("spec", "versions", version, "subresources", "scale"))
		all = append(all, Finding{
			Place: place, Source: line, Severity: playground.SeverityWarning, Reason: scale.Status.Reason, Field: field,
			Message: scale.Status.Message, Hint: scale.Hint, Related: []Related{{subresource, "Subresource: " + field}}, Fixes: []string{},
		})
	}
	return all
}

// named returns the output of kubectl with the path of a file instead of its name. Names
// follow the warnings.
func named(output, name, path string, warnings []string) string {
	rest := output
	for _, warning := range warnings {
		rest = strings.TrimPrefix(rest, "Warning: "+warning+"\n")
	}
	head := output[:len(output)-len(rest)]
	if quoted := strconv.Quote(name); strings.Contains(rest, quoted) {
		return head + strings.Replace(rest, quoted, strconv.Quote(path), 1)
	}
	return head + strings.Replace(rest, name, path, 1)
}

// FindingsOf returns findings in a CRD with their places in its file.
func FindingsOf(findings []playground.Finding, crd *manifest.Document) []Finding {
	return findingsOf(findings, sources{crd: crd, own: crd})
}

// sources has the documents of a scenario. The fixes of findings change only own.
type sources struct {
	crd, object *manifest.Document
	admission   *admission
	own         *manifest.Document
}

// at returns the source of a range in a document of the scenario, or nil.
func (s sources) at(document playground.Document, r playground.Range) (*manifest.Document, playground.Range) {
	switch document {
	case playground.DocumentCRD:
		return s.crd, r
	case playground.DocumentObject:
		return s.object, r
	case playground.DocumentAdmission:
		return s.admission.at(r)
	}
	return nil, r
}

// findingsOf returns findings with their places in files.
func findingsOf(findings []playground.Finding, from sources) []Finding {
	all := []Finding{}
	for _, f := range playground.Readable(findings) {
		file, at := from.at(f.Document, f.Range)
		if file == nil {
			continue
		}
		place, line := located(file, at)
		found := Plain(f)
		if file.Origin != nil {
			// They change the generated document, not its source.
			found.Fixes, found.inGo = []string{}, fixesInGo(f, file)
		}
		found.Place, found.Source = place, line
		for _, r := range f.Related {
			if other, at := from.at(r.Document, r.Range); other != nil {
				found.Related = append(found.Related, Related{placeOf(other, at), r.Message})
			}
		}
		if len(f.Fixes) == 1 && f.Fixes[0].Safe && file.Origin == nil {
			found.edits, found.SafeFix = from.edits(f.Fixes[0])
		}
		all = append(all, found)
	}
	return all
}

// edits returns the edits of a fix in the file of own. ok is false if the fix changes another
// document.
func (s sources) edits(f playground.Fix) (edits []edit.Edit, ok bool) {
	for _, e := range f.Edits {
		file, at := s.at(e.Document, e.Range)
		if file != s.own {
			return nil, false
		}
		edits = append(edits, edit.Edit{Range: file.InFile(at), NewText: e.NewText})
	}
	return edits, true
}
