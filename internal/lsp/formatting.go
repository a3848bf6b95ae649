package lsp

import (
	"context"
	"strings"
	"unicode/utf16"

	"github.com/sergi/go-diff/diffmatchpatch"
	"github.com/sourcegraph/jsonrpc2"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// formatting writes the documents of a file in block style with an indentation of two spaces.
func (s snapshot) formatting(ctx context.Context, f *file, _ struct{}) ([]protocol.TextEdit, error) {
	none := []protocol.TextEdit{}
	if len(f.read().Documents) == 0 {
		return none, nil
	}
	response, err := s.assistant.Respond(ctx, playground.AssistRequest{Format: &playground.FormatRequest{Text: f.text}})
	if err != nil {
		return none, err
	}
	if response.Format.Problem != "" {
		return none, &jsonrpc2.Error{Code: codeRequestFailed, Message: "not formatted: " + response.Format.Problem}
	}
	file := manifest.NewFile(f.path, f.text)
	edits := none
	for _, e := range lineEdits(f.text, response.Format.Text) {
		edits = append(edits, protocol.TextEdit{Range: s.rangeIn(file, e.Range), NewText: e.NewText})
	}
	return edits, nil
}

// lineEdits returns the edits of whole lines that make a text another one.
func lineEdits(before, after string) []edit.Edit {
	differ := diffmatchpatch.New()
	first, second, lines := differ.DiffLinesToRunes(before, after)
	var edits []edit.Edit
	line, changed := 0, false
	for _, d := range differ.DiffCharsToLines(differ.DiffMainRunes(first, second, false), lines) {
		if d.Type == diffmatchpatch.DiffEqual {
			line, changed = line+strings.Count(d.Text, "\n"), false
			continue
		}
		if !changed {
			at := playground.Position{Line: line}
			edits = append(edits, edit.Edit{Range: playground.Range{Start: at, End: at}})
		}
		last := &edits[len(edits)-1]
		changed = true
		if d.Type == diffmatchpatch.DiffInsert {
			last.NewText += d.Text
			continue
		}
		line += strings.Count(d.Text, "\n")
		last.Range.End = playground.Position{Line: line}
		if !strings.HasSuffix(d.Text, "\n") { // the end of a file without a line break
			last.Range.End.Character = len(utf16.Encode([]rune(d.Text[strings.LastIndexByte(d.Text, '\n')+1:])))
		}
	}
	return edits
}
