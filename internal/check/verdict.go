package check

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// Reasons for an unknown verdict.
const (
	crdRejected  = "its CRD is rejected"
	goErrors     = "its Go types have errors"
	crdNotServed = "the API server does not serve its CRD"
	notJudged    = "there is nothing to judge"
)

// VerdictOf returns the verdict in a report on a document under its CRD, without admission policies.
func VerdictOf(report playground.Report, d, crd *manifest.Document) Verdict {
	return verdictOf(report, d, crd, nil)
}

// verdictOf returns the verdict in a report on a document under its CRD.
func verdictOf(report playground.Report, d, crd *manifest.Document, a *admission) Verdict {
	files := sources{crd: crd, admission: a, own: d}
	if d == crd {
		v := Verdict{
			Accepted: report.CRD.Accepted, Status: report.CRD.Status,
			Output: report.CRD.Output,
			Cost:   report.CRD.EstimatedCost, CostLimit: report.CRD.CostLimit,
			Findings: findingsOf(report.CRD.Findings, files),
		}
		v.Kubernetes, v.Approximate = report.Kubernetes.Emulated, report.Kubernetes.Approximate
		if v.Accepted && crd.IsIncomplete != nil && crd.IsIncomplete() {
			v.Unknown = goErrors
		}
		return v
	}
	files.object = d
	v := Verdict{Kubernetes: report.Kubernetes.Emulated, Approximate: report.Kubernetes.Approximate, Findings: []manifest.Finding{}}
	if len(report.Objects) == 0 {
		v.Unknown = notJudged
		return v
	}
	o := report.Objects[0]
	v.Accepted, v.Status = o.Accepted, o.Status
	v.Output = o.Output
	v.Cost, v.CostLimit = o.RulesCost, o.RulesBudget
	v.Findings = append(findingsOf(o.Findings, files), scaleFindings(report.CRD, o, d, crd)...)
	switch {
	case !report.CRD.Accepted:
		v.Unknown = crdRejected
	case crd.IsIncomplete != nil && crd.IsIncomplete():
		v.Unknown = goErrors
	case len(o.DependsOn) > 0:
		v.Unknown = "it depends on " + strings.Join(o.DependsOn, " and ")
	}
	return v
}

// addNote adds a note at the first line of a document.
func (v *Verdict) addNote(d *Document, message string, related ...manifest.Related) {
	v.Findings = append(v.Findings, manifest.Finding{
		Place: d.source.Place(playground.Range{}), Severity: playground.SeverityInfo, Reason: playground.ReasonNote, Message: message, Related: related,
	})
}

// atKind returns a related place at the kind of a CRD.
func (c *checker) atKind(crd *manifest.Document, message string) manifest.Related {
	place, ok := c.kinds.Load(crd)
	if !ok {
		place = crd.Place(crd.At("kind"))
		c.kinds.Store(crd, place)
	}
	return manifest.Related{Place: place.(manifest.Place), Message: message} //nolint:forcetypeassert // It holds only places.
}

// scaleFindings returns a warning for each version whose scale subresource has no response for
// an accepted object: kubectl scale and autoscalers fail.
func scaleFindings(crd playground.CRD, o playground.Object, object, definition *manifest.Document) []manifest.Finding {
	var all []manifest.Finding
	for _, scale := range o.Scale {
		version := slices.IndexFunc(crd.Versions, func(v playground.Version) bool { return v.Name == scale.Version })
		readable := slices.ContainsFunc(o.Versions, func(v playground.ObjectVersion) bool { return v.Name == scale.Version && v.Error == "" })
		responds := scale.Status.Code == http.StatusOK || scale.Status.Code == http.StatusNotFound // not enabled
		if !o.Accepted || version < 0 || !readable || responds {
			continue
		}
		field := fmt.Sprintf("spec.versions[%d].subresources.scale", version)
		subresource := definition.Place(definition.At("spec", "versions", version, "subresources", "scale"))
		all = append(all, manifest.Finding{
			Place: object.Place(object.At("spec")), Severity: playground.SeverityWarning, Reason: scale.Status.Reason, Field: field,
			Message: scale.Status.Message, Hint: scale.Hint, Related: []manifest.Related{{Place: subresource, Message: "Subresource: " + field}},
		})
	}
	return all
}

