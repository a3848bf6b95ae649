package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
)

var builtPage = fstest.MapFS{
	"manifest.json": {Data: []byte(`{
		"src/main.ts": {"file": "assets/main-1.js", "css": ["assets/main-1.css"]},
		"src/engine/started.ts": {"file": "assets/started-1.js"},
		"src/theme.ts": {"file": "assets/theme-1.js"},
		"src/site.ts": {"file": "assets/site-1.js", "css": ["assets/site-1.css"]},
  "src/schema.ts": {"file": "assets/schema-1.js", "css": ["assets/schema-1.css"]},
		"src/icon.svg": {"file": "assets/icon-1.svg"}}`)},
	"engine.json":       {Data: []byte(`{"module": "assets/engine-1.wasm", "size": 1, "runtime": "assets/wasm_exec-1.js"}`)},
	"notices.txt":       {Data: []byte("licences\n")},
	"service-worker.js": {Data: []byte("worker\n")},
	"app.webmanifest":   {Data: []byte("{}\n")},
	"crd-lab.js":        {Data: []byte("element\n")},
}

func TestPageShowsTheDefaultExample(t *testing.T) {
	server, _ := serve(t, Config{Assets: builtPage})
	response, body := fetch(t, http.MethodGet, server.URL+"/", nil, "")
	if response.StatusCode != http.StatusOK || response.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("status %d, content type %q", response.StatusCode, response.Header.Get("Content-Type"))
	}
	report, err := echo(t.Context(), examples.Default().Scenario)
	if err != nil {
		t.Fatal(err)
	}
	panels, err := ui.Panels(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"/assets/main-1.js", "/assets/started-1.js", "/assets/main-1.css", "/assets/theme-1.js", "/assets/icon-1.svg",
		"/assets/engine-1.wasm", "/assets/wasm_exec-1.js", panelsPath, examplesPath, noticesPath, `href="/api"`,
		examples.Default().Title, panels[ui.PanelOutcome],
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestPagePolicyForbidsInlineScripts(t *testing.T) {
	server, _ := serve(t, Config{Assets: builtPage})
	response, _ := fetch(t, http.MethodGet, server.URL+"/", nil, "")
	policy := response.Header.Values("Content-Security-Policy")
	if len(policy) != 1 || policy[0] != pagePolicy || strings.Contains(policy[0], "unsafe-inline") {
		t.Errorf("policy %q", policy)
	}
}

func TestPageWithoutResult(t *testing.T) {
	failing := true
	server, _ := serve(t, Config{Assets: builtPage, Engine: local(func(ctx context.Context, s playground.Scenario) (playground.Report, error) {
		if failing {
			return playground.Report{}, errors.New("out of order")
		}
		return playground.Report{CRD: playground.CRD{Name: "recovered.example.com"}}, nil
	})})
	response, body := fetch(t, http.MethodGet, server.URL+"/", nil, "")
	if response.StatusCode != http.StatusOK || !strings.Contains(body, "/assets/main-1.js") {
		t.Errorf("status %d: %.200s", response.StatusCode, body)
	}
	failing = false
	if _, body = fetch(t, http.MethodGet, server.URL+"/", nil, ""); !strings.Contains(body, "recovered.example.com") {
		t.Error("the page has no result after the engine recovered")
	}
}

func TestPageNotBuilt(t *testing.T) {
	server, _ := serve(t, Config{})
	response, body := fetch(t, http.MethodGet, server.URL+"/", nil, "")
	if response.StatusCode != http.StatusServiceUnavailable || !strings.HasPrefix(body, "The page has not been built into this server: run make build.") {
		t.Errorf("status %d: %s", response.StatusCode, body)
	}
	if response, body := post(t, server.URL+"/api/v1/evaluate", "{}"); response.StatusCode != http.StatusOK {
		t.Errorf("without a page, the API has status %d: %s", response.StatusCode, body)
	}
}

func TestPanels(t *testing.T) {
	server, _ := serve(t, Config{})
	report, _ := echo(t.Context(), playground.Scenario{CRD: "<i>a</i>"})
	all, err := ui.Panels(report)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		panels string
		want   map[string]string
	}{
		{`[]`, all},
		{`["versions", "brief"]`, map[string]string{"versions": all["versions"], "brief": all["brief"]}},
	}
	for _, test := range tests {
		_, body := post(t, server.URL+"/panels", `{"scenario": {"crd": "<i>a</i>"}, "panels": `+test.panels+`}`)
		var got playground.Answer
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		want := playground.Answer{Findings: []playground.Finding{}, Outputs: []string{report.CRD.Output}, Panels: test.want}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("for the panels %s: %+v, want %+v", test.panels, got, want)
		}
	}
	response, body := post(t, server.URL+"/panels", `{"scenario": {"crd": ""}, "panels": ["all"]}`)
	if response.StatusCode != http.StatusBadRequest || !strings.Contains(body, `there is no panel \"all\"`) {
		t.Errorf("for an unknown panel: status %d: %s", response.StatusCode, body)
	}
}

func TestExamples(t *testing.T) {
	server, _ := serve(t, Config{Assets: builtPage})
	var got []examples.Example
	response, body := fetch(t, http.MethodGet, server.URL+examplesPath, nil, "")
	if err := json.Unmarshal([]byte(body), &got); err != nil || !reflect.DeepEqual(got, examples.All()) {
		t.Errorf("status %d, %v: %d examples", response.StatusCode, err, len(got))
	}
}

func TestNotices(t *testing.T) {
	server, _ := serve(t, Config{Assets: builtPage})
	if response, body := fetch(t, http.MethodGet, server.URL+noticesPath, nil, ""); body != "licences\n" {
		t.Errorf("status %d: %s", response.StatusCode, body)
	}
}
