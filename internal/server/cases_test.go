package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/procpool"
)

// Environment variables that turn the test binary into another program: a child of
// the process pool, or the server with the settings of the environment.
const (
	childVariable  = "CRDLAB_TEST_CHILD"
	serverVariable = "CRDLAB_TEST_SERVER"
)

func TestMain(m *testing.M) {
	var err error
	switch {
	case os.Getenv(childVariable) != "", len(os.Args) > 1 && os.Args[1] == EvaluateCommand:
		err = evaluate(os.Args[min(2, len(os.Args)):])
	case os.Getenv(serverVariable) != "":
		err = Program{Version: "unknown"}.run(nil)
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		os.Exit(1)
	}
}

// testChild returns the command that runs the test binary as a child of the pool.
func testChild() *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), childVariable+"=1")
	return command
}

// TestCasesOverHTTP evaluates each case of the engine over HTTP in a process pool. The
// report must be identical to the report of the engine in this process.
func TestCasesOverHTTP(t *testing.T) {
	pool := procpool.New(testChild, 2)
	defer pool.Close()
	app, stop := startPool(t, pool)
	all, err := cases.Read("../../internal/engine/testdata")
	if err != nil {
		t.Fatal(err)
	}
	described := reportSchema(t, app.url())
	native := bundle.Evaluator(engine.New().Evaluate)
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			report, err := native(t.Context(), c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			want := encode(t, report)
			scenario, err := json.Marshal(c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			got := evaluateOverHTTP(t, app.url(), scenario)
			if value, err := jsonschema.UnmarshalJSON(strings.NewReader(got)); err != nil || described.Validate(value) != nil {
				t.Errorf("the report does not match the OpenAPI document: %v, %v", err, described.Validate(value))
			}
			if at := difference(got, want); got != want {
				t.Errorf("report differs:\ngot  …%.200s\nwant …%.200s", got[at:], want[at:])
			}
		})
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestUnusualBodiesOverHTTP sends bodies that the strict decoder of a child rejects. The
// response must be the same as without a pool.
func TestUnusualBodiesOverHTTP(t *testing.T) {
	pool := procpool.New(testChild, 2)
	defer pool.Close()
	pooled, _ := startPool(t, pool)
	native := engine.New()
	decoding, _ := start(t, func(_ context.Context, request playground.Request) ([]byte, error) {
		var report bytes.Buffer
		err := evaluateJSON(native, request.Body, &report)
		if _, ok := errors.AsType[*playground.InvalidScenarioError](err); err != nil && !ok || !json.Valid(request.Body) {
			return nil, playground.ErrUnreadable
		}
		return report.Bytes(), err
	})
	for body, status := range map[string]int{
		`{"crd":"a: b","now":"2026-01-01T00:00:00Z","crd":"c: d"}`: 200,
		`{"CRD":"a: b","now":"2026-01-01T00:00:00Z"}`:              200,
		"{\"crd\":\"a: \xff\",\"now\":\"2026-01-01T00:00:00Z\"}":   200,
		`{"crd":"a: \ud800","now":"2026-01-01T00:00:00Z"}`:         200,
		``:                                       400,
		`{"crd":`:                                400,
		`{"crd":"a"}}`:                           400,
		`{"crd":{}}`:                             400,
		`{"crds":"a"}`:                           400,
		`{"replicas":1e9}`:                       400,
		`{"now":"then"}`:                         400,
		strings.Repeat(`{"crd":`, 20_000):        400,
		`{"crd":"` + strings.Repeat("a", 70_000): 400,
	} {
		gotStatus, got := evaluateBody(t, pooled.url(), []byte(body))
		wantStatus, want := evaluateBody(t, decoding.url(), []byte(body))
		if got != want || gotStatus != wantStatus || wantStatus != status {
			t.Errorf("%.60q: status %d: %.300s\nwant %d: %.300s", body, gotStatus, got, wantStatus, want)
		}
	}
}

// reportSchema returns the schema of reports in the server's OpenAPI document.
func reportSchema(t *testing.T, url string) *jsonschema.Schema {
	t.Helper()
	response, err := http.Get(url + "/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	document, err := jsonschema.UnmarshalJSON(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("openapi.json", document); err != nil {
		t.Fatal(err)
	}
	return compiler.MustCompile("openapi.json#/components/schemas/Report")
}

// encode encodes a report like the server, without timings.
func encode(t *testing.T, report playground.Report) string {
	t.Helper()
	report.Timing = playground.Timing{}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(report); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// difference returns an index shortly before the first difference of two strings.
func difference(a, b string) int {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	return max(at-50, 0)
}

var timing = regexp.MustCompile(`"timing":\{[^}]*\}`)

// evaluateOverHTTP returns the server's report without timings.
func evaluateOverHTTP(t *testing.T, url string, scenario []byte) string {
	t.Helper()
	_, report := evaluateBody(t, url, scenario)
	return report
}

// evaluateBody returns the status and the body of the response without timings.
func evaluateBody(t *testing.T, url string, scenario []byte) (int, string) {
	t.Helper()
	response, err := http.Post(url+"/api/v1/evaluate", "application/json", bytes.NewReader(scenario))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	untimed := timing.ReplaceAll(bytes.TrimSuffix(body, []byte("\n")), []byte(`"timing":{"crd":0,"object":0}`))
	return response.StatusCode, string(untimed)
}
