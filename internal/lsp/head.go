package lsp

import (
	"context"
	"slices"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// former returns the version of a document in the last commit; nil if it is the same, if there is
// none, or if the settings end the comparison.
func (s snapshot) former(f *file, t target) *manifest.Document {
	if s.settings.ComparesWithHead != nil && !*s.settings.ComparesWithHead {
		return nil
	}
	before := f.atHead().Documents
	if slices.ContainsFunc(before, func(old *manifest.Document) bool { return old.Text == t.document.Text }) {
		return nil
	}
	for _, old := range before {
		if old.Kind == t.document.Kind && old.Namespace == t.document.Namespace && old.Name == t.document.Name {
			return old
		}
	}
	return nil
}

// sinceHead returns the findings that the update of a document from its version in the last
// commit adds to the findings of its creation: refused transitions, and the changes of a CRD that break
// its clients or objects.
func (s snapshot) sinceHead(ctx context.Context, f *file, t target) ([]finding, error) {
	if t.crd == nil {
		return nil, nil
	}
	scenario, old := t.scenario(s.settings.Release), s.former(f, t)
	switch {
	case old == nil:
		return nil, nil
	case t.document == t.crd:
		scenario.OldCRD = old.Text
	default:
		scenario.OldObject = old.Text
	}
	report, err := s.evaluate(ctx, scenario)
	if err != nil {
		return nil, err
	}
	created, err := f.judge(ctx, s)
	if err != nil {
		return nil, err
	}
	type key struct{ field, message string }
	known := map[key]bool{}
	for _, c := range created.verdicts[t.document].Findings {
		known[key{c.Field, c.Message}] = true
	}
	var all []finding
	for _, found := range check.VerdictOf(report, t.document, t.crd).Findings {
		if found.Severity == playground.SeverityInfo || known[key{found.Field, found.Message}] || !contains(t.document.Range, found.Range.Start) || found.File != t.document.File {
			continue
		}
		found.Severity, found.Fixes = playground.SeverityWarning, nil
		added := s.found(found)
		added.Message = "An update from the last commit: " + added.Message
		all = append(all, added)
	}
	for _, c := range report.CRD.Changes {
		if c.Breaks == playground.BreaksNone || t.document != t.crd {
			continue
		}
		changed := s.found(manifest.Finding{Place: t.document.Place(c.Range), Severity: playground.SeverityWarning, Field: c.Field, Message: c.Because})
		changed.Message = "Since the last commit: " + c.Kind + ". " + c.Because
		if c.Witness != nil {
			changed.Message += "\nThis object breaks:\n" + c.Witness.Object
		}
		all = append(all, changed)
	}
	return all, nil
}
