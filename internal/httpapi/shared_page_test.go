package httpapi

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
	"github.com/crdlab/crdlab/internal/ui"
)

func TestSharedPage(t *testing.T) {
	server, _ := serve(t, Config{Assets: builtPage, Sharing: Sharing{Store: share.NewMemory()}})
	id := shareOn(t, server.URL, sharedScenario)
	response, body := fetch(t, http.MethodGet, server.URL+"/s/"+id, nil, "")
	report, _ := echo(t.Context(), playground.Scenario{CRD: "a: <1>\n"})
	panels, err := ui.Panels(report)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<title>a: &lt;1&gt; accepted · crdlab</title>",
		`<meta property="og:title" content="a: &lt;1&gt; accepted · crdlab">`,
		`<meta name="description" content="CRD accepted.">`,
		">\na: &lt;1&gt;\n</textarea>", ">\nb: 2\n</textarea>",
		`"shared":"` + id + `"`, `"share":"/api/v1/share"`,
		panels[ui.PanelOutcome], "noindex",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	header := response.Header
	if header.Get("Cache-Control") != "no-cache" || header.Get("Content-Security-Policy") != pagePolicy || header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("headers %v", header)
	}
	for _, path := range []string{"/s/", "/embed/"} {
		known := map[string]string{"If-None-Match": header.Get("ETag")}
		if response, body := fetch(t, http.MethodGet, server.URL+path+id, known, ""); response.StatusCode != http.StatusNotModified || body != "" {
			t.Errorf("%s: status %d for %s", path, response.StatusCode, known)
		}
	}
	for _, path := range []string{"/s/" + id, "/embed/" + id, "/s/" + id + ".json"} {
		full, _ := fetch(t, http.MethodGet, server.URL+path, map[string]string{requestIDHeader: "a"}, "")
		again, _ := fetch(t, http.MethodGet, server.URL+path, map[string]string{requestIDHeader: "a", "If-None-Match": full.Header.Get("ETag")}, "")
		for _, name := range []string{"Content-Type", "Content-Length", "Date"} {
			full.Header.Del(name)
			again.Header.Del(name)
		}
		if !reflect.DeepEqual(again.Header, full.Header) {
			t.Errorf("%s: the headers with status 304 are %v, with 200 %v", path, again.Header, full.Header)
		}
	}
}

func TestOnlyEmbedMayBeFramed(t *testing.T) {
	server, _ := serve(t, Config{Assets: builtPage, Sharing: Sharing{Store: share.NewMemory()}})
	id := shareOn(t, server.URL, sharedScenario)
	for path, framed := range map[string]bool{
		"/": false, "/s/" + id: false, "/s/" + id + ".yaml": false, "/s/" + id + ".json": false, "/api/v1/share/" + id: false, "/nothing": false,
		"/embed/" + id: true, "/embed.html": true,
	} {
		response, body := fetch(t, http.MethodGet, server.URL+path, nil, "")
		policy := response.Header.Get("Content-Security-Policy")
		if strings.Contains(policy, "frame-ancestors *") != framed || strings.Contains(policy, "frame-ancestors 'none'") == framed {
			t.Errorf("%s: policy %q", path, policy)
		}
		if strings.HasPrefix(path, "/embed/") && (strings.Contains(policy, "script-src") || strings.Contains(body, "<script") || !strings.Contains(body, "a: &lt;1&gt;")) {
			t.Errorf("%s: policy %q, body %s", path, policy, body)
		}
	}
}

func TestOnlyTheFetcherConnectsToOtherHosts(t *testing.T) {
	assets := maps.Clone(builtPage)
	assets["assets/main-1.js"] = &fstest.MapFile{Data: []byte("1")}
	assets["assets/fetcher-1.js"] = &fstest.MapFile{Data: []byte("1")}
	server, _ := serve(t, Config{Assets: assets, Sharing: Sharing{Store: share.NewMemory()}})
	id := shareOn(t, server.URL, sharedScenario)
	for path, want := range map[string]string{
		"/": "'self'", "/s/" + id: "'self'", "/assets/fetcher-1.js": "https:",
		"/assets/main-1.js": "'self'", "/service-worker.js": "'self'",
		"/embed/" + id: "", "/examples.json": "", "/api": "", "/nothing": "",
	} {
		response, _ := fetch(t, http.MethodGet, server.URL+path, nil, "")
		_, connect, _ := strings.Cut(response.Header.Get("Content-Security-Policy")+"; ", "connect-src ")
		if got, _, _ := strings.Cut(connect, ";"); got != want {
			t.Errorf("%s: connect-src is %q, want %q", path, got, want)
		}
	}
}

func TestSharedPageWithoutResult(t *testing.T) {
	const reason = "it took too much memory"
	for err, says := range map[error]bool{&playground.StoppedError{Reason: reason}: true, errors.New("a fault"): false} {
		failing, _ := serve(t, Config{Assets: builtPage, Sharing: Sharing{Store: share.NewMemory()}, Engine: local(func(context.Context, playground.Scenario) (playground.Report, error) {
			return playground.Report{}, err
		})})
		id := shareOn(t, failing.URL, sharedScenario)
		for _, path := range []string{"/s/", "/embed/"} {
			response, body := fetch(t, http.MethodGet, failing.URL+path+id, nil, "")
			if response.StatusCode != http.StatusOK || response.Header.Get("ETag") != "" || !strings.Contains(body, "a: &lt;1&gt;") || strings.Contains(body, reason) != says {
				t.Errorf("%v, %s: status %d, tag %s: %.300s", err, path, response.StatusCode, response.Header.Get("ETag"), body)
			}
		}
	}
}
