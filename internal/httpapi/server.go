// Package httpapi implements the HTTP service: the page, its assets, the
// evaluation API and short links. The engine is a function that the caller
// provides.
package httpapi

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/crdlab/crdlab/internal/playground"
)

// Engine returns the body for a request. Findings about the user's documents are part of
// the body. For JSON that encoding/json would reject or decode differently, the error is
// [playground.ErrUnreadable]. An error that is neither this nor an
// InvalidScenarioError, a StoppedError or the context's is a fault of the program.
type Engine func(context.Context, playground.Request) ([]byte, error)

// Config configures a [Server]. Assets and Log are required.
type Config struct {
	// Engine evaluates scenarios and renders their reports. If it is nil, only the page
	// evaluates scenarios.
	Engine Engine
	// Reserved is an engine that does not share the resources of Engine. It checks the
	// readiness. If it is nil, Engine does.
	Reserved Engine
	// Assets is the built page, as in package web. If it is empty, the page is an
	// error message.
	Assets fs.FS
	Log    *slog.Logger
	// Observe is called after each request. It may be nil.
	Observe func(Observation)
	// Evaluations limits the number of concurrent evaluations, by default to the
	// number of processors. It is at least two.
	Evaluations int
	// EvaluationTimeout is the time limit of an evaluation, by default
	// [EvaluationTimeout].
	EvaluationTimeout time.Duration
	// EvaluationMemory is the memory in bytes at which Engine ends an evaluation. It is
	// shown to users unless it is 0.
	EvaluationMemory int64
	Clients          Clients
	Sharing          Sharing
	Build            Build
	// Site renders the pages beside the playground. If it is nil, the server has none.
	Site Site
	// Releases lists the older Kubernetes releases that Engine judges with their own
	// libraries.
	Releases []string
}

// Server handles HTTP requests. It is safe for concurrent use.
type Server struct {
	evaluator *evaluator // nil without an engine
	sharing   Sharing
	assets    *assets
	front     *front
	built     fs.FS
	site      func() (map[string][]byte, error) // nil without a site
	build     Build
	log       *slog.Logger
	observe   func(Observation)

	proxies             proxies
	evaluations, shares *rateLimits
	reads               *rateLimits // of pages and links
	refusals            *rateLimits // without a delay
	results             *results
	evaluationMemory    int64
	// Memory of the bodies of evaluations and assist requests, of shared scenarios,
	// and of unread responses.
	bodies, sharedBodies, responses *memoryBudget
	bodyPace, responsePace          pace
	shareQuota                      shareQuota
	readiness                       *readiness
	stopping                        atomic.Bool

	routes chi.Router
}

// New returns a server. It returns an error if the assets cannot be read.
func New(config Config) (*Server, error) {
	if config.Assets == nil || config.Log == nil {
		return nil, errors.New("httpapi: Config needs Assets and Log")
	}
	if config.Reserved == nil {
		config.Reserved = config.Engine
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
		proxies: config.Clients.TrustedProxies, bodyPace: bodyPace, responsePace: responsePace,
		evaluations: newRateLimits(config.Clients.Evaluations), shares: newRateLimits(config.Clients.Shares),
		reads: newRateLimits(config.Clients.Reads), results: newResults(), refusals: newRateLimits(promptRefusals),
		bodies:           newMemoryBudget(memoryLimits{large: maxBodyMemory, small: maxSmallBodyMemory, client: maxClientBodyMemory}),
		sharedBodies:     newMemoryBudget(shareMemory(config.Sharing.Limit)),
		responses:        newMemoryBudget(memoryLimits{large: maxResponseMemory, small: maxSmallResponseMemory, client: maxClientResponseMemory}),
		evaluationMemory: config.EvaluationMemory,
		shareQuota:       shareQuota{limit: config.Sharing.ClientQuota},
	}
	if config.Site != nil {
		s.site = renderSite(config)
	}
	if config.Engine != nil {
		s.evaluator = newEvaluator(config, s.evaluations)
	}
	s.readiness = &readiness{engine: config.Reserved, evaluator: s.evaluator, store: s.sharing.Store, stopping: s.stopping.Load}
	s.routes = s.router()
	return s, nil
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.routes.ServeHTTP(w, r)
}

// Waiting returns the number of requests that wait for an evaluation.
func (s *Server) Waiting() int {
	if s.evaluator == nil {
		return 0
	}
	_, waiting := s.evaluator.queue.Usage()
	return waiting
}

// Drain makes the server report that it is not ready, and makes clients close
// their connections. The server still handles requests.
func (s *Server) Drain() { s.stopping.Store(true) }
