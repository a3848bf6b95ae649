package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/crdlab/crdlab/internal/httpapi"
	"github.com/crdlab/crdlab/internal/playground"
)

// start serves on a free port until the returned function is called, which
// gives what serve returned.
func start(t *testing.T, evaluate httpapi.Evaluate) (*app, func() error) {
	t.Helper()
	app, err := newApp("127.0.0.1:0", parts{evaluate: evaluate, assets: fstest.MapFS{}, log: slog.New(slog.DiscardHandler)})
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

func TestStopLetsRequestsEnd(t *testing.T) {
	entered, release := make(chan struct{}), make(chan struct{})
	app, stop := start(t, func(context.Context, playground.Scenario) (playground.Report, error) {
		close(entered)
		<-release
		return playground.Report{}, nil
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
		t.Errorf("the request that was under way ended with status %d", got)
	}
	if _, err := http.Get(app.url() + "/healthz"); err == nil {
		t.Error("the server answers after its end")
	}
}

func TestAddressInUse(t *testing.T) {
	nothing := func(context.Context, playground.Scenario) (playground.Report, error) {
		return playground.Report{}, nil
	}
	app, stop := start(t, nothing)
	_, err := newApp(strings.TrimPrefix(app.url(), "http://"), parts{
		evaluate: nothing, assets: fstest.MapFS{}, log: slog.New(slog.DiscardHandler),
	})
	if err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("listening twice on one address: %v", err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		name, environment string
		arguments         []string
		want              string
		fails             bool
	}{
		{"default", "", nil, "127.0.0.1:8080", false},
		{"environment", "0.0.0.0:80", nil, "0.0.0.0:80", false},
		{"flag first", "0.0.0.0:80", []string{"-addr", "[::1]:1"}, "[::1]:1", false},
		{"unknown flag", "", []string{"-port", "1"}, "", true},
		{"argument", "", []string{"serve"}, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			env := func(name string) string {
				return map[string]string{"CRDLAB_ADDR": c.environment}[name]
			}
			got, err := parse(c.arguments, env, io.Discard)
			if (err != nil) != c.fails {
				t.Fatalf("error %v", err)
			}
			if err == nil && got.address != c.want {
				t.Errorf("address %q, want %q", got.address, c.want)
			}
		})
	}
}
