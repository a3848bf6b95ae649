package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/renderer"
)

// serve starts a server with a listener. The returned log is complete after the
// server is closed.
func serve(t *testing.T, config Config) (*httptest.Server, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	config.Log = slog.New(LogRequests(slog.NewTextHandler(&log, nil)))
	if config.Assets == nil {
		config.Assets = fstest.MapFS{}
	}
	if config.Engine == nil {
		config.Engine = local(echo)
	}
	handler, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	handler.routes = conformingRouter{handler.routes, t}
	server := httptest.NewUnstartedServer(handler)
	Limit(server.Config)
	server.Start()
	t.Cleanup(server.Close)
	return server, &log
}

type (
	evaluateFunc = func(context.Context, playground.Scenario) (playground.Report, error)
	assistFunc   = func(context.Context, playground.AssistRequest) (playground.AssistResponse, error)
)

// library is the release of the Kubernetes libraries in the engines of the tests.
const library = "1.37.2"

// local returns an engine in this process.
func local(evaluate evaluateFunc) Engine {
	return func(ctx context.Context, request playground.Request) ([]byte, error) {
		return renderer.New(renderer.Engine{Evaluate: evaluate, Library: library}).Render(ctx, request)
	}
}

// localAssist returns an engine in this process whose evaluations accept every CRD.
func localAssist(assist assistFunc) Engine {
	return func(ctx context.Context, request playground.Request) ([]byte, error) {
		return renderer.New(renderer.Engine{Evaluate: echo, Assist: assist, Library: library}).Render(ctx, request)
	}
}

// echo is an engine that accepts every CRD and returns its source as its name.
func echo(_ context.Context, scenario playground.Scenario) (playground.Report, error) {
	return withoutNilSlices(playground.Report{CRD: playground.CRD{Name: scenario.CRD, Accepted: true}}), nil
}

func fetch(t *testing.T, method, url string, header map[string]string, body string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range header {
		request.Header.Set(name, value)
	}
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(content)
}

var jsonHeader = map[string]string{"Content-Type": "application/json"}

func post(t *testing.T, url, body string) (*http.Response, string) {
	t.Helper()
	return fetch(t, http.MethodPost, url, jsonHeader, body)
}

// wantProblem checks that a response is exactly the problem with this kind and detail.
func wantProblem(t *testing.T, response *http.Response, body string, k kind, detail string) {
	t.Helper()
	if got := response.Header.Get("Content-Type"); got != problemType {
		t.Errorf("content type %q, want %q", got, problemType)
	}
	var got problemDocument
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&got); err != nil {
		t.Fatalf("decode %q: %v", body, err)
	}
	status := statuses[k]
	want := problemDocument{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Code: k}
	if got != want || response.StatusCode != status {
		t.Errorf("status %d, problem %+v, want %+v", response.StatusCode, got, want)
	}
}

func TestEvaluate(t *testing.T) {
	server, _ := serve(t, Config{})
	response, body := post(t, server.URL+"/api/v1/evaluate", `{"crd": "a <b> & \u2028 é"}`)
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("status %d, content type %q", response.StatusCode, response.Header.Get("Content-Type"))
	}
	var got playground.Report
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if want := "a <b> & \u2028 é"; got.CRD.Name != want {
		t.Errorf("name %q, want %q", got.CRD.Name, want)
	}
	if !strings.Contains(body, "a <b> &") {
		t.Errorf("the response escapes HTML characters: %.200s", body)
	}
}

