package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

// stuckEngine blocks until it is released and ignores its context, like a CEL
// expression that builds a huge value.
type stuckEngine struct {
	entered chan struct{}
	release chan struct{}
}

func newStuckEngine() stuckEngine {
	return stuckEngine{entered: make(chan struct{}, 100), release: make(chan struct{})}
}

func (s stuckEngine) evaluate(context.Context, playground.Scenario) (playground.Report, error) {
	s.entered <- struct{}{}
	<-s.release
	return playground.EmptyReport(), nil
}

// TestHostileClientWaits sends more requests than one client may run and queue, and
// then a request of another client.
func TestHostileClientWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := newStuckEngine()
		server := newServer(t, Config{Evaluations: 2, Clients: Clients{Evaluations: 600}, Engine: local(func(ctx context.Context, scenario playground.Scenario) (playground.Report, error) {
			if scenario.CRD == "quick" {
				return echo(ctx, scenario)
			}
			return engine.evaluate(ctx, scenario)
		})})
		const admitted = 1 + maxClientWaiting
		statuses := make(chan int, admitted)
		for range admitted {
			go func() { statuses <- evaluateFrom(server, "192.0.2.1:1", "{}").Code }()
		}
		synctest.Wait()
		if running, waiting := server.evaluator.queue.Usage(); running != 1 || waiting != maxClientWaiting {
			t.Errorf("%d requests of the client run and %d wait", running, waiting)
		}
		response := evaluateFrom(server, "192.0.2.1:2", "{}")
		wantProblem(t, response.Result(), response.Body.String(), kindBusy, "Too many of your requests are waiting. Try again when some of them have finished.")
		if response.Header().Get("Retry-After") == "" {
			t.Error("the problem has no Retry-After")
		}
		for range 20 {
			if response := evaluateFrom(server, "192.0.2.2:1", `{"crd":"quick"}`); response.Code != http.StatusOK {
				t.Errorf("the other client has status %d: %s", response.Code, response.Body)
			}
		}
		close(engine.release)
		for range admitted {
			if status := <-statuses; status != http.StatusOK {
				t.Errorf("a queued evaluation has status %d", status)
			}
		}
	})
}

// TestHeavyClientsLeaveASlot lets two clients with expensive scenarios compete with a
// client that has used little time.
func TestHeavyClientsLeaveASlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, Config{Evaluations: 2, Clients: Clients{Evaluations: 600}, Engine: local(func(ctx context.Context, scenario playground.Scenario) (playground.Report, error) {
			if scenario.CRD == "heavy" {
				time.Sleep(19 * time.Second)
			}
			return echo(ctx, scenario)
		})})
		heavy := func(address string) { evaluateFrom(server, address, `{"crd":"heavy"}`) }
		var both sync.WaitGroup
		both.Go(func() { heavy("192.0.2.1:1") })
		both.Go(func() { heavy("192.0.2.2:1") })
		both.Wait()
		both.Go(func() { heavy("192.0.2.1:1") })
		both.Go(func() { heavy("192.0.2.2:1") })
		synctest.Wait()
		if running, waiting := server.evaluator.queue.Usage(); running != 1 || waiting != 1 {
			t.Errorf("%d expensive evaluations run and %d wait", running, waiting)
		}
		start := time.Now()
		if response := evaluateFrom(server, "192.0.2.3:1", "{}"); response.Code != http.StatusOK || time.Since(start) > 0 {
			t.Errorf("status %d after %v", response.Code, time.Since(start))
		}
		both.Wait()
	})
}

// TestEvaluationTimeIsCharged repeats evaluations of 20 s until the client has used
// its bucket. Quick evaluations are charged once each.
func TestEvaluationTimeIsCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, Config{Clients: Clients{Evaluations: 600}, Engine: local(func(ctx context.Context, scenario playground.Scenario) (playground.Report, error) {
			if scenario.CRD == "heavy" {
				<-ctx.Done()
			}
			return playground.EmptyReport(), ctx.Err()
		})})
		for i, want := range []int{200, 200, 429} {
			synctest.Wait() // the engine has returned, too
			if response := evaluateFrom(server, "192.0.2.1:1", `{"crd":"heavy"}`); response.Code != want {
				t.Fatalf("request %d of 20 s: status %d, want %d: %s", i, response.Code, want, response.Body)
			}
		}
		response := evaluateFrom(server, "192.0.2.1:1", `{}`)
		wantProblem(t, response.Result(), response.Body.String(), kindRateLimited, "You have reached the limit of requests per minute. Try again in 1 s.")
		time.Sleep(time.Second)
		if response := evaluateFrom(server, "192.0.2.1:1", `{}`); response.Code != http.StatusOK {
			t.Errorf("after Retry-After: status %d", response.Code)
		}
		for i := range 601 {
			want := http.StatusOK
			if i == 600 {
				want = http.StatusTooManyRequests
			}
			if response := evaluateFrom(server, "192.0.2.2:1", "{}"); response.Code != want {
				t.Fatalf("quick request %d: status %d, want %d", i, response.Code, want)
			}
		}
	})
}

