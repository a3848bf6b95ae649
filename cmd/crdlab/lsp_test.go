package main

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/sourcegraph/jsonrpc2"
	"golang.org/x/tools/txtar"
)

// TestLSP runs the sessions in testdata/lsp. The comment of an archive says what it shows, the
// file script has a line for each message of the editor, and the file want the responses. The other
// files are the workspace. ⟦name⟧ marks a position there, which the script calls @name.
//
//	utf8                        as the first line: positions count bytes instead of UTF-16 code units
//	open|save|close FILE        notifications
//	change FILE @A [@B] TEXT    replaces the source between two positions, in the editor
//	write FILE SOURCE           writes a file as SOURCE, and tells the server
//	disk FILE SOURCE            writes a file as SOURCE without telling the server
//	git COMMAND                 runs git in the workspace
//	module PATH                 makes the workspace a Go module with the modules of this repository
//	settings JSON               sets the settings
//	pipe NAME FILE              makes a named pipe, to which a file is written once the editor shows progress
//	diagnostics FILE            prints the next diagnostics of a file; "messages" means messages to the user, and "progress" means progress
//	METHOD FILE [@A [@B]] [JSON]   sends a request for a position or a range, with further parameters, and prints the answer
//	command NAME FILE @A        runs a command for a line
//	symbols QUERY               prints the symbols of the workspace
func TestLSP(t *testing.T) {
	paths, _ := filepath.Glob("testdata/lsp/*.txtar")
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := runSession(t, archive)
			for i, f := range archive.Files {
				if f.Name != "want" {
					continue
				}
				if *update {
					archive.Files[i].Data = []byte(got)
					if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
						t.Fatal(err)
					}
				} else if string(f.Data) != got {
					t.Errorf("got:\n%s\nwant:\n%s", got, f.Data)
				}
			}
		})
	}
}

// marker matches a position in a file.
var marker = regexp.MustCompile(`⟦(\w+)⟧`)

// A session is an editor with its files.
type session struct {
	t         testing.TB
	conn      *jsonrpc2.Conn
	directory string
	utf8      bool
	// resolves makes the editor ask for the edits of code actions.
	resolves bool
	// texts and versions have the files in the editor, and markers their positions by file and
	// name, which a change does not move.
	texts    map[string]string
	versions map[string]int
	markers  map[string]map[string]position
	sources  map[string]string
	out      strings.Builder

	access    sync.Mutex
	published map[string]chan json.RawMessage
	// begin is called when the editor shows progress.
	begin func()
}

type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// maxWait ends a test that waits for a message in vain.
const maxWait = 30 * time.Second

func runSession(t *testing.T, archive *txtar.Archive) string {
	s := &session{
		t: t, directory: t.TempDir(), texts: map[string]string{}, versions: map[string]int{},
		markers: map[string]map[string]position{}, sources: map[string]string{}, published: map[string]chan json.RawMessage{},
		begin: func() {},
	}
	script := string(archive.Files[0].Data)
	script, s.utf8 = strings.CutPrefix(script, "utf8\n")
	script, s.resolves = strings.CutPrefix(script, "resolves\n")
	for _, f := range archive.Files {
		switch text := string(f.Data); f.Name {
		case "script":
		case "want":
		default:
			s.add(f.Name, text)
		}
	}
	s.conn = s.start(t)
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line != "" {
			s.run(line)
		}
	}
	if err := s.conn.Call(t.Context(), "shutdown", nil, nil); err != nil {
		t.Error(err)
	}
	if err := s.conn.Call(t.Context(), "workspace/symbol", map[string]any{"query": ""}, nil); err == nil {
		t.Error("the server answers a request after shutdown")
	}
	return s.out.String()
}

// add adds a file to the workspace. The name of a file that appears later begins with "later/".
func (s *session) add(name, text string) {
	s.markers[name] = map[string]position{}
	for {
		m := marker.FindStringSubmatchIndex(text)
		if m == nil {
			break
		}
		before := text[:m[0]]
		lineStart := strings.LastIndexByte(before, '\n') + 1
		at := position{strings.Count(before, "\n"), len(utf16.Encode([]rune(before[lineStart:])))}
		if s.utf8 {
			at.Character = len(before[lineStart:])
		}
		s.markers[name][text[m[2]:m[3]]] = at
		text = before + text[m[1]:]
	}
	s.sources[name] = text
	if !strings.HasPrefix(name, "later/") {
		s.write(name, text)
	}
}