func TestProblems(t *testing.T) {
	server, _ := serve(t, Config{})
	const evaluate = "/api/v1/evaluate"
	for _, c := range []struct {
		name, method, path, media, body string
		kind                            kind
		detail                          string
	}{
		{"unknown path", "GET", "/nothing", "", "", kindNotFound, "There is nothing at this address."},
		{"unknown asset", "GET", "/assets/nothing.js", "", "", kindNotFound, "There is nothing at this address."},
		{"asset above the root", "GET", "/assets/..%2fmanifest.json", "", "", kindNotFound, "There is nothing at this address."},
		{"wrong method", "GET", evaluate, "", "", kindMethod, "This address does not support the method GET."},
		{"no media type", "POST", evaluate, "", "{}", kindMediaType, "Send the scenario as JSON, with the header Content-Type: application/json."},
		{"form", "POST", evaluate, "application/x-www-form-urlencoded", "crd=", kindMediaType, "Send the scenario as JSON, with the header Content-Type: application/json."},
		{"empty", "POST", evaluate, "application/json", "", kindMalformed, "The request body is empty. Send a scenario as a JSON object."},
		{"cut short", "POST", evaluate, "application/json", `{"crd": "a`, kindMalformed, "The request body is not valid JSON: it ends in the middle of a value."},
		{"not JSON", "POST", evaluate, "application/json", `crd: a`, kindMalformed, "The request body is not valid JSON: invalid character 'c' looking for beginning of value at byte 1."},
		{"array", "POST", evaluate, "application/json", `[]`, kindMalformed, "The request body must be a JSON object, not an array."},
		{"number for a string", "POST", evaluate, "application/json; charset=utf-8", `{"crd": 1}`, kindMalformed, `"crd" must be a string, not a number.`},
		{"string for a boolean", "POST", evaluate, "application/json", `{"force": "true"}`, kindMalformed, `"force" must be a bool, not a string.`},
		{"object for a string", "POST", evaluate, "application/json", `{"object": {}}`, kindMalformed, `"object" must be a string, not an object.`},
		{"unknown field", "POST", evaluate, "application/json", `{"crds": ""}`, kindMalformed, `The scenario has an unknown field "crds".`},
		{"two values", "POST", evaluate, "application/json", `{} {}`, kindMalformed, "The request body has data after the JSON object."},
		{"too large", "POST", evaluate, "application/json", `{"crd": "` + strings.Repeat("a", MaxBody) + `"}`, kindTooLarge, "The request body exceeds the limit of 6 MiB."},
		{"panels", "POST", "/panels", "application/json", `[]`, kindMalformed, "The request body must be a JSON object, not an array."},
	} {
		t.Run(c.name, func(t *testing.T) {
			response, body := fetch(t, c.method, server.URL+c.path, map[string]string{"Content-Type": c.media}, c.body)
			wantProblem(t, response, body, c.kind, c.detail)
		})
	}
}

func TestMaxBody(t *testing.T) {
	server, _ := serve(t, Config{})
	body := `{"crd": ""}`
	body += strings.Repeat(" ", MaxBody-len(body))
	if response, answer := post(t, server.URL+"/api/v1/evaluate", body); response.StatusCode != http.StatusOK {
		t.Errorf("status %d: %.200s", response.StatusCode, answer)
	}
}

func TestSecurityHeaders(t *testing.T) {
	server, _ := serve(t, Config{Assets: fstest.MapFS{"assets/a.js": {Data: []byte("1")}}})
	for _, path := range []string{"/", "/assets/a.js", "/healthz", "/readyz", "/api/v1/evaluate", "/nothing"} {
		response, _ := fetch(t, http.MethodGet, server.URL+path, nil, "")
		for name, want := range securityHeaders {
			got := response.Header.Get(name)
			if name == "Content-Security-Policy" {
				got = strings.Join(strings.Split(got, "; ")[:1], "")
				want = "default-src 'none'"
			}
			if got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
	}
}

func TestLogHasNoUserInput(t *testing.T) {
	server, log := serve(t, Config{})
	post(t, server.URL+"/api/v1/evaluate?token=secret", `{"crd": "secret"}`)
	fetch(t, http.MethodGet, server.URL+"/secret", nil, "")
	fetch(t, "SECRET", server.URL+"/", nil, "")
	server.Close()
	if strings.Contains(strings.ToLower(log.String()), "secret") {
		t.Errorf("the log contains user input:\n%s", log)
	}
	if !strings.Contains(log.String(), "method=POST route=/api/v1/evaluate status=200") {
		t.Errorf("the log lacks the route:\n%s", log)
	}
}

func TestInvalidConfig(t *testing.T) {
	if _, err := New(Config{}); err == nil {
		t.Error("New accepts a configuration without assets")
	}
	broken := fstest.MapFS{"assets": {Mode: fs.ModeDir}, "assets/a.js": {Mode: fs.ModeSymlink, Data: []byte("nowhere")}}
	if _, err := New(Config{Engine: local(echo), Log: slog.New(slog.DiscardHandler), Assets: broken}); err == nil {
		t.Error("New accepts unreadable assets")
	}
}
