// Package httpapi implements the HTTP service: the page, its assets, the
// evaluation API and short links. The engine is a function that the caller
// provides.
package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/crdlab/crdlab/internal/playground"
)

// Evaluate evaluates a scenario. Findings about the user's documents are part of
// the report; an error is a fault of the program.
type Evaluate func(context.Context, playground.Scenario) (playground.Report, error)

// EvaluateJSON evaluates a scenario in JSON and returns the report as JSON with a
// final line feed. For JSON that encoding/json would reject or decode differently,
// it returns [playground.ErrUnreadable].
type EvaluateJSON func(ctx context.Context, scenario []byte) (json.RawMessage, error)

// Help responds to an assist request of an editor. An error is a fault of the program.
type Help func(context.Context, playground.AssistRequest) (playground.AssistResponse, error)

// Config configures a [Server]. Assets and Log are required.
type Config struct {
	// Evaluate is the engine. If it is nil, only the page evaluates scenarios.
	Evaluate Evaluate
	// EvaluateJSON avoids decoding and encoding in the server. It may be nil.
	EvaluateJSON EvaluateJSON
	// Help implements the assist requests. If it is nil, their routes do not exist.
	Help Help
	// Assets is the built page, as in package web. If it is empty, the page is an
	// error message.
	Assets fs.FS
	Log    *slog.Logger
	// Observe is called after each request. It may be nil.
	Observe func(Observation)
	// Evaluations limits the number of concurrent evaluations, by default to the
	// number of processors. Four times as many may wait in the queue.
	Evaluations int
	// EvaluationTimeout is the time limit of an evaluation, by default
	// [EvaluationTimeout].
	EvaluationTimeout time.Duration
	Clients           Clients
	Sharing           Sharing
	Build             Build
}

// Server handles HTTP requests. It is safe for concurrent use.
type Server struct {
	evaluator *evaluator // nil without an engine
	help      Help       // nil without assist requests
	sharing   Sharing
	assets    *assets
	front     *front
	built     fs.FS
	build     Build
	log       *slog.Logger
	observe   func(Observation)

	proxies             proxies
	bodies              *bodyBudget
	evaluations, shares *rateLimits
	readiness           *readiness
	stopping            atomic.Bool

	routes chi.Router
}

// New returns a server. It returns an error if the assets cannot be read.
func New(config Config) (*Server, error) {
	if config.Assets == nil || config.Log == nil {
		return nil, errors.New("httpapi: Config needs Assets and Log")
	}
	if config.Sharing.Limit <= 0 {
		config.Sharing.Limit = ShareLimit
	}
	assets, err := readAssets(config.Assets)
	if err != nil {
		return nil, err
	}
	front, err := newFront(config)
	if err != nil {
		return nil, err
	}
	s := &Server{
		sharing: config.Sharing, assets: assets, front: front, built: config.Assets,
		build: config.Build, log: config.Log, observe: config.Observe,
		proxies: config.Clients.TrustedProxies, bodies: newBodyBudget(maxBodyMemory),
		evaluations: newRateLimits(config.Clients.Evaluations), shares: newRateLimits(config.Clients.Shares),
	}
	if config.Evaluate != nil {
		s.evaluator, s.help = newEvaluator(config), config.Help
	}
	s.readiness = &readiness{evaluator: s.evaluator, store: s.sharing.Store, stopping: s.stopping.Load}
	s.routes = s.router()
	return s, nil
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.routes.ServeHTTP(w, r)
}

// Drain makes the server report that it is not ready, and asks clients to close
// their connections. The server still handles requests.
func (s *Server) Drain() { s.stopping.Store(true) }
