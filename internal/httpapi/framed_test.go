package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/share"
)

func TestFramedPageHasNoFunctionsOfTheServer(t *testing.T) {
	server, _ := serve(t, Config{Assets: builtPage, Engine: local(echo), Releases: []string{"1.31"}, Sharing: Sharing{Store: share.NewMemory()}})
	_, page := fetch(t, http.MethodGet, server.URL+"/", nil, "")
	response, framed := fetch(t, http.MethodGet, server.URL+"/embed.html", nil, "")
	for _, setting := range []string{`"evaluate":""`, `"assist":""`, `"share":""`, `"offline":""`} {
		if strings.Contains(page, setting) || !strings.Contains(framed, setting) {
			t.Errorf("only the page for frames should have %s", setting)
		}
	}
	if got := response.Header.Get("Cross-Origin-Resource-Policy"); got != "cross-origin" {
		t.Errorf("Cross-Origin-Resource-Policy is %q", got)
	}
}

func TestElementIsForAllSites(t *testing.T) {
	server, _ := serve(t, Config{Assets: builtPage})
	response, body := fetch(t, http.MethodGet, server.URL+"/crd-lab.js", nil, "")
	header := response.Header
	if body != "element\n" || header.Get("Access-Control-Allow-Origin") != "*" || header.Get("Content-Type") != "text/javascript; charset=utf-8" || header.Get("Cache-Control") != "no-cache" {
		t.Errorf("status %d, %v: %s", response.StatusCode, header, body)
	}
}

func TestFramedPageRequiresBuiltPage(t *testing.T) {
	server, _ := serve(t, Config{})
	if response, body := fetch(t, http.MethodGet, server.URL+"/embed.html", nil, ""); response.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "has not been built") {
		t.Errorf("status %d: %s", response.StatusCode, body)
	}
}
