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

func TestReadinessDescribesStore(t *testing.T) {
	for name, c := range map[string]struct {
		store share.Store
		want  string
	}{
		"none":   {nil, "disabled"},
		"memory": {share.NewMemory(), "the store works"},
		"broken": {silent{err: errors.New("broken")}, "the store is unavailable, so that links cannot be created or opened; evaluations work"},
		"silent": {silent{}, "the store is unavailable, so that links cannot be created or opened; evaluations work"},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := newServer(t, Config{Sharing: Sharing{Store: c.store}})
			start := time.Now()
			if response := get(server, "/readyz"); response.Code != http.StatusOK || response.Body.String() != "ready\n" || time.Since(start) > 0 {
				t.Errorf("%s: status %d after %v: %s", name, response.Code, time.Since(start), response.Body)
			}
			response := get(server, "/readyz?verbose")
			want := "ready\nengine: works, 0 running and 0 waiting\nshort links: " + c.want + "\n"
			if response.Code != http.StatusOK || response.Body.String() != want {
				t.Errorf("%s: status %d: %s", name, response.Code, response.Body)
			}
		})
	}
}

func TestReadinessChecksEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls, accepted, failure := 0, true, error(nil)
		server := newServer(t, Config{Engine: local(func(_ context.Context, s playground.Scenario) (playground.Report, error) {
			if calls++; !strings.Contains(s.CRD, "CustomResourceDefinition") || s.Object == "" {
				t.Errorf("the readiness check evaluates %+v", s)
			}
			return playground.Report{CRD: playground.CRD{Accepted: accepted}}, failure
		})})
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

// TestReadinessOutlastsItsClient sends requests whose client leaves at once. They must
// not end the check, because the engine would end its process with it.
func TestReadinessOutlastsItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		server := newServer(t, Config{Engine: local(func(ctx context.Context, scenario playground.Scenario) (playground.Report, error) {
			calls++
			return playground.Report{CRD: playground.CRD{Accepted: true}}, ctx.Err()
		})})
		left, leave := context.WithCancel(t.Context())
		leave()
		for range 100 {
			request := httptest.NewRequest(http.MethodGet, "/readyz", nil).WithContext(left)
			request.RemoteAddr = "192.0.2.1:1"
			server.ServeHTTP(httptest.NewRecorder(), request)
		}
		if response := get(server, "/readyz"); response.Body.String() != "ready\n" || calls != 1 {
			t.Errorf("after %d calls, status %d: %s", calls, response.Code, response.Body)
		}
	})
}

// countedReads is a store without values that counts its reads.
type countedReads struct {
	share.Store
	reads int
}

func (c *countedReads) Get(context.Context, string) ([]byte, time.Time, error) {
	c.reads++
	return nil, time.Time{}, share.ErrNotFound
}

// TestReadinessReadsStoreOnce describes the store many times within a second.
func TestReadinessReadsStoreOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &countedReads{}
		server := newServer(t, Config{Sharing: Sharing{Store: store}})
		for range 100 {
			get(server, "/readyz?verbose")
		}
		if store.reads != 1 {
			t.Errorf("the store was read %d times", store.reads)
		}
	})
}

// TestBusyServerIsReady fills the queue.
func TestBusyServerIsReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		server := newServer(t, Config{Reserved: local(accepting), Evaluations: 2, Engine: local(func(context.Context, playground.Scenario) (playground.Report, error) {
			<-release
			return playground.EmptyReport(), nil
		})})
		const clients = 2 + maxWaiting
		ended := make(chan int)
		for range clients {
			go func() { ended <- evaluateFrom(server, "192.0.2.1:1", "{}").Code }()
		}
		synctest.Wait()
		if response := evaluateFrom(server, "192.0.2.1:1", "{}"); response.Code != http.StatusTooManyRequests {
			t.Errorf("the queue is not full: status %d", response.Code)
		}
		for range 100 {
			response := get(server, "/readyz?verbose")
			want := "ready\nengine: works, 2 running and 256 waiting\nshort links: disabled\n"
			if response.Code != http.StatusOK || response.Body.String() != want {
				t.Errorf("status %d: %s", response.Code, response.Body)
			}
			time.Sleep(readyInterval / 10)
		}
		close(release)
		for range clients {
			<-ended
		}
	})
}

func accepting(context.Context, playground.Scenario) (playground.Report, error) {
	return playground.Report{CRD: playground.CRD{Accepted: true}}, nil
}

// TestStuckEngineIsNotReady gives the reserved engine no time to respond.
func TestStuckEngineIsNotReady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, Config{Reserved: local(func(ctx context.Context, _ playground.Scenario) (playground.Report, error) {
			<-ctx.Done()
			return playground.Report{}, ctx.Err()
		})})
		start := time.Now()
		response := get(server, "/readyz")
		wantProblem(t, response.Result(), response.Body.String(), kindNotReady, "The engine cannot evaluate the default example.")
		if took := time.Since(start); took != readyTimeout {
			t.Errorf("the response took %v", took)
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
