package httpapi

import (
	"net/http"
	"strings"
	"testing"
)

func TestServiceWorkerAndManifest(t *testing.T) {
	server, _ := serve(t, Config{Assets: builtPage})
	for _, c := range []struct{ path, media, body string }{
		{"/service-worker.js", "text/javascript; charset=utf-8", "worker\n"},
		{"/app.webmanifest", "application/manifest+json", "{}\n"},
	} {
		response, body := fetch(t, http.MethodGet, server.URL+c.path, nil, "")
		header := response.Header
		if response.StatusCode != http.StatusOK || body != c.body || header.Get("Content-Type") != c.media {
			t.Errorf("%s: status %d, %q: %s", c.path, response.StatusCode, header.Get("Content-Type"), body)
		}
		if header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: Cache-Control is %q", c.path, header.Get("Cache-Control"))
		}
		if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "connect-src 'self'") {
			t.Errorf("%s: the policy forbids loading the page's files: %q", c.path, policy)
		}
	}
	if _, page := fetch(t, http.MethodGet, server.URL+"/", nil, ""); !strings.Contains(page, `"offline":"/service-worker.js"`) ||
		!strings.Contains(page, `rel="manifest" href="/app.webmanifest"`) {
		t.Error("the page refers to neither or only one of them")
	}
}

func TestServiceWorkerRequiresBuiltPage(t *testing.T) {
	server, _ := serve(t, Config{})
	for _, path := range []string{"/service-worker.js", "/app.webmanifest"} {
		if response, _ := fetch(t, http.MethodGet, server.URL+path, nil, ""); response.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", path, response.StatusCode)
		}
	}
}