// TestWaitingIsLimited keeps both slots occupied for longer than a request may wait.
func TestWaitingIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := newStuckEngine()
		server := newServer(t, Config{Engine: local(engine.evaluate), Evaluations: 2, Clients: Clients{Evaluations: 600}})
		ended := make(chan int)
		for _, address := range []string{"192.0.2.1:1", "192.0.2.2:1"} {
			go func() { ended <- evaluateFrom(server, address, "{}").Code }()
		}
		synctest.Wait()
		start := time.Now()
		response := evaluateFrom(server, "192.0.2.3:1", "{}")
		wantProblem(t, response.Result(), response.Body.String(), kindBusy, "The server is busy with other evaluations. Try again in a moment.")
		if waited := time.Since(start); waited != EvaluationTimeout {
			t.Errorf("the request waited for %v", waited)
		}
		close(engine.release)
		<-ended
		<-ended
	})
}

func evaluateFrom(server http.Handler, address, scenario string) *httptest.ResponseRecorder {
	return requestFrom(server, address, http.MethodPost, "/api/v1/evaluate", scenario)
}

func TestEvaluationTimeout(t *testing.T) {
	engine := newStuckEngine()
	server, _ := serve(t, Config{Engine: local(engine.evaluate), Evaluations: 1, EvaluationTimeout: 20 * time.Millisecond})
	response, body := post(t, server.URL+"/api/v1/evaluate", "{}")
	wantStopped(t, response, body, "it took more than 0.02 s")

	if response, _ := fetch(t, http.MethodGet, server.URL+"/healthz", nil, ""); response.StatusCode != http.StatusOK {
		t.Errorf("/healthz has status %d during a stuck evaluation", response.StatusCode)
	}
	close(engine.release)
}

func TestStoppedEvaluationIsReported(t *testing.T) {
	server, log := serve(t, Config{Assets: builtPage, Build: Build{Kubernetes: "1.37.2"}, Engine: local(func(context.Context, playground.Scenario) (playground.Report, error) {
		return playground.Report{}, fmt.Errorf("evaluate: %w", &playground.StoppedError{Reason: "it took too much"})
	})})
	response, body := post(t, server.URL+"/api/v1/evaluate", `{"crd":"secret","kubernetes":"1.30"}`)
	report := wantStopped(t, response, body, "it took too much")
	if report.Kubernetes != (playground.Kubernetes{Library: "1.37.2", Emulated: "1.30"}) {
		t.Errorf("Kubernetes is %+v", report.Kubernetes)
	}
	response, body = post(t, server.URL+"/panels", `{"scenario":{"crd":"secret"},"panels":["outcome"]}`)
	var answer playground.Answer
	if err := json.Unmarshal([]byte(body), &answer); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("/panels: status %d: %v", response.StatusCode, err)
	}
	if len(answer.Findings) != 1 || !strings.Contains(answer.Panels["outcome"], "Not evaluated") || !strings.Contains(answer.Panels["outcome"], "it took too much") {
		t.Errorf("/panels: %s", body)
	}
	server.Close()
	if lines := log.String(); strings.Count(lines, "it took too much") != 2 || strings.Contains(lines, "secret") {
		t.Errorf("the log is\n%s", lines)
	}
}

// wantStopped checks that a response is the report of an evaluation that was
// stopped for the reason.
func wantStopped(t *testing.T, response *http.Response, body, reason string) playground.Report {
	t.Helper()
	var report playground.Report
	if err := json.Unmarshal([]byte(body), &report); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v: %s", response.StatusCode, err, body)
	}
	if len(report.CRD.Findings) != 1 || report.CRD.Findings[0].Hint == "" {
		t.Fatalf("the findings are %+v", report.CRD.Findings)
	}
	message := "the evaluation was stopped without a verdict: " + reason
	want := playground.EmptyReport()
	want.Kubernetes, want.Timing = report.Kubernetes, report.Timing
	want.CRD.Status.Message = message
	want.CRD.Findings = []playground.Finding{{
		Severity: playground.SeverityError, Reason: "PlaygroundLimit", Message: message, Document: playground.DocumentCRD,
		Hint: report.CRD.Findings[0].Hint, Fixes: []playground.Fix{}, Related: []playground.Related{},
	}}
	if !reflect.DeepEqual(report, want) {
		t.Errorf("got  %+v\nwant %+v", report, want)
	}
	return report
}

func TestEngineErrorsAreNotDisclosed(t *testing.T) {
	for name, evaluate := range map[string]evaluateFunc{
		"error": func(context.Context, playground.Scenario) (playground.Report, error) {
			return playground.Report{}, errors.New("inner detail")
		},
		"panic": func(context.Context, playground.Scenario) (playground.Report, error) {
			panic("inner detail")
		},
	} {
		t.Run(name, func(t *testing.T) {
			server, log := serve(t, Config{Engine: local(evaluate)})
			response, body := post(t, server.URL+"/api/v1/evaluate", "{}")
			wantProblem(t, response, body, kindInternal, "The server failed to process the request because of an internal error.")
			server.Close()
			if !strings.Contains(log.String(), "inner detail") {
				t.Errorf("the log lacks the cause:\n%s", log)
			}
		})
	}
}

func TestInvalidScenario(t *testing.T) {
	for _, c := range []struct {
		err    error
		kind   kind
		detail string
	}{
		{&playground.InvalidScenarioError{Parameter: "now", Message: "not an instant"}, kindMalformed, `"now": not an instant`},
	} {
		server, _ := serve(t, Config{Engine: local(func(context.Context, playground.Scenario) (playground.Report, error) {
			return playground.Report{}, fmt.Errorf("evaluate: %w", c.err)
		})})
		response, body := post(t, server.URL+"/api/v1/evaluate", "{}")
		wantProblem(t, response, body, c.kind, c.detail)
	}
}
