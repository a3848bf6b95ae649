package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
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
	return playground.Report{}, nil
}

func TestConcurrentEvaluationsAreLimited(t *testing.T) {
	engine := newStuckEngine()
	server, _ := serve(t, Config{Evaluate: engine.evaluate, Evaluations: 1})
	const admitted = 1 + queuedPerEvaluation
	answers := make(chan int, admitted)
	for range admitted {
		go func() {
			response, err := http.Post(server.URL+"/api/v1/evaluate", "application/json", strings.NewReader("{}"))
			if err != nil {
				answers <- 0
				return
			}
			response.Body.Close()
			answers <- response.StatusCode
		}()
	}
	queue := server.Config.Handler.(*Server).evaluator.admitted
	for len(queue) < admitted {
		time.Sleep(time.Millisecond)
	}
	<-engine.entered

	response, body := post(t, server.URL+"/api/v1/evaluate", "{}")
	wantProblem(t, response, body, kindBusy, "The server is busy with other evaluations. Try again in a moment.")
	if response.Header.Get("Retry-After") == "" {
		t.Error("the problem has no Retry-After")
	}
	if len(engine.entered) > 0 {
		t.Error("two evaluations run concurrently")
	}
	close(engine.release)
	for range admitted {
		if status := <-answers; status != http.StatusOK {
			t.Errorf("a queued evaluation has status %d", status)
		}
	}
}

func TestEvaluationTimeout(t *testing.T) {
	engine := newStuckEngine()
	server, _ := serve(t, Config{Evaluate: engine.evaluate, Evaluations: 1, EvaluationTimeout: 20 * time.Millisecond})
	response, body := post(t, server.URL+"/api/v1/evaluate", "{}")
	wantStopped(t, response, body, "it took more than 0.02 s")

	response, body = fetch(t, http.MethodGet, server.URL+"/readyz", nil, "")
	wantProblem(t, response, body, kindNotReady, "The engine cannot evaluate the default example.")
	if response, _ := fetch(t, http.MethodGet, server.URL+"/healthz", nil, ""); response.StatusCode != http.StatusOK {
		t.Errorf("/healthz has status %d during a stuck evaluation", response.StatusCode)
	}
	close(engine.release)
}

func TestStoppedEvaluationIsReported(t *testing.T) {
	server, log := serve(t, Config{Assets: builtPage, Build: Build{Kubernetes: "1.37.2"}, Evaluate: func(context.Context, playground.Scenario) (playground.Report, error) {
		return playground.Report{}, fmt.Errorf("evaluate: %w", &playground.StoppedError{Reason: "it took too much"})
	}})
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
	message := "the evaluation was ended, so that there is no verdict: " + reason
	want := playground.EmptyReport()
	want.Kubernetes, want.Timing = report.Kubernetes, report.Timing
	want.CRD.Status.Message = message
	want.CRD.Findings = []playground.Finding{{
		Severity: playground.SeverityError, Reason: "PlaygroundLimit", Message: message, Document: playground.DocumentCRD,
		Hint: stoppedHint, Fixes: []playground.Fix{}, Related: []playground.Related{},
	}}
	if !reflect.DeepEqual(report, want) {
		t.Errorf("got  %+v\nwant %+v", report, want)
	}
	return report
}

func TestEngineErrorsAreNotDisclosed(t *testing.T) {
	for name, evaluate := range map[string]Evaluate{
		"error": func(context.Context, playground.Scenario) (playground.Report, error) {
			return playground.Report{}, errors.New("inner detail")
		},
		"panic": func(context.Context, playground.Scenario) (playground.Report, error) {
			panic("inner detail")
		},
	} {
		t.Run(name, func(t *testing.T) {
			server, log := serve(t, Config{Evaluate: evaluate})
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
		server, _ := serve(t, Config{Evaluate: func(context.Context, playground.Scenario) (playground.Report, error) {
			return playground.Report{}, fmt.Errorf("evaluate: %w", c.err)
		}})
		response, body := post(t, server.URL+"/api/v1/evaluate", "{}")
		wantProblem(t, response, body, c.kind, c.detail)
	}
}