// FindingsOf returns findings in a CRD with their places in its file.
func FindingsOf(findings []playground.Finding, crd *manifest.Document) []manifest.Finding {
	return findingsOf(findings, sources{crd: crd, own: crd})
}

// sources has the documents of a scenario. A safe fix changes only own.
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
func findingsOf(findings []playground.Finding, from sources) []manifest.Finding {
	all := []manifest.Finding{}
	for _, f := range playground.Readable(findings) {
		document, at := from.at(f.Document, f.Range)
		if document == nil {
			continue
		}
		found := manifest.Plain(f)
		found.Place, found.Fixes = document.Place(at), from.fixes(f.Fixes, document)
		if document.Hint != nil {
			found.Hint = document.Hint(found.Hint)
		}
		for _, r := range f.Related {
			if other, at := from.at(r.Document, r.Range); other != nil {
				found.Related = append(found.Related, manifest.Related{Place: other.Place(at), Message: r.Message})
			}
		}
		all = append(all, found)
	}
	return once(all)
}

// once joins the notes that are equal, and counts them: several fields of a generated document may come from one place.
func once(findings []manifest.Finding) []manifest.Finding {
	type note struct {
		manifest.Place
		message string
	}
	count := map[note]int{}
	all := []manifest.Finding{}
	for _, f := range findings {
		key := note{f.Place, f.Message}
		if f.Severity != playground.SeverityInfo || count[key] == 0 {
			all = append(all, f)
		}
		if f.Severity == playground.SeverityInfo {
			count[key]++
		}
	}
	for i, f := range all {
		if n := count[note{f.Place, f.Message}]; f.Severity == playground.SeverityInfo && n > 1 {
			all[i].Message += fmt.Sprintf(" (%d times here)", n)
		}
	}
	return all
}

// fixes returns the fixes of a finding in a document. Those of a generated document are translated into
// edits of its source when they are needed. A fix that changes another generated document has no edits.
func (s sources) fixes(fixes []playground.Fix, document *manifest.Document) []manifest.Fix {
	var all []manifest.Fix
	if document.Translate != nil {
		s.own = document
	}
	for _, fix := range fixes {
		edits, isOwn := s.edits(fix)
		safe := fix.Safe && isOwn && len(fixes) == 1
		switch {
		case document.Translate == nil:
			all = append(all, manifest.Fix{Title: fix.Title, Safe: safe, Edits: edits})
		case isOwn:
			all = append(all, manifest.Fix{Title: fix.Title, Safe: safe, Resolve: func(ctx context.Context) []manifest.Edit {
				return document.Translate(ctx, inText(edits))
			}})
		}
	}
	return all
}

// edits returns the edits of a fix in files; none if it changes a generated document other than own.
// isOwn reports that they change only own.
func (s sources) edits(f playground.Fix) (edits []manifest.Edit, isOwn bool) {
	isOwn = true
	for _, e := range f.Edits {
		document, at := s.at(e.Document, e.Range)
		if document == nil || document != s.own && document.Origin != nil {
			return nil, false
		}
		isOwn = isOwn && document == s.own
		edits = append(edits, manifest.Edit{Place: manifest.Place{File: document.File, Range: document.InFile(at)}, NewText: e.NewText})
	}
	return edits, isOwn
}

// inText returns edits of one file as edits of its source.
func inText(edits []manifest.Edit) []edit.Edit {
	all := make([]edit.Edit, len(edits))
	for i, e := range edits {
		all[i] = edit.Edit{Range: e.Range, NewText: e.NewText}
	}
	return all
}
