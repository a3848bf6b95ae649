package lsp

import (
	"context"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// sinceHead returns the findings that the update of a document from its version in the last
// commit adds to those of its creation: refused transitions, and the changes of a CRD that break
// its clients or objects.
func (s snapshot) sinceHead(ctx context.Context, f *file, t target, scenario playground.Scenario, created []playground.Finding) ([]finding, error) {
	old := sameObject(f.atHead(), t.document)
	if old == nil || old.Text == t.document.Text {
		return nil, nil
	}
	if t.document == t.crd {
		scenario.OldCRD = old.Text
	} else {
		scenario.OldObject = old.Text
	}
	report, err := s.options.Evaluate(ctx, scenario)
	if err != nil {
		return nil, err
	}
	type key struct{ field, message string }
	known := map[key]bool{}
	for _, c := range created {
		known[key{c.Field, c.Message}] = true
	}
	var all []finding
	for _, found := range findingsOf(report, t) {
		if found.Severity == playground.SeverityInfo || known[key{found.Field, found.Message}] || t.documentOf(found.Document) != t.document {
			continue
		}
		found.Severity, found.Fixes = playground.SeverityWarning, nil
		added := s.found(t, found)
		added.Message = "An update from the last commit: " + added.Message
		all = append(all, added)
	}
	for _, c := range report.CRD.Changes {
		if c.Breaks == playground.BreaksNone || t.document != t.crd {
			continue
		}
		changed := s.found(t, playground.Finding{Severity: playground.SeverityWarning, Document: playground.DocumentCRD, Range: c.Range, Field: c.Field, Message: c.Because})
		changed.Message = "Since the last commit: " + c.Kind + ". " + c.Because
		if c.Witness != nil {
			changed.Message += "\nThis object breaks:\n" + c.Witness.Object
		}
		all = append(all, changed)
	}
	return all, nil
}

// sameObject returns the document of an input with the identity of another, or nil.
func sameObject(in *manifest.Input, d *manifest.Document) *manifest.Document {
	for _, old := range in.Documents {
		if old.Kind == d.Kind && old.Namespace == d.Namespace && old.Name == d.Name {
			return old
		}
	}
	return nil
}