func (s *session) write(name, text string) {
	path := filepath.Join(s.directory, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// start starts a server for the workspace.
func (s *session) start(t *testing.T) *jsonrpc2.Conn {
	fromEditor, toServer := io.Pipe()
	fromServer, toEditor := io.Pipe()
	status := make(chan int)
	go func() { status <- run([]string{"lsp", "--stdio"}, fromEditor, toEditor, t.Output()) }()
	conn := s.connect(t, editorStream{fromServer, toServer})
	t.Cleanup(func() {
		_ = conn.Notify(context.Background(), "exit", nil)
		if got := <-status; got != statusAccepted {
			t.Errorf("the exit status is %d", got)
		}
	})
	return conn
}

// connect connects the editor with a server.
func (s *session) connect(t testing.TB, stream io.ReadWriteCloser) *jsonrpc2.Conn {
	// The context of the test ends before exit is sent.
	conn := jsonrpc2.NewConn(context.Background(), jsonrpc2.NewBufferedStream(stream, jsonrpc2.VSCodeObjectCodec{}), jsonrpc2.HandlerWithError(s.receive), jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	folders := []map[string]string{{"uri": s.uri("")}}
	encodings := []string{"utf-16", "utf-8"}
	if s.utf8 {
		encodings = []string{"utf-8", "utf-16"}
	}
	capabilities := map[string]any{"general": map[string]any{"positionEncodings": encodings}, "window": map[string]any{"workDoneProgress": true}, "workspace": map[string]any{"workspaceEdit": map[string]any{"documentChanges": true, "resourceOperations": []string{"create"}}}, "textDocument": map[string]any{"completion": map[string]any{"completionItem": map[string]any{"snippetSupport": true}}}}
	if s.resolves {
		capabilities["textDocument"] = map[string]any{"codeAction": map[string]any{"dataSupport": true, "resolveSupport": map[string]any{"properties": []string{"edit"}}}}
	}
	if err := conn.Call(t.Context(), "initialize", map[string]any{
		"workspaceFolders": folders, "capabilities": capabilities,
		// Without a page, the server would start this program again, which is a test.
		"initializationOptions": map[string]string{"pageUrl": "https://crdlab.example.com"},
	}, nil); err != nil {
		t.Fatal(err)
	}
	if err := conn.Notify(t.Context(), "initialized", struct{}{}); err != nil {
		t.Fatal(err)
	}
	return conn
}

// An editorStream connects an editor with the server.
type editorStream struct {
	io.ReadCloser
	io.Writer
}

// pipes returns the standard input and output of a command.
func pipes(t testing.TB, command *exec.Cmd) (io.WriteCloser, io.ReadCloser) {
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	return in, out
}

// diagnostics waits for the next diagnostics of the last version of a file, or for the next message of another kind.
func (s *session) diagnostics(name string) json.RawMessage {
	for {
		var p struct {
			Version     *int            `json:"version"`
			Diagnostics json.RawMessage `json:"diagnostics"`
		}
		select {
		case published := <-s.queue(name):
			if err := json.Unmarshal(published, &p); err != nil {
				s.t.Fatal(err)
			}
			switch {
			case p.Diagnostics == nil:
				return published
			case p.Version == nil || *p.Version == s.versions[name]:
				return p.Diagnostics
			}
		case <-time.After(maxWait):
			s.t.Fatalf("diagnostics %s: there are none", name)
		}
	}
}

// receive handles the messages of the server.
func (s *session) receive(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
	switch r.Method {
	case "textDocument/publishDiagnostics":
		var p struct {
			URI string `json:"uri"`
		}
		if err := json.Unmarshal(*r.Params, &p); err != nil {
			return nil, err
		}
		s.queue(strings.TrimPrefix(p.URI, s.uri(""))) <- *r.Params
	case "$/progress":
		var p struct {
			Value struct {
				Kind string `json:"kind"`
			} `json:"value"`
		}
		if err := json.Unmarshal(*r.Params, &p); err != nil {
			return nil, err
		}
		s.queue("progress") <- *r.Params
		if p.Value.Kind == "begin" {
			s.access.Lock()
			defer s.access.Unlock()
			if s.begin != nil {
				s.begin()
			}
		}
	case "window/showMessage":
		s.queue("messages") <- *r.Params
	case "window/logMessage":
		s.t.Logf("%s: %s", r.Method, *r.Params)
	}
	return nil, nil
}

func (s *session) queue(name string) chan json.RawMessage {
	s.access.Lock()
	defer s.access.Unlock()
	if s.published[name] == nil {
		s.published[name] = make(chan json.RawMessage, 100)
	}
	return s.published[name]
}

func (s *session) uri(name string) string {
	return "file://" + filepath.ToSlash(s.directory) + "/" + name
}

// run runs a line of the script.
func (s *session) run(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	name, rest, _ := strings.Cut(rest, " ")
	document := map[string]any{"uri": s.uri(name)}
	switch verb {
	case "open":
		s.texts[name], s.versions[name] = s.sources[name], 1
		s.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
			"uri": s.uri(name), "languageId": "yaml", "version": 1, "text": s.texts[name],
		}})
	case "save", "close":
		s.notify("textDocument/did"+strings.ToUpper(verb[:1])+verb[1:], map[string]any{"textDocument": document})
	case "change":
		places, text := s.places(name, rest)
		s.versions[name]++
		s.notify("textDocument/didChange", map[string]any{
			"textDocument":   map[string]any{"uri": s.uri(name), "version": s.versions[name]},
			"contentChanges": []any{map[string]any{"range": rangeOf(places), "text": unquoted(text)}},
		})
	case "write":
		s.write(name, s.sources[rest])
		s.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": s.uri(name), "type": 2}}})
	case "disk": // The client does not watch files.
		s.write(name, s.sources[rest])
	case "git":
		s.git(strings.TrimSpace(name + " " + rest))
	case "module":
		s.makeModule(name)
	case "pipe":
		s.makePipe(name, rest)
	case "settings":
		s.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"crdlab": json.RawMessage(strings.TrimSpace(name + " " + rest))}})
	case "diagnostics":
		s.print(line, s.diagnostics(name))
	case "symbols":
		s.request(line, "workspace/symbol", map[string]any{"query": name})
	case "command":
		places, _ := s.places(rest, "")
		file, at, _ := strings.Cut(rest, " ")
		if at != "" {
			places, _ = s.places(file, at)
		}
		arguments := []any{s.uri(file)}
		for _, p := range places {
			arguments = append(arguments, p.Line)
		}
		s.request(line, "workspace/executeCommand", map[string]any{"command": name, "arguments": arguments})
	default:
		s.requestAt(line, verb, name, rest)
	}
}

