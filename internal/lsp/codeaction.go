package lsp

import (
	"context"
	"slices"
	"strings"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// kindFixAll is the kind of the action that applies all safe fixes of a file.
const kindFixAll = "source.fixAll.crdlab"

// codeActions returns the fixes of the findings in a range, and one action for all safe fixes of
// the file.
func (s snapshot) codeActions(ctx context.Context, f *file, p protocol.CodeActionParams) ([]protocol.CodeAction, error) {
	all := []protocol.CodeAction{}
	known, ok := s.diagnoser.of(f)
	if !ok {
		findings, _, err := s.findings(ctx, f)
		if err != nil {
			return all, err
		}
		known.findings = findings
	}
	var safe []protocol.TextEdit
	for i, found := range known.findings {
		if found.inGo != nil && overlaps(found.Range, p.Range) && wants(p.Context.Only, protocol.CodeActionKindQuickFix) {
			all = append(all, s.actionsInGo(ctx, f, i, found)...)
		}
		// The fixes in Go take about a second each, so an editor must ask for them.
		if found.inGo != nil && len(p.Context.Only) > 0 && wants(p.Context.Only, kindFixAll) {
			if edits := s.safeInGo(ctx, f, found); !overlapAny(safe, edits) {
				safe = append(safe, edits...)
			}
		}
		for i, fix := range found.fixes {
			edit, ok := s.edit(found.target, fix)
			if !ok {
				continue
			}
			if overlaps(found.Range, p.Range) && wants(p.Context.Only, protocol.CodeActionKindQuickFix) {
				all = append(all, protocol.CodeAction{
					Title: fix.Title, Kind: new(string(protocol.CodeActionKindQuickFix)), Diagnostics: []protocol.Diagnostic{found.Diagnostic},
					IsPreferred: new(i == 0 && len(found.fixes) == 1), Edit: edit,
				})
			}
			if edits := edit.Changes[f.uri]; fix.Safe && len(found.fixes) == 1 && len(edit.Changes) == 1 && !overlapAny(safe, edits) {
				safe = append(safe, edits...)
			}
		}
	}
	if len(safe) > 0 && wants(p.Context.Only, kindFixAll) {
		all = append(all, protocol.CodeAction{
			Title: "Apply all safe fixes", Kind: new(string(kindFixAll)),
			Edit: &protocol.WorkspaceEdit{Changes: map[protocol.DocumentUri][]protocol.TextEdit{f.uri: safe}},
		})
	}
	return all, nil
}

// wants reports whether a request wants a kind of actions, or for a kind that contains it.
func wants(only []protocol.CodeActionKind, kind string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o protocol.CodeActionKind) bool {
		return kind == o || strings.HasPrefix(kind, o+".")
	})
}

// edit returns a fix as an edit of files. ok is false if it changes a document that is no file.
func (s snapshot) edit(t target, fix playground.Fix) (edit *protocol.WorkspaceEdit, ok bool) {
	changes := map[protocol.DocumentUri][]protocol.TextEdit{}
	for _, e := range fix.Edits {
		var d *manifest.Document
		if d = t.documentOf(e.Document); d == nil || d.Origin != nil {
			return nil, false
		}
		place := s.location(d, e.Range)
		if place == nil {
			return nil, false
		}
		changes[place.URI] = append(changes[place.URI], protocol.TextEdit{Range: place.Range, NewText: e.NewText})
	}
	return &protocol.WorkspaceEdit{Changes: changes}, len(changes) > 0
}

func overlapAny(some, others []protocol.TextEdit) bool {
	return slices.ContainsFunc(some, func(a protocol.TextEdit) bool {
		return slices.ContainsFunc(others, func(b protocol.TextEdit) bool { return overlaps(a.Range, b.Range) })
	})
}

// overlaps reports whether two ranges have a position in common.
func overlaps(a, b protocol.Range) bool {
	isBefore := func(p, q protocol.Position) bool {
		return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
	}
	return !isBefore(a.End, b.Start) && !isBefore(b.End, a.Start)
}
