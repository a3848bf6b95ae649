package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// healthz reports that the process handles requests.
func healthz(w http.ResponseWriter, _ *http.Request) {
	writeText(w, "ok\n")
}

// readyz reports whether the server should receive requests. With the parameter
// verbose, it also lists the state of each part.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	if err := s.readiness.check(r.Context()); err != nil {
		return err
	}
	state := "ready\n"
	if r.URL.Query().Has("verbose") {
		state += s.readiness.describe(r.Context())
	}
	writeText(w, state)
	return nil
}

const (
	// readyInterval is the lifetime of a result.
	readyInterval = time.Second
	// readyTimeout limits the evaluation of the default example for readiness.
	readyTimeout = 2 * time.Second
	// storeTimeout limits the store's response time for the verbose state.
	storeTimeout = time.Second
)

// readiness checks that the server is not shutting down and that the engine accepts
// the default example. A busy server is ready: the example does not wait in the queue
// of the other scenarios. A server whose store is unavailable is ready, too, because
// only short links need the store.
type readiness struct {
	engine    Engine // nil without an engine
	evaluator *evaluator
	store     share.Store
	stopping  func() bool

	lastEngine recent[error]
	lastStore  recent[string]
}

// recent keeps the result of a check for readyInterval, so that frequent requests cause
// no extra work.
type recent[Result any] struct {
	mu      sync.Mutex
	checked time.Time
	last    Result
}

func (c *recent[Result]) get(check func() Result) Result {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.checked) >= readyInterval {
		c.last = check()
		c.checked = time.Now()
	}
	return c.last
}

// check returns nil or a problem.
func (rd *readiness) check(ctx context.Context) error {
	if rd.stopping() {
		return &problem{kind: kindNotReady, detail: "The server is shutting down."}
	}
	// The result is for all clients, so a client that leaves must not end the check.
	ctx = context.WithoutCancel(ctx)
	return rd.lastEngine.get(func() error { return rd.checkEngine(ctx) })
}

func (rd *readiness) checkEngine(ctx context.Context) error {
	if rd.engine == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	scenario, err := encodeJSON(examples.Default().Scenario)
	if err != nil {
		return err
	}
	body, err := callRecovering(ctx, rd.engine, playground.Request{Task: playground.TaskReport, Body: scenario})
	var report struct{ CRD struct{ Accepted bool } }
	if err == nil {
		err = json.Unmarshal(body, &report)
	}
	switch {
	case err != nil:
		return &problem{kind: kindNotReady, detail: "The engine cannot evaluate the default example.", cause: err}
	case !report.CRD.Accepted:
		return &problem{kind: kindNotReady, detail: "The engine rejected the default example."}
	}
	return nil
}

// describe returns one line for each part of the server.
func (rd *readiness) describe(ctx context.Context) string {
	return "engine: " + rd.describeEngine() + "\nshort links: " + rd.describeStore(ctx) + "\n"
}

func (rd *readiness) describeEngine() string {
	if rd.evaluator == nil {
		return "none, only the page evaluates scenarios"
	}
	running, waiting := rd.evaluator.queue.Usage()
	return fmt.Sprintf("works, %d running and %d waiting", running, waiting)
}

func (rd *readiness) describeStore(ctx context.Context) string {
	if rd.store == nil {
		return "disabled"
	}
	ctx = context.WithoutCancel(ctx)
	return rd.lastStore.get(func() string { return rd.checkStore(ctx) })
}

func (rd *readiness) checkStore(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	// Any response proves that the store works, including "not found".
	_, _, err := rd.store.Get(ctx, strings.Repeat("0", share.IDLength))
	if err != nil && !errors.Is(err, share.ErrNotFound) {
		return "the store is unavailable, so that links cannot be created or opened; evaluations work"
	}
	return "the store works"
}

func writeText(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, text)
}
