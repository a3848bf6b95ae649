package httpapi

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-chi/chi/v5"

	"github.com/crdlab/crdlab/internal/httpapi/apidoc"
	"github.com/crdlab/crdlab/internal/share"
)

var (
	update   = flag.Bool("update", false, "update generated files")
	contract = flag.String("contract", "", "write the description of the page's types to this file")
)

// full returns a configuration that enables every route.
func full() Config {
	return Config{Assets: builtPage, Site: onePage, Engine: localAssist(echoAssist), Sharing: Sharing{Store: share.NewMemory(), OperatorToken: operatorToken}}
}

func TestOpenAPIIsCurrent(t *testing.T) {
	generated := encodeDocument(t, generate(t))
	if *update {
		if err := os.WriteFile("openapi.json", generated, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(generated, description) {
		t.Error("openapi.json is not current: run make generate")
	}
}

// TestContract writes the description that the page's types are generated from.
func TestContract(t *testing.T) {
	generated := encodeDocument(t, generateContract(t))
	if *contract == "" {
		t.Skip("no file is named with -contract")
	}
	if err := os.WriteFile(*contract, generated, 0o644); err != nil {
		t.Fatal(err)
	}
}

func encodeDocument(t *testing.T, document apidoc.Document) []byte {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// TestOpenAPIHasEveryRoute checks that routes and documented operations match.
func TestOpenAPIHasEveryRoute(t *testing.T) {
	var routes, described []string
	walk := func(method, pattern string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		routes = append(routes, method+" "+pattern)
		return nil
	}
	if err := chi.Walk(newServer(t, full()).routes, walk); err != nil {
		t.Fatal(err)
	}
	for _, o := range operations {
		described = append(described, o.route)
	}
	for _, route := range routes {
		if !slices.Contains(described, route) {
			t.Errorf("%s is not documented: add it to the operations in openapi_operations_test.go", route)
		}
	}
	for _, route := range described {
		if !slices.Contains(routes, route) {
			t.Errorf("%s is documented, but is not a route", route)
		}
	}
}

func TestDescription(t *testing.T) {
	server, _ := serve(t, full())
	response, body := fetch(t, http.MethodGet, server.URL+openAPIPath, nil, "")
	if body != string(description) || response.Header.Get("Content-Type") != jsonType || response.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("status %d, header %v", response.StatusCode, response.Header)
	}
	response, body = fetch(t, http.MethodGet, server.URL+apiPath, nil, "")
	if response.Header.Get("Content-Security-Policy") != descriptionPolicy || strings.Contains(body, "<script") {
		t.Errorf("policy %q", response.Header.Get("Content-Security-Policy"))
	}
	for _, o := range operations {
		method, pattern, _ := strings.Cut(o.route, " ")
		for _, want := range []string{method + " " + pathOf(pattern), o.summary} {
			if !strings.Contains(body, want) {
				t.Errorf("the page lacks %q", want)
			}
		}
	}
	for _, want := range []string{
		"CRD is the CustomResourceDefinition. It may hold several YAML documents", `<a href="#type-Finding">Finding</a>`,
		"error, warning, info", `<a href="/api/openapi.json">`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
