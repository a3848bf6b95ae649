package lsp

import (
	"context"
	"encoding/json"

	"github.com/sourcegraph/jsonrpc2"
	protocol "github.com/tliron/glsp/protocol_3_16"
)

// A method handles a request or a notification: exactly one of its fields is set.
type method struct {
	// change handles a message that changes the state of the server, before the next message.
	change func(*Server, context.Context, json.RawMessage) (any, error)
	// request answers a request.
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

		protocol.MethodTextDocumentCompletion:         request(snapshot.completion),
		protocol.MethodCompletionItemResolve:          request(snapshot.resolveCompletion),
		protocol.MethodTextDocumentHover:              request(snapshot.hover),
		protocol.MethodTextDocumentDefinition:         request(snapshot.definition),
		protocol.MethodTextDocumentReferences:         request(snapshot.references),
		protocol.MethodTextDocumentDocumentSymbol:     request(snapshot.documentSymbols),
		protocol.MethodWorkspaceSymbol:                request(snapshot.workspaceSymbols),
		protocol.MethodTextDocumentCodeAction:         request(snapshot.codeActions),
		protocol.MethodTextDocumentCodeLens:           request(snapshot.codeLenses),
		protocol.MethodTextDocumentFormatting:         request(snapshot.formatting),
		protocol.MethodTextDocumentFoldingRange:       request(snapshot.foldingRanges),
		protocol.MethodTextDocumentSelectionRange:     request(snapshot.selectionRanges),
		protocol.MethodTextDocumentSemanticTokensFull: request(snapshot.semanticTokens),
		methodInlayHint:                               request(snapshot.inlayHints),
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

func decode[P any](raw json.RawMessage) (p P, err error) {
	if err := json.Unmarshal(raw, &p); err != nil {
		return p, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
	}
	return p, nil
}
