package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/share"
)

// healthz reports that the process handles requests.
func healthz(w http.ResponseWriter, _ *http.Request) {
	writeText(w, "ok\n")
}

// readyz reports whether the server should receive requests.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	if err := s.readiness.check(r.Context()); err != nil {
		return err
	}
	writeText(w, "ready\n")
	return nil
}

const (
	// readyInterval is the lifetime of a result, so that frequent probes cause no
	// extra work.
	readyInterval = time.Second
	// maxBusy is the time since the last successful evaluation for which a server
	// with a full queue still counts as ready.
	maxBusy = time.Minute
	// storeTimeout limits the store's response time.
	storeTimeout = 3 * time.Second
)

// readiness checks that the server is not shutting down, that the engine accepts
// the default example, and that the store responds. The example waits in the same
// queue as other scenarios.
type readiness struct {
	evaluator *evaluator
	store     share.Store
	stopping  func() bool

	mu      sync.Mutex
	checked time.Time
	last    error
}

// check returns nil or a problem. It reuses the last result within readyInterval.
func (rd *readiness) check(ctx context.Context) error {
	if rd.stopping() {
		return &problem{kind: kindNotReady, detail: "The server is shutting down."}
	}
	rd.mu.Lock()
	defer rd.mu.Unlock()
	if time.Since(rd.checked) >= readyInterval {
		err := rd.checkNow(ctx)
		if ctx.Err() != nil {
			return err
		}
		rd.checked, rd.last = time.Now(), err
	}
	return rd.last
}

func (rd *readiness) checkNow(ctx context.Context) error {
	if err := rd.checkEngine(ctx); err != nil {
		return err
	}
	return rd.checkStore(ctx)
}

func (rd *readiness) checkEngine(ctx context.Context) error {
	if rd.evaluator == nil {
		return nil
	}
	report, err := rd.evaluator.run(ctx, examples.Default().Scenario)
	var p *problem
	switch {
	case errors.As(err, &p) && p.kind == kindBusy && rd.evaluator.sinceSuccess() < maxBusy:
		return nil
	case err != nil:
		return &problem{kind: kindNotReady, detail: "The engine cannot evaluate the default example.", cause: err}
	case !report.CRD.Accepted:
		return &problem{kind: kindNotReady, detail: "The engine rejected the default example."}
	}
	return nil
}

func (rd *readiness) checkStore(ctx context.Context) error {
	if rd.store == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	// Any response proves that the store works, including "not found".
	_, _, err := rd.store.Get(ctx, strings.Repeat("0", share.IDLength))
	if err != nil && !errors.Is(err, share.ErrNotFound) {
		return &problem{kind: kindNotReady, detail: "The short-link store is not responding.", cause: err}
	}
	return nil
}

func writeText(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, text)
}
