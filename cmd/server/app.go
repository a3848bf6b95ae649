package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/crdlab/crdlab/internal/httpapi"
)

// stopTimeout is how long requests that are under way may take to end once the
// server is told to stop: as long as an evaluation may, and its answer.
const stopTimeout = httpapi.EvaluationTimeout + 5*time.Second

// parts are what an app is made of.
type parts struct {
	evaluate httpapi.Evaluate
	asJSON   httpapi.EvaluateJSON // may be nil
	help     httpapi.Help
	assets   fs.FS
	sharing  httpapi.Sharing
	clients  httpapi.Clients
	build    httpapi.Build
	observe  func(httpapi.Observation)
	// metrics answers on an address of its own, if there is one.
	metrics http.Handler
	// drain is how long the app goes on answering, no longer ready, before it
	// stops.
	drain time.Duration
	log   *slog.Logger
}

// app is a server that listens already and is ready to serve.
type app struct {
	main    endpoint
	metrics *endpoint
	handler *httpapi.Server
	drain   time.Duration
	log     *slog.Logger
}

// endpoint is an address with the server that answers there.
type endpoint struct {
	listener net.Listener
	server   *http.Server
}

// newApp listens on the address, and on that for metrics unless it is empty. Port
// 0 takes any free one.
func newApp(address, metricsAddress string, p parts) (*app, error) {
	handler, err := httpapi.New(httpapi.Config{
		Evaluate: p.evaluate, EvaluateJSON: p.asJSON, Help: p.help, Assets: p.assets, Log: p.log, Observe: p.observe,
		Clients: p.clients, Sharing: p.sharing, Build: p.build,
	})
	if err != nil {
		return nil, err
	}
	main, err := listen(address, handler, p.log)
	if err != nil {
		return nil, err
	}
	a := &app{main: main, handler: handler, drain: p.drain, log: p.log}
	if metricsAddress != "" {
		metrics, err := listen(metricsAddress, p.metrics, p.log)
		if err != nil {
			return nil, errors.Join(err, main.listener.Close())
		}
		a.metrics = &metrics
	}
	return a, nil
}

func listen(address string, handler http.Handler, log *slog.Logger) (endpoint, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return endpoint{}, fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{Handler: handler, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	httpapi.Limit(server)
	return endpoint{listener, server}, nil
}

// url is where an endpoint answers.
func (e endpoint) url() string {
	return "http://" + e.listener.Addr().String()
}

// url is where the app answers.
func (a *app) url() string { return a.main.url() }

// serve answers requests until the context is done; then it lets those that are
// under way end.
func (a *app) serve(ctx context.Context) error {
	a.log.Info("serving crdlab", "url", a.url())
	ended := make(chan error, 2)
	go func() { ended <- a.main.server.Serve(a.main.listener) }()
	if a.metrics != nil {
		a.log.Info("serving metrics", "address", a.metrics.url()+"/metrics")
		go func() { ended <- a.metrics.server.Serve(a.metrics.listener) }()
		defer a.metrics.server.Close()
	}
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", errors.Join(err, a.main.server.Close()))
	case <-ctx.Done():
	}
	return a.stop()
}

// stop first lets everybody know, so that nobody sends a request at the moment
// when its connection is closed.
func (a *app) stop() error {
	a.log.Info("stopping")
	a.handler.Drain()
	time.Sleep(a.drain)
	stopping, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := a.main.server.Shutdown(stopping); err != nil {
		return fmt.Errorf("stop: %w", errors.Join(err, a.main.server.Close()))
	}
	return nil
}
