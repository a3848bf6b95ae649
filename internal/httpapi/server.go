// Package httpapi is the HTTP service: the page, its assets and the
// evaluation API. It knows the engine only as a function.
package httpapi

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/crdlab/crdlab/internal/playground"
)

// Evaluate answers a scenario. An error is a fault of the program; what is
// wrong with the user's texts is in the report.
type Evaluate func(context.Context, playground.Scenario) (playground.Report, error)

// Config is what a [Server] needs to know. Evaluate, Assets and Log are
// required.
type Config struct {
	Evaluate Evaluate
	// Assets is the built page, as package web has it. If it is empty, the
	// page says so.
	Assets fs.FS
	Log    *slog.Logger
	// Evaluations is how many scenarios are evaluated at a time, by default
	// one for each processor. Four times as many may wait for their turn.
	Evaluations int
	// EvaluationTimeout is the time after which an evaluation is given up, by
	// default [EvaluationTimeout].
	EvaluationTimeout time.Duration
}

// Server answers HTTP requests. It is safe for concurrent use.
type Server struct {
	evaluator *evaluator
	assets    *assets
	front     *front
	built     fs.FS
	log       *slog.Logger
	routes    http.Handler
}

// New returns a server. It fails if the assets cannot be read.
func New(config Config) (*Server, error) {
	if config.Evaluate == nil || config.Assets == nil || config.Log == nil {
		return nil, errors.New("httpapi: Config needs Evaluate, Assets and Log")
	}
	assets, err := readAssets(config.Assets)
	if err != nil {
		return nil, err
	}
	front, err := newFront(config.Assets)
	if err != nil {
		return nil, err
	}
	s := &Server{evaluator: newEvaluator(config), assets: assets, front: front, built: config.Assets, log: config.Log}
	s.routes = s.router()
	return s, nil
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.routes.ServeHTTP(w, r)
}

func (s *Server) router() http.Handler {
	r := chi.NewRouter()
	r.Use(s.logged, s.recovered, secured, middleware.GetHead)
	r.NotFound(s.handler(notFound))
	r.MethodNotAllowed(s.handler(methodNotAllowed))

	r.Get("/healthz", healthz)
	r.Get("/readyz", s.handler(s.readyz))
	r.Get("/assets/*", s.handler(s.asset))
	r.Group(func(r chi.Router) {
		r.Use(middleware.Compress(5, "text/html", "text/plain", "application/json", problemType))
		r.Get("/", s.handler(s.page))
		r.Get(examplesPath, s.handler(s.examples))
		r.Get(noticesPath, s.handler(s.notices))
		r.Post(panelsPath, s.handler(s.panels))
		r.Post("/api/v1/evaluate", s.handler(s.evaluate))
	})
	return r
}

// The addresses that the page is told.
const (
	examplesPath = "/examples.json"
	noticesPath  = "/notices"
	panelsPath   = "/panels"
)
