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
// server is told to stop.
const stopTimeout = 15 * time.Second

// parts are what an app is made of.
type parts struct {
	evaluate httpapi.Evaluate
	assets   fs.FS
	sharing  httpapi.Sharing
	log      *slog.Logger
}

// app is a server that listens already and is ready to serve.
type app struct {
	listener net.Listener
	server   *http.Server
	log      *slog.Logger
}

// newApp listens on the address. Port 0 takes any free one.
func newApp(address string, p parts) (*app, error) {
	handler, err := httpapi.New(httpapi.Config{Evaluate: p.evaluate, Assets: p.assets, Log: p.log, Sharing: p.sharing})
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{
		Handler:  handler,
		ErrorLog: slog.NewLogLogger(p.log.Handler(), slog.LevelWarn),
	}
	httpapi.Limit(server)
	return &app{listener: listener, server: server, log: p.log}, nil
}

// url is where the app answers.
func (a *app) url() string {
	return "http://" + a.listener.Addr().String()
}

// serve answers requests until the context is done; then it lets those that are
// under way end.
func (a *app) serve(ctx context.Context) error {
	a.log.Info("serving crdlab", "url", a.url())
	ended := make(chan error, 1)
	go func() { ended <- a.server.Serve(a.listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	a.log.Info("stopping")
	stopping, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	if err := a.server.Shutdown(stopping); err != nil {
		return fmt.Errorf("stop: %w", errors.Join(err, a.server.Close()))
	}
	return nil
}
