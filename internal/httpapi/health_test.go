package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

func get(server http.Handler, path string) *httptest.ResponseRecorder {
	return requestFrom(server, "192.0.2.1:1", http.MethodGet, path, "")
}

// silent is a store that fails with err or, without one, never responds.
type silent struct {
	share.Store
	err error
}

func (s silent) Get(ctx context.Context, _ string) ([]byte, time.Time, error) {
	if s.err == nil {
		<-ctx.Done()
		return nil, time.Time{}, ctx.Err()
	}
	return nil, time.Time{}, s.err
}

func TestReadinessChecksStore(t *testing.T) {
	for _, c := range []struct {
		name  string
		store share.Store
		want  int
	}{
		{"none", nil, http.StatusOK},
		{"memory", share.NewMemory(), http.StatusOK},
		{"broken", silent{err: errors.New("broken")}, http.StatusServiceUnavailable},
		{"silent", silent{}, http.StatusServiceUnavailable},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, Config{Sharing: Sharing{Store: c.store}})
			response := get(server, "/readyz")
			if response.Code != c.want {
				t.Errorf("%s: status %d: %s", c.name, response.Code, response.Body)
			}
			if c.want != http.StatusOK {
				wantProblem(t, response.Result(), response.Body.String(), kindNotReady, "The short-link store is not responding.")
			}
		})
	}
}

func TestReadinessChecksEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, accepted, failure := 0, true, error(nil)
		server := newServer(t, Config{Evaluate: func(_ context.Context, s playground.Scenario) (playground.Report, error) {
			if calls++; !strings.Contains(s.CRD, "CustomResourceDefinition") || s.Object == "" {
				t.Errorf("the readiness check evaluates %+v", s)
			}
			return playground.Report{CRD: playground.CRD{Accepted: accepted}}, failure
		}})
		for range 3 {
			if response := get(server, "/readyz"); response.Body.String() != "ready\n" {
				t.Errorf("status %d: %s", response.Code, response.Body)
			}
		}
		if calls != 1 {
			t.Errorf("the engine was called %d times within a second", calls)
		}
		accepted = false
		time.Sleep(readyInterval)
		response := get(server, "/readyz")
		wantProblem(t, response.Result(), response.Body.String(), kindNotReady, "The engine rejected the default example.")
		accepted, failure = true, errors.New("out of order")
		time.Sleep(readyInterval)
		response = get(server, "/readyz")
		wantProblem(t, response.Result(), response.Body.String(), kindNotReady, "The engine cannot evaluate the default example.")
	})
}

// TestBusyServerIsReady fills the queue of a server after a successful evaluation.
func TestBusyServerIsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, Config{Evaluations: 1})
		fill := func() {
			for range cap(server.evaluator.admitted) {
				server.evaluator.admitted <- struct{}{}
			}
		}
		fill()
		if response := get(server, "/readyz"); response.Code != http.StatusServiceUnavailable {
			t.Errorf("before the first evaluation: status %d", response.Code)
		}
		for range cap(server.evaluator.admitted) {
			<-server.evaluator.admitted
		}
		post := requestFrom(server, "192.0.2.1:1", http.MethodPost, "/api/v1/evaluate", "{}")
		if post.Code != http.StatusOK {
			t.Fatalf("status %d: %s", post.Code, post.Body)
		}
		synctest.Wait()
		fill()
		time.Sleep(readyInterval)
		if response := get(server, "/readyz"); response.Code != http.StatusOK {
			t.Errorf("shortly after an evaluation: status %d", response.Code)
		}
		time.Sleep(maxBusy)
		if response := get(server, "/readyz"); response.Code != http.StatusServiceUnavailable {
			t.Errorf("long after an evaluation: status %d", response.Code)
		}
	})
}

func TestDrain(t *testing.T) {
	server := newServer(t, Config{})
	if header := get(server, "/healthz").Header(); header.Get("Connection") != "" {
		t.Errorf("connection %q", header.Get("Connection"))
	}
	server.Drain()
	response := get(server, "/readyz")
	wantProblem(t, response.Result(), response.Body.String(), kindNotReady, "The server is shutting down.")
	answer := requestFrom(server, "192.0.2.1:1", http.MethodPost, "/api/v1/evaluate", "{}")
	if answer.Code != http.StatusOK || answer.Header().Get("Connection") != "close" {
		t.Errorf("status %d, connection %q", answer.Code, answer.Header().Get("Connection"))
	}
}

func TestVersion(t *testing.T) {
	for want, build := range map[string]Build{
		`{"version":"1.2.0","go":"go1.26","kubernetes":"1.37.2"}` + "\n": {"1.2.0", "go1.26", "1.37.2"},
		`{"version":"1.2.0","go":"go1.26"}` + "\n":                       {"1.2.0", "go1.26", ""},
	} {
		response := get(newServer(t, Config{Build: build}), "/api/v1/version")
		if response.Body.String() != want || response.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("got %s with %v, want %s", response.Body, response.Header(), want)
		}
	}
}
