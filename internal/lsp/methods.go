package lsp

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/playground"
)

// A method handles a request or a notification: exactly one of its fields is set.
type method struct {
	// change handles a message that changes the state of the server, before the next message.
	change func(*Server, context.Context, json.RawMessage) (any, error)
	// request responds to a request.
	request func(snapshot, context.Context, json.RawMessage) (any, error)
}

// methods lists the methods of the server. The others are answered with an error.
var methods map[string]method

func init() {
	methods = map[string]method{
		protocol.MethodInitialize:                         change((*Server).initialize),
		protocol.MethodInitialized:                        notification((*Server).initialized),
		protocol.MethodShutdown:                           change((*Server).shutdown),
		protocol.MethodSetTrace:                           notification((*Server).setTrace),
		protocol.MethodCancelRequest:                      notification((*Server).cancel),
		protocol.MethodTextDocumentDidOpen:                notification((*Server).didOpen),
		protocol.MethodTextDocumentDidChange:              notification((*Server).didChange),
		protocol.MethodTextDocumentDidSave:                notification((*Server).didSave),
		protocol.MethodTextDocumentDidClose:               notification((*Server).didClose),
		protocol.MethodWorkspaceDidChangeWorkspaceFolders: notification((*Server).didChangeFolders),
		protocol.MethodWorkspaceDidChangeConfiguration:    notification((*Server).didChangeConfiguration),
		protocol.MethodWorkspaceDidChangeWatchedFiles:     notification((*Server).didChangeWatchedFiles),

		protocol.MethodTextDocumentCompletion:         inGo(snapshot.markerCompletion, inLine(atCursor(snapshot.completion))),
		protocol.MethodCompletionItemResolve:          request(snapshot.resolveCompletion),
		protocol.MethodTextDocumentHover:              inGo(snapshot.markerHover, atCursor(snapshot.hover)),
		protocol.MethodTextDocumentDefinition:         atCursor(snapshot.definition),
		protocol.MethodTextDocumentReferences:         atCursor(snapshot.references),
		protocol.MethodTextDocumentPrepareRename:      atCursor(snapshot.prepareRename),
		protocol.MethodTextDocumentRename:             atCursor(snapshot.rename),
		protocol.MethodTextDocumentDocumentSymbol:     ofFile(snapshot.documentSymbols),
		protocol.MethodWorkspaceSymbol:                request(snapshot.workspaceSymbols),
		protocol.MethodTextDocumentCodeAction:         ofFile(snapshot.codeActions),
		protocol.MethodCodeActionResolve:              request(snapshot.resolveAction),
		protocol.MethodTextDocumentCodeLens:           ofFile(snapshot.codeLenses),
		protocol.MethodTextDocumentFormatting:         ofFile(snapshot.formatting),
		protocol.MethodTextDocumentFoldingRange:       ofFile(snapshot.foldingRanges),
		protocol.MethodTextDocumentSelectionRange:     ofFile(snapshot.selectionRanges),
		protocol.MethodTextDocumentSemanticTokensFull: ofFile(snapshot.semanticTokens),
		methodInlayHint:                               ofFile(snapshot.inlayHints),
		protocol.MethodWorkspaceExecuteCommand:        request(snapshot.executeCommand),
	}
}

// change returns the method of a request that changes the state of the server.
func change[P, R any](f func(*Server, context.Context, P) (R, error)) method {
	return method{change: func(s *Server, ctx context.Context, raw json.RawMessage) (any, error) {
		p, err := decode[P](raw)
		if err != nil {
			return nil, err
		}
		return f(s, ctx, p)
	}}
}

// notification returns the method of a notification.
func notification[P any](f func(*Server, context.Context, P)) method {
	return change(func(s *Server, ctx context.Context, p P) (any, error) {
		f(s, ctx, p)
		return nil, nil
	})
}

// request returns the method of a request that changes nothing.
func request[P, R any](f func(snapshot, context.Context, P) (R, error)) method {
	return method{request: func(s snapshot, ctx context.Context, raw json.RawMessage) (any, error) {
		p, err := decode[P](raw)
		if err != nil {
			return nil, err
		}
		return f(s, ctx, p)
	}}
}

// ofFile returns the method of a request about an open file. The answer for another file is null.
func ofFile[P, R any](f func(snapshot, context.Context, *file, P) (R, error)) method {
	return request(func(s snapshot, ctx context.Context, p about[P]) (any, error) {
		open, ok := s.files[p.place.TextDocument.URI]
		if !ok {
			return nil, nil
		}
		return f(s, ctx, open, p.params)
	})
}

// atCursor returns the method of a request about a position in a document of an open file. The
// answer is null where there is no document with a CRD.
func atCursor[P, R any](f func(snapshot, context.Context, target, playground.Cursor, P) (R, error)) method {
	return ofFile(func(s snapshot, ctx context.Context, open *file, p about[P]) (any, error) {
		t, ok := s.targetAt(ctx, open, int(p.place.Position.Line))
		if !ok {
			return nil, nil
		}
		at := s.positionFrom(t.document.File, p.place.Position)
		at.Line -= t.document.Range.Start.Line
		cursor := playground.Cursor{Scenario: t.scenario(s.settings.Release), Document: t.name(), Position: at}
		return f(s, ctx, t, cursor, p.params)
	})
}

// inGo returns a method that responds about a position in a Go file with a function of its own.
func inGo[R any](f func(snapshot, context.Context, *file, cursorLine) (R, error), other method) method {
	return method{request: func(s snapshot, ctx context.Context, raw json.RawMessage) (any, error) {
		p, err := decode[about[struct{}]](raw)
		if err != nil {
			return nil, err
		}
		open, ok := s.files[p.place.TextDocument.URI]
		if !ok || !open.isGo() {
			return other.request(s, ctx, raw)
		}
		return f(s, ctx, open, s.lineAt(open, p.place.Position))
	}}
}

// about holds the parameters of a request, and the place that they name.
type about[P any] struct {
	params P
	place  struct {
		TextDocument protocol.TextDocumentIdentifier `json:"textDocument"`
		Position     protocol.Position               `json:"position"`
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *about[P]) UnmarshalJSON(raw []byte) error {
	return cmp.Or(json.Unmarshal(raw, &a.params), json.Unmarshal(raw, &a.place))
}

func decode[P any](raw json.RawMessage) (p P, err error) {
	if err := json.Unmarshal(raw, &p); err != nil {
		return p, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
	}
	return p, nil
}
