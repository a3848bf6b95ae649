package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/crdlab/crdlab/internal/engine/whole"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/procpool"
)

// asChild makes the test's binary a process of the pool, as the server's is.
const asChild = "CRDLAB_TEST_CHILD"

// asServer makes it the server itself, with the settings of the environment.
const asServer = "CRDLAB_TEST_SERVER"

func TestMain(m *testing.M) {
	var err error
	switch {
	case os.Getenv(asChild) != "":
		err = evaluate()
	case os.Getenv(asServer) != "":
		err = run(nil)
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		os.Exit(1)
	}
}

// testChild is the test's binary as a process of the pool.
func testChild() *exec.Cmd {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), asChild+"=1")
	command.Stderr = os.Stderr
	return command
}

// TestCasesOverHTTP sends each case of the engine through a listener and a
// process of the pool; the report has to be that of the engine in this process,
// to the byte.
func TestCasesOverHTTP(t *testing.T) {
	pool := procpool.New(testChild)
	defer pool.Close()
	app, stop := startPool(t, pool)
	all, err := cases.Read("../../internal/engine/testdata")
	if err != nil {
		t.Fatal(err)
	}
	described := reportSchema(t, app.url())
	native := whole.New()
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			report, err := native.Evaluate(t.Context(), c.Scenario)
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
				t.Errorf("the report is not as the API's description says: %v, %v", err, described.Validate(value))
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

// TestUnusualBodiesOverHTTP sends what a process of the pool does not read. The
// answer has to be that of a server that decodes all bodies itself.
func TestUnusualBodiesOverHTTP(t *testing.T) {
	pool := procpool.New(testChild)
	defer pool.Close()
	pooled, _ := startPool(t, pool)
	decoding, _ := start(t, whole.New().Evaluate)
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
			t.Errorf("%.60q is answered %d: %.300s\nwant %d: %.300s", body, gotStatus, got, wantStatus, want)
		}
	}
}

// reportSchema is what the server says of its reports.
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

// encode is a report as the server writes it, without its times.
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

// difference is a place shortly before the first byte in which two texts differ.
func difference(a, b string) int {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	return max(at-50, 0)
}

var timing = regexp.MustCompile(`"timing":\{[^}]*\}`)

// evaluateOverHTTP is the report as the server writes it, without its times.
func evaluateOverHTTP(t *testing.T, url string, scenario []byte) string {
	t.Helper()
	_, report := evaluateBody(t, url, scenario)
	return report
}

// evaluateBody is the status and the body of the answer, without times.
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
