// Package lsp is a language server for CRDs and their objects. It speaks the Language Server
// Protocol for the packages below it; each method, or group of methods, has a file.
//
// Messages are read in order. A notification changes the state of the server at once. A request is
// answered concurrently, for the state in which it arrived.
package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/sourcegraph/jsonrpc2"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/assist"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/load"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/releases"
)

// Options configure a server.
type Options struct {
	Version string
	// Programs are the verdict programs of older releases.
	Programs *releases.Programs
	// Kubeconfig and Context select the cluster, see [cluster.Open].
	Kubeconfig, Context string
	// Log receives faults of the server.
	Log *log.Logger
}

// newReader returns a reader of paths that are relative to a directory.
func newReader(directory string, o gotypes.Options) load.Reader {
	return load.Reader{Directory: directory, Generate: func(ctx context.Context, pattern string) (*manifest.Package, error) {
		return gotypes.Load(ctx, directory, []string{pattern}, o)
	}}
}

// A Server serves one editor.
type Server struct {
	options Options
	// evaluate evaluates a scenario with the libraries of its release. It and the assistant are safe for
	// concurrent use.
	evaluate  playground.Evaluate
	assistant *assist.Assistant
	page      localPage
	conn      *jsonrpc2.Conn
	client    client
	workspace *workspace
	diagnoser diagnoser
	rule      ruleContext
	// logged holds the messages that are logged once.
	logged sync.Map
	// progresses numbers the tokens of progress.
	progresses atomic.Int64

	access   sync.Mutex
	files    map[protocol.DocumentUri]*file
	settings settings
	running  map[jsonrpc2.ID]context.CancelFunc
	closing  bool
}

// A snapshot is the state of a server when a request arrives. It does not change.
type snapshot struct {
	*Server
	files    map[protocol.DocumentUri]*file
	settings settings
}

// Serve serves an editor until it sends exit, the stream ends or ctx ends. It reports whether
// the editor sent shutdown before.
func Serve(ctx context.Context, stream io.ReadWriteCloser, o Options) (orderly bool) {
	e := engine.New()
	s := &Server{
		options: o, evaluate: o.Programs.NewEvaluator(e).Evaluate, assistant: assist.New(e), files: map[protocol.DocumentUri]*file{}, running: map[jsonrpc2.ID]context.CancelFunc{},
	}
	s.workspace = newWorkspace(o, func(problems []manifest.Problem) {
		for _, p := range problems {
			s.notify(ctx, string(protocol.ServerWindowShowMessage), protocol.ShowMessageParams{Type: protocol.MessageTypeWarning, Message: "crdlab: " + p.Error()})
		}
	}, func(ctx context.Context) (done func()) { return s.working(ctx, "Reading CRDs") })
	s.diagnoser.init()
	logger := log.New(o.Log.Writer(), "", 0)
	// The handler needs the connection.
	ready := make(chan struct{})
	handle := func(ctx context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) { <-ready; s.handle(ctx, r) }
	s.conn = jsonrpc2.NewConn(ctx, jsonrpc2.NewBufferedStream(stream, jsonrpc2.VSCodeObjectCodec{}), handler(handle), jsonrpc2.SetLogger(logger))
	close(ready)
	<-s.conn.DisconnectNotify()
	s.diagnoser.stop()
	s.page.stop()
	s.access.Lock()
	defer s.access.Unlock()
	return s.closing
}

type handler func(context.Context, *jsonrpc2.Conn, *jsonrpc2.Request)

// Handle implements jsonrpc2.Handler.
func (h handler) Handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) {
	h(ctx, conn, r)
}

// codeNotInitialized is the error code of a request before initialize.
const codeNotInitialized = -32002

// Error codes of the protocol: a request is cancelled, is about a former content, or fails for a reason that
// the user should see.
const (
	codeCancelled       = -32800
	codeContentModified = -32801
	codeRequestFailed   = -32803
)

// handle handles a message. It returns before a request is answered.
func (s *Server) handle(ctx context.Context, r *jsonrpc2.Request) {
	switch m, known := methods[r.Method]; {
	case r.Method == protocol.MethodExit:
		_ = s.conn.Close()
	case s.isClosing():
		if !r.Notif {
			s.reply(ctx, r, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: "after shutdown, only exit may follow"})
		}
	case !known && r.Notif:
	case !known:
		s.reply(ctx, r, nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "crdlab does not know the method " + r.Method})
	case !s.client.isKnown && r.Method != protocol.MethodInitialize:
		if !r.Notif {
			s.reply(ctx, r, nil, &jsonrpc2.Error{Code: codeNotInitialized, Message: "initialize must be the first request"})
		}
	case m.change != nil:
		result, err := guard(r.Method, func() (any, error) { return m.change(s, ctx, params(r)) })
		if r.Notif && err != nil {
			s.fault(ctx, err)
		} else if !r.Notif {
			s.reply(ctx, r, result, err)
		}
	default:
		s.answer(ctx, r, m)
	}
}

// answer responds to a request concurrently.
func (s *Server) answer(ctx context.Context, r *jsonrpc2.Request, m method) {
	ctx, cancel := context.WithCancel(ctx)
	now := s.snapshot()
	s.access.Lock()
	s.running[r.ID] = cancel
	s.access.Unlock()
	go func() {
		result, err := guard(r.Method, func() (any, error) { return m.request(now, ctx, params(r)) })
		s.access.Lock()
		delete(s.running, r.ID)
		s.access.Unlock()
		if ctx.Err() != nil {
			err = &jsonrpc2.Error{Code: codeCancelled, Message: "cancelled"}
		}
		cancel()
		s.reply(context.WithoutCancel(ctx), r, result, err)
	}()
}

// guard returns a panic as an error.
func guard(method string, call func() (any, error)) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: panic: %v\n%s", method, p, debug.Stack())
		}
	}()
	return call()
}

func params(r *jsonrpc2.Request) json.RawMessage {
	if r.Params == nil {
		return json.RawMessage("null")
	}
	return *r.Params
}

// reply sends the response to a request.
func (s *Server) reply(ctx context.Context, r *jsonrpc2.Request, result any, err error) {
	response := &jsonrpc2.Response{ID: r.ID}
	if err == nil {
		err = response.SetResult(result)
	}
	if err != nil {
		failure, ok := err.(*jsonrpc2.Error) //nolint:errorlint // only our own errors have a code
		if !ok {
			s.fault(ctx, err)
			first, _, _ := strings.Cut(err.Error(), "\n")
			failure = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: first}
		}
		response.Error = failure
	}
	_ = s.conn.SendResponse(ctx, response) // A closed connection needs no response.
}

// fault logs a fault of the server.
func (s *Server) fault(ctx context.Context, err error) {
	s.options.Log.Printf("crdlab: %v", err)
	first, _, _ := strings.Cut(err.Error(), "\n")
	s.notify(ctx, protocol.ServerWindowLogMessage, protocol.LogMessageParams{Type: protocol.MessageTypeError, Message: "crdlab: " + first})
}

func (s *Server) notify(ctx context.Context, method string, params any) {
	_ = s.conn.Notify(ctx, method, params) // A closed connection needs no notification.
}

func (s *Server) snapshot() snapshot {
	s.access.Lock()
	defer s.access.Unlock()
	return snapshot{s, s.files, s.settings}
}
