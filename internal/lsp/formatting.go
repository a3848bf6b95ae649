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
	response, err := s.assistant.Respond(ctx, playground.AssistRequest{Format: &playground.FormatRequest{Text: f.text}})
	if err != nil {
		return none, err
	}
	if response.Format.Problem != "" {
		return none, &jsonrpc2.Error{Code: codeRequestFailed, Message: "not formatted: " + response.Format.Problem}
	}
	if response.Format.Text == f.text {
		return none, nil
	}
	file := manifest.NewFile(f.path, f.text)
	return []protocol.TextEdit{{Range: s.rangeIn(file, file.Whole()), NewText: response.Format.Text}}, nil
}
