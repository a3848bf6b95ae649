package server

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
	"github.com/crdlab/crdlab/internal/procpool"
)

// shutdownTimeout limits open requests during shutdown. It suffices for an evaluation
// and its response.
const shutdownTimeout = httpapi.EvaluationTimeout + 5*time.Second

// appConfig configures an app.
type appConfig struct {
	engine httpapi.Engine
	// reserved checks the readiness. If it is nil, engine does.
	reserved httpapi.Engine
	assets   fs.FS
	sharing  httpapi.Sharing
	clients  httpapi.Clients
	build    httpapi.Build
	// releases lists the older releases that engine judges with their own libraries.
	releases []string
	observe  func(httpapi.Observation)
	// metrics handles requests on the metrics address.
	metrics http.Handler
	// drain is the time for which a stopping app still handles requests.
	drain time.Duration
	log   *slog.Logger
}

// app is a listening server.
type app struct {
	main    endpoint
	metrics *endpoint
	handler *httpapi.Server
	drain   time.Duration
	log     *slog.Logger
}

// endpoint is a listener and its server.
type endpoint struct {
	listener net.Listener
	server   *http.Server
}

// newApp listens on address and, unless it is empty, on metricsAddress. Port 0
// selects a free port.
func newApp(address, metricsAddress string, c appConfig) (*app, error) {
	handler, err := httpapi.New(httpapi.Config{
		EvaluationMemory: procpool.MemoryLimit,
		Engine:           c.engine, Reserved: c.reserved, Assets: c.assets, Log: c.log, Observe: c.observe,
		Clients: c.clients, Sharing: c.sharing, Build: c.build, Releases: c.releases, Site: renderSite,
	})
	if err != nil {
		return nil, err
	}
	main, err := listen(address, handler, c.log)
	if err != nil {
		return nil, err
	}
	a := &app{main: main, handler: handler, drain: c.drain, log: c.log}
	if metricsAddress != "" {
		metrics, err := listen(metricsAddress, c.metrics, c.log)
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

// url returns the URL of the endpoint.
func (e endpoint) url() string {
	return "http://" + e.listener.Addr().String()
}

// url returns the URL of the app.
func (a *app) url() string { return a.main.url() }

// serve handles requests until the context is done, and then shuts down.
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

// stop announces the shutdown before it closes connections, so that clients and load
// balancers lose no requests.
func (a *app) stop() error {
	a.log.Info("stopping")
	a.handler.Drain()
	time.Sleep(a.drain)
	stopping, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	if err := a.main.server.Shutdown(stopping); err != nil {
		return fmt.Errorf("stop: %w", errors.Join(err, a.main.server.Close()))
	}
	return nil
}
