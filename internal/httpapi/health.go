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

// healthz says that the process answers requests.
func healthz(w http.ResponseWriter, _ *http.Request) {
	writeText(w, "ok\n")
}

// readyz says that the server can do what it is there for.
func (s *Server) readyz(w http.ResponseWriter, r *http.Request) error {
	if err := s.readiness.ask(r.Context()); err != nil {
		return err
	}
	writeText(w, "ready\n")
	return nil
}

const (
	// readyInterval is how long an answer counts: whoever asks more often does
	// not make the server work more.
	readyInterval = time.Second
	// busyAtMost is how long a server that has no time for the example counts as
	// ready after the last evaluation that ended well.
	busyAtMost = time.Minute
	// storeTimeout is how long the store may take to answer.
	storeTimeout = 3 * time.Second
)

// readiness is whether the server can do what it is there for: it is not
// stopping, the engine evaluates the default example like any other scenario,
// in its turn, and the store answers.
type readiness struct {
	evaluator *evaluator
	store     share.Store
	stopping  func() bool

	mu    sync.Mutex
	asked time.Time
	last  error
}

func (rd *readiness) ask(ctx context.Context) error {
	if rd.stopping() {
		return &problem{kind: kindNotReady, detail: "The server is stopping."}
	}
	rd.mu.Lock()
	defer rd.mu.Unlock()
	if time.Since(rd.asked) >= readyInterval {
		err := rd.find(ctx)
		if ctx.Err() != nil {
			return err
		}
		rd.asked, rd.last = time.Now(), err
	}
	return rd.last
}

func (rd *readiness) find(ctx context.Context) error {
	if err := rd.askEngine(ctx); err != nil {
		return err
	}
	return rd.askStore(ctx)
}

func (rd *readiness) askEngine(ctx context.Context) error {
	if rd.evaluator == nil {
		return nil
	}
	report, err := rd.evaluator.run(ctx, examples.Default().Scenario)
	var p *problem
	switch {
	case errors.As(err, &p) && p.kind == kindBusy && rd.evaluator.sinceLast() < busyAtMost:
		return nil
	case err != nil:
		return &problem{kind: kindNotReady, detail: "The engine cannot evaluate the default example at the moment.", cause: err}
	case !report.CRD.Accepted:
		return &problem{kind: kindNotReady, detail: "The engine refuses the default example."}
	}
	return nil
}

func (rd *readiness) askStore(ctx context.Context) error {
	if rd.store == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	// Only that it answers counts, not what.
	_, _, err := rd.store.Get(ctx, strings.Repeat("0", share.IDLength))
	if err != nil && !errors.Is(err, share.ErrNotFound) {
		return &problem{kind: kindNotReady, detail: "The store of short links does not answer at the moment.", cause: err}
	}
	return nil
}

func writeText(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, text)
}
