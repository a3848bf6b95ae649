package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/httpapi"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

var version = httpapi.Build{Version: "1.2.0", Go: "go1.26", Kubernetes: "1.37.2"}

// ownMetrics returns the lines of crdlab's own metrics without buckets and sums,
// which depend on durations.
func ownMetrics(t *testing.T, m *Metrics) string {
	t.Helper()
	server := httptest.NewServer(m.Handler())
	defer server.Close()
	response, err := http.Get(server.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v", response.StatusCode, err)
	}
	own := regexp.MustCompile(`(?m)^crdlab_.*$`).FindAllString(string(text), -1)
	var kept []string
	for _, line := range own {
		if !strings.Contains(line, "_bucket{") && !strings.Contains(line, "_sum{") {
			kept = append(kept, line)
		}
	}
	for _, name := range []string{"go_goroutines", "process_resident_memory_bytes"} {
		if !strings.Contains(string(text), name) {
			t.Errorf("the metric %s is missing", name)
		}
	}
	return strings.Join(kept, "\n") + "\n"
}

func TestMetrics(t *testing.T) {
	m := New(version)
	for range 2 {
		m.Observe(httpapi.Observation{Method: "POST", Route: "/api/v1/evaluate", Status: 200, Bytes: 7, Duration: time.Millisecond})
	}
	m.Observe(httpapi.Observation{Method: "GET", Route: "none", Status: 404, Bytes: 1, Duration: time.Millisecond})

	for _, err := range []error{
		nil, &playground.InvalidScenarioError{}, fmt.Errorf("evaluate: %w", &playground.StoppedError{}),
		context.DeadlineExceeded, context.Canceled, errors.New("a fault"),
	} {
		engine := m.Engine(func(context.Context, playground.Request) ([]byte, error) { return []byte("a"), err })
		for _, request := range []playground.Request{{Task: playground.TaskReport}, {Task: playground.TaskAssist}, {Task: playground.TaskPage, Stopped: &playground.Stopped{}}} {
			if body, got := engine(t.Context(), request); !errors.Is(got, err) || string(body) != "a" {
				t.Errorf("%+v: got %s, %v", request, body, got)
			}
		}
	}

	unreadable := m.Engine(func(context.Context, playground.Request) ([]byte, error) { return nil, playground.ErrUnreadable })
	if _, err := unreadable(t.Context(), playground.Request{}); !errors.Is(err, playground.ErrUnreadable) {
		t.Errorf("got %v", err)
	}

	store := m.Store(share.NewMemory())
	_ = store.Put(t.Context(), "id", []byte("value"), time.Time{})
	if value, _, err := store.Get(t.Context(), "id"); string(value) != "value" || err != nil {
		t.Errorf("got %q, %v", value, err)
	}
	_ = store.Delete(t.Context(), "id")
	if _, _, err := store.Get(t.Context(), "id"); !errors.Is(err, share.ErrNotFound) {
		t.Errorf("after a deletion: %v", err)
	}
	_, _ = store.DeleteExpired(t.Context(), time.Now())

	m.Waiting(func() int { return 3 })
	want, err := os.ReadFile("testdata/counts.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := ownMetrics(t, m); got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// failing is a store whose reads fail with err.
type failing struct {
	share.Store
	err error
}

func (f *failing) Get(context.Context, string) ([]byte, time.Time, error) {
	return nil, time.Time{}, f.err
}

func TestStoreAvailable(t *testing.T) {
	m := New(version)
	broken := &failing{}
	store := m.Store(broken)
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, "1"},
		{share.ErrUnavailable, "0"},
		{context.Canceled, "0"},
		{share.ErrNotFound, "1"},
		{context.Canceled, "1"},
		{errors.New("a fault"), "0"},
	} {
		broken.err = c.err
		_, _, _ = store.Get(t.Context(), "id")
		if got := ownMetrics(t, m); !strings.Contains(got, "crdlab_store_available "+c.want+"\n") {
			t.Errorf("after %v, the metrics are\n%s", c.err, got)
		}
	}
}

func TestEvaluationsRunning(t *testing.T) {
	m := New(version)
	engine := m.Engine(func(context.Context, playground.Request) ([]byte, error) {
		if !strings.Contains(ownMetrics(t, m), "crdlab_evaluations_running 1\n") {
			t.Error("an evaluation in progress is not counted")
		}
		return nil, nil
	})
	_, _ = engine(t.Context(), playground.Request{})
	if !strings.Contains(ownMetrics(t, m), "crdlab_evaluations_running 0\n") {
		t.Error("a completed evaluation is still counted")
	}
}
