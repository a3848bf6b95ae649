package metrics

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"regexp"
	"slices"
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
	m := exercised(t)
	want, err := os.ReadFile("testdata/counts.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := ownMetrics(t, m); got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// exercised returns metrics with a value of each.
func exercised(t *testing.T) *Metrics {
	t.Helper()
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
	return m
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

// TestDocument requires that the section Metrics of docs/self-hosting.md lists exactly the metrics of the
// server with their labels, and that its queries have only such metrics and labels.
func TestDocument(t *testing.T) {
	document, err := os.ReadFile("../../docs/self-hosting.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(document), "\n## Metrics\n")
	section, _, _ = strings.Cut(section, "\n## ")
	exported := labelsOf(t, exercised(t))

	documented := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(crdlab_[a-z_]+)` \\|(.*?)\\|").FindAllStringSubmatch(section, -1) {
		documented[row[1]] = slices.Sorted(slices.Values(regexp.MustCompile("[a-z]+").FindAllString(row[2], -1)))
	}
	own := maps.Clone(exported)
	maps.DeleteFunc(own, func(name string, _ []string) bool { return !strings.HasPrefix(name, "crdlab_") })
	if !reflect.DeepEqual(documented, own) {
		t.Errorf("the document has %v, the server %v", documented, own)
	}

	queries := regexp.MustCompile("(?m)^\\| [^`|]+ \\| `(.*?)` \\|").FindAllStringSubmatch(section, -1)
	if len(queries) != 10 {
		t.Errorf("%d queries, want 10", len(queries))
	}
	for _, query := range queries {
		if unknown := unknownNames(query[1], exported); len(unknown) > 0 {
			t.Errorf("%s: the server does not export %q", query[1], unknown)
		}
	}
	got := unknownNames(`max(sum by (le, route, pod) (rate(crdlab_http_requests_total{code="200",status=~"2.."}[5m])) / crdlab_store{operation="put"})`, exported)
	if want := []string{"status", "crdlab_store", "operation", "le", "pod"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

var (
	selector = regexp.MustCompile(`((?:crdlab|process|go)_\w+)(\{.*?\})?`)
	matcher  = regexp.MustCompile(`(\w+)[=!]~?"[^"]*"`)
	grouping = regexp.MustCompile(`by \((.*?)\)`)
)

// unknownNames returns the metrics and labels of a query that are not exported.
func unknownNames(query string, exported map[string][]string) []string {
	var unknown, labels []string
	for _, found := range selector.FindAllStringSubmatch(query, -1) {
		metric, isBucket := strings.CutSuffix(found[1], "_bucket")
		own, ok := exported[strings.TrimSuffix(metric, "_count")]
		if !ok {
			unknown = append(unknown, found[1])
		}
		for _, match := range matcher.FindAllStringSubmatch(found[2], -1) {
			if !slices.Contains(own, match[1]) {
				unknown = append(unknown, match[1])
			}
		}
		labels = append(labels, own...)
		if isBucket {
			labels = append(labels, "le")
		}
	}
	for _, group := range grouping.FindAllStringSubmatch(query, -1) {
		for label := range strings.SplitSeq(group[1], ", ") {
			if !slices.Contains(labels, label) {
				unknown = append(unknown, label)
			}
		}
	}
	return unknown
}

// labelsOf returns the labels of each metric.
func labelsOf(t *testing.T, m *Metrics) map[string][]string {
	t.Helper()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string][]string{}
	for _, family := range families {
		var names []string
		for _, pair := range family.GetMetric()[0].GetLabel() {
			names = append(names, pair.GetName())
		}
		labels[family.GetName()] = names
	}
	return labels
}
