// Package httpapi is the HTTP service: the page, its assets and the
// evaluation API. It knows the engine only as a function.
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
	"github.com/go-chi/chi/v5/middleware"

	"github.com/crdlab/crdlab/internal/playground"
)

// Evaluate answers a scenario. An error is a fault of the program; what is
// wrong with the user's texts is in the report.
type Evaluate func(context.Context, playground.Scenario) (playground.Report, error)

// EvaluateJSON does the same with a scenario as JSON, and returns the report as
// JSON, with a line break behind it. It refuses what encoding/json would not decode
// into the scenario that it reads, with [playground.ErrUnreadable].
type EvaluateJSON func(ctx context.Context, scenario []byte) (json.RawMessage, error)

// Help answers a question of somebody who writes a text, under the same terms.
type Help func(context.Context, playground.Question) (playground.Help, error)

// Config is what a [Server] needs to know. Assets and Log are required.
type Config struct {
	// Evaluate is the engine. Without it scenarios are evaluated in the page
	// only.
	Evaluate Evaluate
	// EvaluateJSON saves the work of decoding and encoding where all that is asked
	// and answered is JSON. It may be nil.
	EvaluateJSON EvaluateJSON
	// Help is the engine's, too; without it the server does not offer any.
	Help Help
	// Assets is the built page, as package web has it. If it is empty, the
	// page says so.
	Assets fs.FS
	Log    *slog.Logger
	// Observe is told of each request that was answered. It may be nil.
	Observe func(Observation)
	// Evaluations is how many scenarios are evaluated at a time, by default
	// one for each processor. Four times as many may wait for their turn.
	Evaluations int
	// EvaluationTimeout is the time after which an evaluation is given up, by
	// default [EvaluationTimeout].
	EvaluationTimeout time.Duration
	Clients           Clients
	Sharing           Sharing
	Build             Build
}

// Server answers HTTP requests. It is safe for concurrent use.
type Server struct {
	evaluator *evaluator // nil if there is no engine
	help      Help       // nil if there is none
	sharing   Sharing
	assets    *assets
	front     *front
	built     fs.FS
	build     Build
	log       *slog.Logger
	observe   func(Observation)

	proxies             proxies
	bodies              *bodies
	evaluations, shares *rates
	readiness           *readiness
	stopping            atomic.Bool

	routes chi.Router
}

// New returns a server. It fails if the assets cannot be read.
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
		proxies: config.Clients.TrustedProxies, bodies: newBodies(maxBodies),
		evaluations: newRates(config.Clients.Evaluations), shares: newRates(config.Clients.Shares),
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

// Drain makes the server say that it is not ready any more, and asks clients to
// open no further requests on their connections. It goes on answering.
func (s *Server) Drain() { s.stopping.Store(true) }

func (s *Server) router() chi.Router {
	r := chi.NewRouter()
	r.Use(s.observed, s.recovered, s.secured, s.closing, s.identified, middleware.GetHead)
	r.NotFound(s.handler(notFound))
	r.MethodNotAllowed(s.handler(methodNotAllowed))

	r.Get("/healthz", healthz)
	r.Get("/readyz", s.handler(s.readyz))
	r.Get("/assets/*", s.handler(s.asset))
	r.Group(func(r chi.Router) {
		r.Use(middleware.Compress(5, "text/html", "text/plain", "text/javascript", "application/json", "application/yaml", problemType))
		r.Get(homePath, s.handler(s.page))
		r.Get(examplesPath, s.handler(s.examples))
		r.Get(noticesPath, s.handler(s.notices))
		r.Get("/"+serviceWorkerName, s.handler(s.serviceWorker))
		r.Get("/"+appName, s.handler(s.app))
		r.Get(apiPath, s.handler(s.describe))
		r.With(readable).Get(openAPIPath, s.handler(s.openAPI))
		r.With(readable).Get("/api/v1/version", s.handler(s.tellVersion))
		if s.evaluator != nil {
			r := r.With(s.limited(s.evaluations), s.bodies.bounded)
			r.Post(panelsPath, s.handler(s.panels))
			r.Post("/api/v1/evaluate", s.handler(s.evaluate))
			if s.help != nil {
				r.Post(helpPath+"complete", s.handler(s.complete))
				r.Post(helpPath+"hover", s.handler(s.hover))
				r.Post(helpPath+"sample", s.handler(s.sample))
				r.Post(helpPath+"format", s.handler(s.format))
				r.Post(helpPath+"try", s.handler(s.try))
			}
		}
		if s.sharing.Store != nil {
			r.With(s.limited(s.shares), s.bodies.bounded).Post(sharePath, s.handler(s.share))
			r.Delete(sharePath+"/{id}", s.handler(s.unshare))
			r.Get(sharedPath+"{id}", s.handler(s.sharedPage))
			r.Get(embedPath+"{id}", s.handler(s.embed))
			r.With(readable).Get(sharePath+"/{id}", s.handler(s.sharedJSON))
			r.With(readable).Get(sharedPath+"{id}.json", s.handler(s.sharedJSON))
			r.With(readable).Get(sharedPath+"{id}.yaml", s.handler(s.sharedYAML))
		}
	})
	return r
}

// The addresses that the page is told, and those of short links.
const (
	homePath     = "/"
	apiPath      = "/api"
	openAPIPath  = "/api/openapi.json"
	sharePath    = "/api/v1/share"
	sharedPath   = "/s/"
	embedPath    = "/embed/"
	examplesPath = "/examples.json"
	noticesPath  = "/notices"
	panelsPath   = "/panels"
	helpPath     = "/api/v1/"
)
