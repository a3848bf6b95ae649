package server

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/httpapi"
	"github.com/crdlab/crdlab/internal/metrics"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/procpool"
)

// start serves on a free port. The returned function stops the app and returns the
// result of serve.
func start(t *testing.T, engine httpapi.Engine) (*app, func() error) {
	t.Helper()
	return startConfig(t, appConfig{engine: engine})
}

// startPool starts an app with the engine in the processes of a pool.
func startPool(t *testing.T, pool *procpool.Pool) (*app, func() error) {
	t.Helper()
	return startConfig(t, appConfig{engine: pool.Render})
}

func startConfig(t *testing.T, c appConfig) (*app, func() error) {
	t.Helper()
	c.assets, c.drain, c.log = fstest.MapFS{}, 200*time.Millisecond, slog.New(slog.DiscardHandler)
	app, err := newApp("127.0.0.1:0", "", c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- app.serve(ctx) }()
	stop := func() error {
		cancel()
		return <-ended
	}
	t.Cleanup(func() { cancel() })
	return app, stop
}

func TestStopWaitsForRequests(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	app, stop := start(t, func(context.Context, playground.Request) ([]byte, error) {
		close(entered)
		<-release
		return []byte("{}"), nil
	})
	status := make(chan int, 1)
	go func() {
		response, err := http.Post(app.url()+"/api/v1/evaluate", "application/json", strings.NewReader("{}"))
		if err != nil {
			status <- 0
			return
		}
		defer response.Body.Close()
		_, _ = io.Copy(io.Discard, response.Body)
		status <- response.StatusCode
	}()
	<-entered
	time.AfterFunc(50*time.Millisecond, func() { close(release) })
	if err := stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	if got := <-status; got != http.StatusOK {
		t.Errorf("the open request has status %d", got)
	}
	if _, err := http.Get(app.url() + "/healthz"); err == nil {
		t.Error("the server handles requests after stop")
	}
}

func TestAddressInUse(t *testing.T) {
	nothing := func(context.Context, playground.Request) ([]byte, error) { return []byte("{}"), nil }
	app, stop := start(t, nothing)
	_, err := newApp(strings.TrimPrefix(app.url(), "http://"), "", appConfig{
		engine: nothing, assets: fstest.MapFS{}, log: slog.New(slog.DiscardHandler),
	})
	if err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("listening twice on one address: %v", err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestStopLosesNoRequest stops a server under load from persistent connections. Every
// accepted request must have a complete response.
func TestStopLosesNoRequest(t *testing.T) {
	var accepted, answered atomic.Int64
	app, stop := start(t, func(context.Context, playground.Request) ([]byte, error) {
		accepted.Add(1)
		time.Sleep(time.Millisecond)
		return []byte("{}"), nil
	})
	var asking sync.WaitGroup
	for range 8 {
		asking.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			for {
				response, err := client.Post(app.url()+"/api/v1/evaluate", "application/json", strings.NewReader("{}"))
				if err != nil {
					return
				}
				_, err = io.Copy(io.Discard, response.Body)
				if closed := response.Body.Close(); err != nil || closed != nil || response.StatusCode != http.StatusOK {
					t.Errorf("status %d, %v, %v", response.StatusCode, err, closed)
					return
				}
				answered.Add(1)
			}
		})
	}
	time.Sleep(100 * time.Millisecond)
	if err := stop(); err != nil {
		t.Error(err)
	}
	asking.Wait()
	if accepted.Load() == 0 || accepted.Load() != answered.Load() {
		t.Errorf("%d requests were accepted, %d answered", accepted.Load(), answered.Load())
	}
	ready := httptest.NewRecorder()
	if app.handler.ServeHTTP(ready, httptest.NewRequest(http.MethodGet, "/readyz", nil)); ready.Code != http.StatusServiceUnavailable {
		t.Errorf("a stopped server reports %s", ready.Body)
	}
}

