package httpapi

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/crdlab/crdlab/internal/share"
)

// noPages renders no pages beside the playground.
func noPages(SiteSettings) (map[string][]byte, error) { return nil, nil }

// onePage renders a page with its settings.
func onePage(settings SiteSettings) (map[string][]byte, error) {
	return map[string][]byte{
		"errors/a/index.html": []byte(settings.Assets.SiteScript + " " + settings.URL),
		"errors/index.html":   []byte("errors"), "docs/a/index.html": []byte("document"),
		"learn/index.html": []byte("examples"), "learn/a/index.html": []byte("example"), "schema/index.html": []byte(settings.Engine.Module),
		"docs/index.html": []byte("documents"), "docs/search.json": []byte("[]"), "errors/messages.json": []byte("{}"), "sitemap.xml": []byte("<urlset/>"),
	}, nil
}

func TestServerHasSite(t *testing.T) {
	server, _ := serve(t, Config{Assets: builtPage, Site: onePage, Sharing: Sharing{PublicURL: "https://crdlab.example.com"}})
	for _, request := range []struct {
		path        string
		status      int
		contentType string
		body        string
	}{
		{"/errors/a/", http.StatusOK, "text/html; charset=utf-8", "assets/site-1.js https://crdlab.example.com"},
		{"/errors/b/", http.StatusNotFound, problemType, ""},
		{"/errors/a/index.html", http.StatusNotFound, problemType, ""},
		{"/docs/", http.StatusOK, "text/html; charset=utf-8", "documents"},
		{"/learn/", http.StatusOK, "text/html; charset=utf-8", "examples"},
		{"/schema/", http.StatusOK, "text/html; charset=utf-8", "assets/engine-1.wasm"},
		{"/docs/search.json", http.StatusOK, "application/json", "[]"},
		{"/errors/messages.json", http.StatusOK, "application/json", "{}"},
		{"/docs/other.json", http.StatusNotFound, problemType, ""},
		{"/sitemap.xml", http.StatusOK, "application/xml", "<urlset/>"},
	} {
		response, body := fetch(t, http.MethodGet, server.URL+request.path, nil, "")
		if response.StatusCode != request.status || response.Header.Get("Content-Type") != request.contentType || request.body != "" && body != request.body {
			t.Errorf("%s: status %d, %s, %s", request.path, response.StatusCode, response.Header.Get("Content-Type"), body)
		}
		if policy := response.Header.Get(policyHeader); strings.HasPrefix(request.contentType, "text/html") && policy != map[bool]string{false: sitePolicy, true: pagePolicy}[request.path == schemaPath] {
			t.Errorf("%s: policy %s", request.path, policy)
		}
	}
}

// TestAddressesLeadToFolders requests addresses without the slash at the end, and the links of a
// shared scenario's page.
func TestAddressesLeadToFolders(t *testing.T) {
	server, _ := serve(t, Config{Assets: builtPage, Site: onePage, Sharing: Sharing{Store: share.NewMemory()}})
	for path, want := range map[string]string{
		"/docs": "/docs/", "/docs/a": "/docs/a/", "/errors": "/errors/", "/errors/a": "/errors/a/", "/learn": "/learn/", "/learn/a": "/learn/a/", "/schema": "/schema/", "/s/schema/": "/schema/",
		"/s/errors/a/": "/errors/a/", "/s/docs/": "/docs/", "/errors/b": "", "/docs/b": "", "/docs/a/b": "",
	} {
		response, _ := fetch(t, http.MethodGet, server.URL+path, nil, "")
		status := http.StatusPermanentRedirect
		if want == "" {
			status = http.StatusNotFound
		}
		if got := response.Header.Get("Location"); response.StatusCode != status || got != want {
			t.Errorf("%s: status %d, location %s", path, response.StatusCode, got)
		}
	}
}

func TestStaticSiteHasPages(t *testing.T) {
	built := maps.Clone(builtPage)
	built["assets/main-1.js"] = &fstest.MapFile{Data: []byte("script")}
	directory := t.TempDir()
	if err := WriteStatic(t.Context(), built, local(echo), onePage, directory, "https://crdlab.example.com"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(directory, "errors", "a", "index.html"))
	if want := "assets/site-1.js https://crdlab.example.com"; err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}