// makePipe makes a named pipe. A file is written to it once the editor shows progress.
func (s *session) makePipe(pipe, file string) {
	path := filepath.Join(s.directory, pipe)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.access.Lock()
	defer s.access.Unlock()
	s.begin = sync.OnceFunc(func() {
		if err := os.WriteFile(path, []byte(s.sources[file]), 0o600); err != nil {
			s.t.Error(err)
		}
	})
}

// requestAt sends a request for a file and prints the answer.
func (s *session) requestAt(line, method, name, rest string) {
	places, further := s.places(name, rest)
	params := map[string]any{"textDocument": map[string]any{"uri": s.uri(name)}}
	if further != "" {
		if err := json.Unmarshal([]byte(further), &params); err != nil {
			s.t.Fatalf("%s: %v", line, err)
		}
	}
	switch {
	case len(places) == 0:
	case method == "textDocument/selectionRange":
		params["positions"] = places
	case method == "textDocument/codeAction" || method == "textDocument/inlayHint":
		params["range"] = rangeOf(places)
	default:
		params["position"] = places[0]
	}
	if method == "textDocument/codeAction" && params["context"] == nil {
		params["context"] = map[string]any{"diagnostics": []any{}}
	}
	if method == "textDocument/references" {
		params["context"] = map[string]any{"includeDeclaration": true}
	}
	s.request(line, method, params)
}

// places returns the positions at the start of the arguments, and the rest.
func (s *session) places(name, arguments string) (places []position, rest string) {
	for strings.HasPrefix(arguments, "@") {
		var at string
		at, arguments, _ = strings.Cut(arguments, " ")
		p, ok := s.markers[name][at[1:]]
		if !ok {
			s.t.Fatalf("%s has no marker %s", name, at)
		}
		places = append(places, p)
	}
	return places, arguments
}

func rangeOf(places []position) map[string]any {
	return map[string]any{"start": places[0], "end": places[len(places)-1]}
}

func unquoted(text string) string {
	if plain, err := strconv.Unquote(text); err == nil {
		return plain
	}
	return text
}

func (s *session) git(arguments string) {
	command := exec.Command("git", strings.Fields(arguments)...) //nolint:gosec // the test's own
	command.Dir = s.directory
	command.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com")
	if out, err := command.CombinedOutput(); err != nil {
		s.t.Fatalf("git %s: %v\n%s", arguments, err, out)
	}
}

func (s *session) makeModule(path string) {
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			s.t.Fatal(err)
		}
		s.write(name, regexp.MustCompile(`(?m)^module .*`).ReplaceAllString(string(text), "module "+path))
	}
}

func (s *session) notify(method string, params any) {
	if err := s.conn.Notify(s.t.Context(), method, params); err != nil {
		s.t.Fatal(err)
	}
}

func (s *session) request(line, method string, params any) {
	ctx, cancel := context.WithTimeout(s.t.Context(), maxWait)
	defer cancel()
	var result json.RawMessage
	if err := s.conn.Call(ctx, method, params, &result); err != nil {
		result, _ = json.Marshal(map[string]string{"error": err.Error()})
	}
	s.print(line, result)
	var actions []json.RawMessage
	if s.resolves && method == "textDocument/codeAction" && json.Unmarshal(result, &actions) == nil {
		for _, action := range actions {
			s.request("codeAction/resolve", "codeAction/resolve", action)
		}
	}
}