func TestMetricsAddress(t *testing.T) {
	counts := metrics.New(Build("unknown"))
	app, err := newApp("127.0.0.1:0", "127.0.0.1:0", appConfig{
		assets: fstest.MapFS{}, observe: counts.Observe, metrics: counts.Handler(), build: Build("unknown"), log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- app.serve(ctx) }()
	read := func(url string) (int, string) {
		response, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.StatusCode, string(body)
	}
	if status, _ := read(app.url() + "/metrics"); status != http.StatusNotFound {
		t.Errorf("the public address serves metrics: status %d", status)
	}
	if status, body := read(app.metrics.url() + "/metrics"); status != http.StatusOK ||
		!strings.Contains(body, `crdlab_http_requests_total{code="404",method="GET",route="none"} 1`) ||
		!strings.Contains(body, `crdlab_build_info{go="`+runtime.Version()+`",kubernetes="`+engine.Library+`",version="unknown"} 1`) {
		t.Errorf("status %d:\n%s", status, body)
	}
	if status, body := read(app.url() + "/api/v1/version"); status != http.StatusOK || !strings.Contains(body, engine.Library) {
		t.Errorf("status %d: %s", status, body)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := http.Get(app.metrics.url() + "/metrics"); err == nil {
		t.Error("metrics are served after stop")
	}
}

func TestParse(t *testing.T) {
	standard := settings{
		address: "127.0.0.1:8080", shareLimit: 2 << 20, shareLifetime: httpapi.ShareLifetime,
		shareQuota: defaultShareQuota, shareClientQuota: defaultShareClientQuota, drain: time.Second,
		clients: httpapi.Clients{Evaluations: 600, Shares: 60, Reads: 3000},
	}
	with := func(change func(*settings)) *settings {
		s := standard
		change(&s)
		return &s
	}
	networks := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		name, environment string
		arguments         string
		want              *settings // nil if it is an error
	}{
		{"default", "", "", &standard},
		{"environment", "CRDLAB_ADDR=0.0.0.0:80 CRDLAB_METRICS_ADDR=:9090", "", with(func(s *settings) { s.address, s.metricsAddress = "0.0.0.0:80", ":9090" })},
		{"flag overrides environment", "CRDLAB_ADDR=0.0.0.0:80", "--addr [::1]:1", with(func(s *settings) { s.address = "[::1]:1" })},
		{"rates", "CRDLAB_EVALUATE_RATE=7", "--share-rate 0", with(func(s *settings) { s.clients = httpapi.Clients{Evaluations: 7, Reads: 3000} })},
		{"proxies", "CRDLAB_TRUSTED_PROXIES=10.0.0.0/8,fd00::/8", "", with(func(s *settings) { s.clients.TrustedProxies = networks })},
		{"proxies flag overrides environment", "CRDLAB_TRUSTED_PROXIES=192.0.2.0/24", "--trusted-proxies 10.0.0.0/8,fd00::/8", with(func(s *settings) { s.clients.TrustedProxies = networks })},
		{"drain", "CRDLAB_DRAIN=5s", "", with(func(s *settings) { s.drain = 5 * time.Second })},
		{"unknown flag", "", "-port 1", nil},
		{"argument", "", "serve", nil},
		{"proxy without a prefix length", "CRDLAB_TRUSTED_PROXIES=10.0.0.1", "", nil},
		{"rate that is not a number", "CRDLAB_EVALUATE_RATE=many", "", nil},
		{"negative time", "", "--drain -1s", nil},
		{"negative rate", "", "--share-rate -1", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := func(name string) string {
				for variable := range strings.FieldsSeq(c.environment) {
					if value, ok := strings.CutPrefix(variable, name+"="); ok {
						return value
					}
				}
				return ""
			}
			got, err := parse(strings.Fields(c.arguments), env, io.Discard)
			if c.want == nil {
				if err == nil {
					t.Errorf("accepted: %+v", got)
				}
				return
			}
			if err != nil || !reflect.DeepEqual(got, *c.want) {
				t.Errorf("got %+v, %v, want %+v", got, err, *c.want)
			}
		})
	}
}
