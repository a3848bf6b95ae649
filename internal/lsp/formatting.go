package lsp

import (
	"context"

	"github.com/sourcegraph/jsonrpc2"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// formatting writes the documents of a file in block style with an indentation of two spaces.
func (s snapshot) formatting(ctx context.Context, f *file, _ struct{}) ([]protocol.TextEdit, error) {
	none := []protocol.TextEdit{}
	if len(f.read().Documents) == 0 {
		return none, nil
	}
	help, err := s.assistant.Answer(ctx, playground.AssistRequest{Format: &playground.FormatRequest{Text: f.text}})
	if err != nil {
		return none, err
	}
	if help.Formatted.Problem != "" {
		return none, &jsonrpc2.Error{Code: codeRequestFailed, Message: "not formatted: " + help.Formatted.Problem}
	}
	if help.Formatted.Text == f.text {
		return none, nil
	}
	file := manifest.NewFile(f.path, f.text)
	return []protocol.TextEdit{{Range: s.rangeIn(file, file.Whole()), NewText: help.Formatted.Text}}, nil
}
