package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/sourcegraph/jsonrpc2"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/manifest"
)

// kindFixAll is the kind of the action that applies all safe fixes of a file.
const kindFixAll = "source.fixAll.crdlab"

// kindConventions is the kind of the action that requests notes on conventions.
const kindConventions = "source.conventions.crdlab"

// codeActions returns the fixes of the findings in a range, and one action for all safe fixes of
// the file.
func (s snapshot) codeActions(ctx context.Context, f *file, p protocol.CodeActionParams) ([]protocol.CodeAction, error) {
	all := []protocol.CodeAction{}
	known, isCurrent := s.diagnoser.of(f)
	if !isCurrent {
		var err error
		if known.findings, err = s.findings(ctx, f); err != nil {
			return all, err
		}
	}
	var safe []protocol.TextEdit
	for i, found := range known.findings {
		if overlaps(found.Range, p.Range) && wants(p.Context.Only, protocol.CodeActionKindQuickFix) {
			all = append(all, s.quickFixes(ctx, f, i, found)...)
		}
		for _, fix := range found.fixes {
			// To test a fix takes about a second, so an editor must ask for it.
			if !fix.Safe || !wants(p.Context.Only, kindFixAll) || fix.Resolve != nil && len(p.Context.Only) == 0 {
				continue
			}
			if edit := s.workspaceEdit(fix.Resolved(ctx)); edit != nil && len(edit.Changes) == 1 && !overlapAny(safe, edit.Changes[f.uri]) {
				safe = append(safe, edit.Changes[f.uri]...)
			}
		}
	}
	if len(safe) > 0 {
		all = append(all, protocol.CodeAction{
			Title: "Apply all safe fixes", Kind: new(string(kindFixAll)),
			Edit: &protocol.WorkspaceEdit{Changes: map[protocol.DocumentUri][]protocol.TextEdit{f.uri: safe}},
		})
	}
	// It is about no finding, so an editor must ask for it.
	if action, ok := s.conventionsAction(f); ok && len(p.Context.Only) > 0 && wants(p.Context.Only, kindConventions) {
		all = append(all, action)
	}
	return all, nil
}

// A selectedFix identifies a fix: by the indexes of its finding in a version of a file, and there.
type selectedFix struct {
	URI     protocol.DocumentUri `json:"uri"`
	Version int32                `json:"version"`
	Finding uint                 `json:"finding"`
	Fix     uint                 `json:"fix"`
}

// quickFixes returns the fixes of a finding, by its index in the file. To test one takes about a second,
// so the editor requests its edits when the user selects it, if it can.
func (s snapshot) quickFixes(ctx context.Context, f *file, index int, found finding) []protocol.CodeAction {
	var all []protocol.CodeAction
	for i, fix := range found.fixes {
		action := protocol.CodeAction{
			Title: fix.Title, Kind: new(string(protocol.CodeActionKindQuickFix)), Diagnostics: []protocol.Diagnostic{found.Diagnostic},
			IsPreferred: new(len(found.fixes) == 1),
		}
		if fix.Resolve != nil && s.client.resolves {
			action.Data = selectedFix{f.uri, f.version, uint(index), uint(i)} //nolint:gosec // indexes
		} else if action.Edit = s.workspaceEdit(fix.Resolved(ctx)); action.Edit == nil {
			continue
		}
		all = append(all, action)
	}
	return all
}

// resolveAction adds the tested edit of a fix to a code action.
func (s snapshot) resolveAction(ctx context.Context, raw json.RawMessage) (map[string]any, error) {
	var selected struct {
		Title string       `json:"title"`
		Data  *selectedFix `json:"data"`
	}
	var action map[string]any // with members that the server does not know
	if err := errors.Join(json.Unmarshal(raw, &selected), json.Unmarshal(raw, &action)); err != nil {
		return nil, err
	}
	if selected.Data == nil { // A command needs no edit.
		return action, nil
	}
	at := *selected.Data
	f := s.files[at.URI]
	if f == nil || f.version != at.Version {
		return nil, errOutdatedFix
	}
	known, isCurrent := s.diagnoser.of(f)
	if !isCurrent || at.Finding >= uint(len(known.findings)) || at.Fix >= uint(len(known.findings[at.Finding].fixes)) {
		return nil, errOutdatedFix
	}
	edit := s.workspaceEdit(known.findings[at.Finding].fixes[at.Fix].Resolved(ctx))
	if edit == nil {
		return nil, &jsonrpc2.Error{Code: codeRequestFailed, Message: "The Go types cannot express this fix: " + selected.Title}
	}
	action["edit"] = edit
	return action, nil
}

var errOutdatedFix = &jsonrpc2.Error{Code: codeContentModified, Message: "The file has changed since this fix was offered."}

// wants reports whether a request wants a kind of actions, or for a kind that contains it.
func wants(only []protocol.CodeActionKind, kind string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o protocol.CodeActionKind) bool {
		return kind == o || strings.HasPrefix(kind, o+".")
	})
}

// workspaceEdit returns edits of files; nil without edits, if an editor cannot open a file, or if it has
// changed since its finding.
func (s snapshot) workspaceEdit(edits []manifest.Edit) *protocol.WorkspaceEdit {
	changes := map[protocol.DocumentUri][]protocol.TextEdit{}
	for _, e := range edits {
		place := s.location(e.Place)
		if place == nil {
			return nil
		}
		if open := s.files[place.URI]; open != nil && open.text != e.File.Text {
			return nil
		} else if open == nil && !e.File.Writable {
			return s.creatingEdit(place.URI, edits)
		}
		changes[place.URI] = append(changes[place.URI], protocol.TextEdit{Range: place.Range, NewText: e.NewText})
	}
	if len(changes) == 0 {
		return nil
	}
	return &protocol.WorkspaceEdit{Changes: changes}
}

// creatingEdit returns the edit that creates a file; nil if the edits change other text, or the editor creates no files.
func (s snapshot) creatingEdit(uri protocol.DocumentUri, edits []manifest.Edit) *protocol.WorkspaceEdit {
	if !s.client.creates || len(edits) != 1 || edits[0].File.Text != "" {
		return nil
	}
	file := protocol.OptionalVersionedTextDocumentIdentifier{TextDocumentIdentifier: protocol.TextDocumentIdentifier{URI: uri}}
	return &protocol.WorkspaceEdit{DocumentChanges: []any{
		protocol.CreateFile{Kind: "create", URI: uri},
		protocol.TextDocumentEdit{TextDocument: file, Edits: []any{protocol.TextEdit{NewText: edits[0].NewText}}},
	}}
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
