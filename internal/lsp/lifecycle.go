package lsp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/sourcegraph/jsonrpc2"
	protocol "github.com/tliron/glsp/protocol_3_16"
)

// A client has the properties of the editor that matter to the server.
type client struct {
	// isKnown is false before initialize.
	isKnown bool
	// utf8 reports that positions count bytes instead of UTF-16 code units.
	utf8 bool
	// snippets reports that completion items may have tab stops.
	snippets bool
	// watches reports that the server may ask for changes of files.
	watches bool
	// shows reports that the editor opens addresses in a browser.
	shows bool
	// progresses reports that the editor shows the progress of work that it did not ask for.
	progresses bool
	// resolves reports that the editor requests the edit of a code action when the user selects it.
	resolves bool
	// creates reports that an edit may create a file, and refreshesLenses that the editor requests code lenses again.
	creates, refreshesLenses bool
}

// initializeParams is the part of the parameters of initialize that the server reads. The rest
// differs between versions of the protocol.
type initializeParams struct {
	RootURI               *string         `json:"rootUri"`
	Folders               []folder        `json:"workspaceFolders"`
	InitializationOptions json.RawMessage `json:"initializationOptions"`
	Capabilities          struct {
		General struct {
			PositionEncodings []string `json:"positionEncodings"`
		} `json:"general"`
		Window struct {
			ShowDocument struct {
				Support bool `json:"support"`
			} `json:"showDocument"`
			WorkDoneProgress bool `json:"workDoneProgress"`
		} `json:"window"`
		Workspace struct {
			DidChangeWatchedFiles struct {
				DynamicRegistration bool `json:"dynamicRegistration"`
			} `json:"didChangeWatchedFiles"`
			WorkspaceEdit struct {
				ResourceOperations []string `json:"resourceOperations"`
			} `json:"workspaceEdit"`
			CodeLens struct {
				RefreshSupport bool `json:"refreshSupport"`
			} `json:"codeLens"`
		} `json:"workspace"`
		TextDocument struct {
			Completion struct {
				CompletionItem struct {
					SnippetSupport bool `json:"snippetSupport"`
				} `json:"completionItem"`
			} `json:"completion"`
			CodeAction struct {
				DataSupport    bool `json:"dataSupport"`
				ResolveSupport struct {
					Properties []string `json:"properties"`
				} `json:"resolveSupport"`
			} `json:"codeAction"`
		} `json:"textDocument"`
	} `json:"capabilities"`
}

type folder struct {
	URI string `json:"uri"`
}

func pathsOf(folders []folder) []string {
	var paths []string
	for _, f := range folders {
		paths = append(paths, pathOf(f.URI))
	}
	return paths
}

// settings are the settings of the editor in the section crdlab.
type settings struct {
	// CRDs lists further paths with CRDs, as "crdlab check" reads them.
	CRDs []string `json:"crds"`
	// FromCluster adds the CRDs of the current cluster.
	FromCluster bool `json:"fromCluster"`
	// Release is the Kubernetes release that judges; empty means the newest.
	Release string `json:"release"`
	// ComparesWithHead adds the findings of an update of the last commit's version.
	ComparesWithHead *bool `json:"compareWithHead"`
	// GoOptions holds options of controller-gen as the flag --crd, instead of those of the project.
	GoOptions string `json:"goOptions"`
	// GoConventions adds the notes on Go types that break conventions of the Kubernetes API.
	GoConventions bool `json:"goConventions"`
	// PageURL is the address of a page, for links to the pages about errors.
	PageURL string `json:"pageUrl"`
}

// readSettings reads settings, with or without the name of their section.
func readSettings(raw json.RawMessage) (s settings, ok bool) {
	var section struct {
		CRDLab json.RawMessage `json:"crdlab"`
	}
	if json.Unmarshal(raw, &section) == nil && len(section.CRDLab) > 0 {
		raw = section.CRDLab
	}
	return s, len(raw) > 0 && json.Unmarshal(raw, &s) == nil
}

// legend lists the types of semantic tokens; their index is part of the responses.
var legend = []string{"variable", "function", "string", "number", "operator", "keyword"}

// initializeResult is the response to initialize: the encoding of positions and inlay hints are
// newer than the types of the library.
type initializeResult struct {
	Capabilities struct {
		protocol.ServerCapabilities
		PositionEncoding  string `json:"positionEncoding"`
		InlayHintProvider bool   `json:"inlayHintProvider"`
	} `json:"capabilities"`
	ServerInfo protocol.InitializeResultServerInfo `json:"serverInfo"`
}

func (s *Server) initialize(_ context.Context, p initializeParams) (initializeResult, error) {
	if p.Folders == nil && p.RootURI != nil {
		p.Folders = []folder{{*p.RootURI}}
	}
	c := p.Capabilities
	s.client = client{
		isKnown: true, snippets: c.TextDocument.Completion.CompletionItem.SnippetSupport,
		watches: c.Workspace.DidChangeWatchedFiles.DynamicRegistration, shows: c.Window.ShowDocument.Support,
		progresses:      c.Window.WorkDoneProgress,
		resolves:        c.TextDocument.CodeAction.DataSupport && slices.Contains(c.TextDocument.CodeAction.ResolveSupport.Properties, "edit"),
		creates:         slices.Contains(c.Workspace.WorkspaceEdit.ResourceOperations, "create"),
		refreshesLenses: c.Workspace.CodeLens.RefreshSupport,
	}
	s.workspace.setFolders(pathsOf(p.Folders), nil)
	if set, ok := readSettings(p.InitializationOptions); ok {
		s.settings = set
	}
	r := initializeResult{ServerInfo: protocol.InitializeResultServerInfo{Name: "crdlab", Version: &s.options.Version}}
	r.Capabilities.PositionEncoding = "utf-16"
	// The first encoding is the one that the editor prefers.
	if preferred := c.General.PositionEncodings; len(preferred) > 0 && preferred[0] == "utf-8" {
		s.client.utf8, r.Capabilities.PositionEncoding = true, "utf-8"
	}
	r.Capabilities.InlayHintProvider = true
	r.Capabilities.ServerCapabilities = protocol.ServerCapabilities{
		TextDocumentSync: protocol.TextDocumentSyncOptions{
			OpenClose: new(true), Change: new(protocol.TextDocumentSyncKindIncremental), Save: true,
		},
		CompletionProvider:         &protocol.CompletionOptions{TriggerCharacters: []string{".", " ", "\n", "\"", "(", "+"}, ResolveProvider: new(true)},
		HoverProvider:              true,
		DefinitionProvider:         true,
		RenameProvider:             protocol.RenameOptions{PrepareProvider: new(true)},
		ReferencesProvider:         true,
		DocumentSymbolProvider:     true,
		WorkspaceSymbolProvider:    true,
		CodeActionProvider:         protocol.CodeActionOptions{CodeActionKinds: []string{protocol.CodeActionKindQuickFix, kindFixAll, kindConventions}, ResolveProvider: new(true)},
		CodeLensProvider:           &protocol.CodeLensOptions{},
		DocumentFormattingProvider: true,
		FoldingRangeProvider:       true,
		SelectionRangeProvider:     true,
		SemanticTokensProvider: protocol.SemanticTokensOptions{
			Legend: protocol.SemanticTokensLegend{TokenTypes: legend, TokenModifiers: []string{}}, Full: true,
		},
		ExecuteCommandProvider: &protocol.ExecuteCommandOptions{Commands: commandNames()},
		Workspace: &protocol.ServerCapabilitiesWorkspace{
			WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{Supported: new(true), ChangeNotifications: &protocol.BoolOrString{Value: true}},
		},
	}
	return r, nil
}

// watched are the files whose changes matter: manifests, Go types, the scripts with options of controller-gen, and
// the commit that is checked out.
var watched = []string{"**/*.{yaml,yml,json,go,mk,sh}", "**/{M,m,GNUm}akefile", "**/.git/HEAD", "**/.git/logs/HEAD"}

func (s *Server) initialized(ctx context.Context, _ struct{}) {
	if !s.client.watches {
		return
	}
	type watcher struct {
		GlobPattern string `json:"globPattern"`
	}
	var watchers []watcher
	for _, pattern := range watched {
		watchers = append(watchers, watcher{pattern})
	}
	registration := protocol.Registration{
		ID: "watch", Method: protocol.MethodWorkspaceDidChangeWatchedFiles, RegisterOptions: map[string]any{"watchers": watchers},
	}
	// The reply comes on the stream whose messages this function delays.
	go func() {
		_ = s.conn.Call(ctx, protocol.ServerClientRegisterCapability, protocol.RegistrationParams{Registrations: []protocol.Registration{registration}}, nil)
	}()
}

func (s *Server) shutdown(context.Context, *struct{}) (*struct{}, error) {
	s.access.Lock()
	defer s.access.Unlock()
	s.closing = true
	return nil, nil
}

// isClosing reports whether the editor has sent shutdown.
func (s *Server) isClosing() bool {
	s.access.Lock()
	defer s.access.Unlock()
	return s.closing
}

// setTrace accepts the setting of every editor: the server writes no trace of its own, because
// editors record the messages.
func (s *Server) setTrace(context.Context, protocol.SetTraceParams) {}

// cancel cancels a running request.
func (s *Server) cancel(_ context.Context, p struct {
	ID jsonrpc2.ID `json:"id"`
}) {
	s.access.Lock()
	defer s.access.Unlock()
	if cancel := s.running[p.ID]; cancel != nil {
		cancel()
	}
}

func (s *Server) didChangeConfiguration(ctx context.Context, p struct {
	Settings json.RawMessage `json:"settings"`
}) {
	set, ok := readSettings(p.Settings)
	if !ok {
		return
	}
	s.access.Lock()
	s.settings = set
	s.access.Unlock()
	s.workspace.forgetSettings()
	s.diagnoseAll(ctx)
}

func (s *Server) didChangeFolders(ctx context.Context, p struct {
	Event struct {
		Added   []folder `json:"added"`
		Removed []folder `json:"removed"`
	} `json:"event"`
}) {
	s.workspace.setFolders(pathsOf(p.Event.Added), pathsOf(p.Event.Removed))
	s.diagnoseAll(ctx)
}

// didChangeWatchedFiles reads the changed files again when they are needed: manifests, and those
// of the last commit.
func (s *Server) didChangeWatchedFiles(ctx context.Context, _ struct{}) {
	s.workspace.forget()
	for _, f := range s.snapshot().files {
		s.renew(f)
	}
	s.diagnoseAll(ctx)
}
