package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
	"github.com/crdlab/crdlab/internal/ui"
)

const (
	sharedScenario = `{"crd":"a: <1>\n","object":"b: 2\n","fieldValidation":"Warn"}`
	operatorToken  = "a token"
)

// shareOn shares a scenario and returns its id.
func shareOn(t *testing.T, url, scenario string) string {
	t.Helper()
	response, body := post(t, url+sharePath, scenario)
	var answer linkResponse
	if err := json.Unmarshal([]byte(body), &answer); err != nil || response.StatusCode != http.StatusCreated {
		t.Fatalf("status %d: %s", response.StatusCode, body)
	}
	return answer.ID
}

func TestShareIsIdempotent(t *testing.T) {
	server, _ := serve(t, Config{Sharing: Sharing{Store: share.NewMemory()}})
	id, _, err := share.Encode(playground.Scenario{CRD: "a: <1>\n", Object: "b: 2\n", FieldValidation: "Warn"})
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`{"id":%q,"url":%q}`+"\n", id, server.URL+"/s/"+id)
	for range 2 {
		response, body := post(t, server.URL+sharePath, sharedScenario)
		if body != want || response.Header.Get("Location") != sharePath+"/"+id || response.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("got %s with %v, want %s", body, response.Header, want)
		}
	}
}

func TestShareLifetime(t *testing.T) {
	store := share.NewMemory()
	server, _ := serve(t, Config{Sharing: Sharing{Store: store, Lifetime: time.Hour, PublicURL: "https://crdlab.example.com"}})
	_, body := post(t, server.URL+sharePath, sharedScenario)
	var answer linkResponse
	if err := json.Unmarshal([]byte(body), &answer); err != nil || answer.Expires == nil {
		t.Fatalf("%s: %v", body, err)
	}
	if left := time.Until(*answer.Expires); left < 59*time.Minute || left > time.Hour {
		t.Errorf("the link expires in %v", left)
	}
	if answer.URL != "https://crdlab.example.com/s/"+answer.ID {
		t.Errorf("URL %s", answer.URL)
	}
	_, expires, err := store.Get(t.Context(), answer.ID)
	if err != nil || !expires.Equal(*answer.Expires) {
		t.Errorf("stored until %v, %v", expires, err)
	}
	response, _ := fetch(t, http.MethodGet, server.URL+"/s/"+answer.ID+".json", nil, "")
	var age int
	if _, err := fmt.Sscanf(response.Header.Get("Cache-Control"), "public, max-age=%d, immutable", &age); err != nil || age < 3500 || age > 3600 {
		t.Errorf("cache control %q", response.Header.Get("Cache-Control"))
	}
}

func TestSharedScenario(t *testing.T) {
	server, _ := serve(t, Config{Sharing: Sharing{Store: share.NewMemory()}})
	id := shareOn(t, server.URL, sharedScenario)
	for path, want := range map[string][2]string{
		"/api/v1/share/" + id: {"application/json", sharedScenario + "\n"},
		"/s/" + id + ".json":  {"application/json", sharedScenario + "\n"},
		"/s/" + id + ".yaml":  {"application/yaml", "a: <1>\n---\nb: 2\n"},
	} {
		response, body := fetch(t, http.MethodGet, server.URL+path, nil, "")
		if response.Header.Get("Content-Type") != want[0] || body != want[1] {
			t.Errorf("%s: %s %q, want %q", path, response.Header.Get("Content-Type"), body, want)
		}
		for name, want := range map[string]string{
			"ETag":                         `W/"` + id + `"`,
			"Cache-Control":                "public, max-age=86400, immutable",
			"Access-Control-Allow-Origin":  "*",
			"Cross-Origin-Resource-Policy": "cross-origin",
		} {
			if got := response.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		for known, want := range map[string]int{
			`W/"` + id + `"`:           http.StatusNotModified,
			`"x", "` + id + `"`:        http.StatusNotModified,
			`*`:                        http.StatusNotModified,
			`"` + strings.ToUpper(id):  http.StatusOK,
			`W/"` + id + `-version-1"`: http.StatusOK,
		} {
			response, body := fetch(t, http.MethodGet, server.URL+path, map[string]string{"If-None-Match": known}, "")
			if response.StatusCode != want || (want == http.StatusNotModified && body != "") {
				t.Errorf("%s with %s: status %d, body %q", path, known, response.StatusCode, body)
			}
		}
	}
}

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
		full, _ := fetch(t, http.MethodGet, server.URL+path, nil, "")
		again, _ := fetch(t, http.MethodGet, server.URL+path, map[string]string{"If-None-Match": full.Header.Get("ETag")}, "")
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
		"/embed/" + id: true,
	} {
		response, body := fetch(t, http.MethodGet, server.URL+path, nil, "")
		policy := response.Header.Get("Content-Security-Policy")
		if strings.Contains(policy, "frame-ancestors *") != framed || strings.Contains(policy, "frame-ancestors 'none'") == framed {
			t.Errorf("%s: policy %q", path, policy)
		}
		if framed && (strings.Contains(policy, "script-src") || strings.Contains(body, "<script") || !strings.Contains(body, "a: &lt;1&gt;")) {
			t.Errorf("%s: policy %q, body %s", path, policy, body)
		}
	}
}

func TestOnlyPagesConnectToOtherHosts(t *testing.T) {
	assets := maps.Clone(builtPage)
	assets["assets/main-1.js"] = &fstest.MapFile{Data: []byte("1")}
	server, _ := serve(t, Config{Assets: assets, Sharing: Sharing{Store: share.NewMemory()}})
	id := shareOn(t, server.URL, sharedScenario)
	for path, want := range map[string]string{
		"/": "'self' https:", "/s/" + id: "'self' https:",
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
		failing, _ := serve(t, Config{Assets: builtPage, Sharing: Sharing{Store: share.NewMemory()}, Evaluate: func(context.Context, playground.Scenario) (playground.Report, error) {
			return playground.Report{}, err
		}})
		id := shareOn(t, failing.URL, sharedScenario)
		for _, path := range []string{"/s/", "/embed/"} {
			response, body := fetch(t, http.MethodGet, failing.URL+path+id, nil, "")
			if response.StatusCode != http.StatusOK || response.Header.Get("ETag") != "" || !strings.Contains(body, "a: &lt;1&gt;") || strings.Contains(body, reason) != says {
				t.Errorf("%v, %s: status %d, tag %s: %.300s", err, path, response.StatusCode, response.Header.Get("ETag"), body)
			}
		}
	}
}

func TestUnknownLinks(t *testing.T) {
	store := share.NewMemory()
	server, _ := serve(t, Config{Assets: builtPage, Sharing: Sharing{Store: store}})
	id := shareOn(t, server.URL, sharedScenario)
	if err := store.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{id, "1", "%2e%2e%2fmanifest", strings.Repeat("0", 19), strings.Repeat("z", 4000), "%00"} {
		for _, path := range []string{"/s/" + id, "/embed/" + id} {
			response, body := fetch(t, http.MethodGet, server.URL+path, nil, "")
			if response.StatusCode != http.StatusNotFound || !strings.Contains(body, "No such link") || response.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%.40s: status %d: %.100s", path, response.StatusCode, body)
			}
		}
		for _, path := range []string{"/s/" + id + ".json", "/s/" + id + ".yaml", sharePath + "/" + id} {
			response, body := fetch(t, http.MethodGet, server.URL+path, nil, "")
			wantProblem(t, response, body, kindNotFound, "There is no such link: it never existed, has expired, or was deleted.")
		}
	}
}

func TestShareProblems(t *testing.T) {
	server, _ := serve(t, Config{Sharing: Sharing{Store: share.NewMemory(), Limit: 1 << 20}})
	large := `{"crd": "` + strings.Repeat("a", 1<<20-11) + `"}`
	if response, body := post(t, server.URL+sharePath, large); response.StatusCode != http.StatusCreated {
		t.Errorf("a mebibyte: status %d: %s", response.StatusCode, body)
	}
	response, body := post(t, server.URL+sharePath, large+" ")
	wantProblem(t, response, body, kindTooLarge, "The request body exceeds the limit of 1 MiB.")
	response, body = post(t, server.URL+sharePath, `{"crd": ""}`)
	wantProblem(t, response, body, kindMalformed, "The scenario is empty.")
	response, body = post(t, server.URL+sharePath, `{"crd": "a", "report": {}}`)
	wantProblem(t, response, body, kindMalformed, `The scenario has an unknown field "report".`)
	response, body = fetch(t, http.MethodPost, server.URL+sharePath, map[string]string{"Content-Type": "text/plain"}, large)
	wantProblem(t, response, body, kindMediaType, "Send the scenario as JSON, with the header Content-Type: application/json.")
}

func TestUnshareRequiresOperator(t *testing.T) {
	store := share.NewMemory()
	server, _ := serve(t, Config{Assets: builtPage, Sharing: Sharing{Store: store, OperatorToken: operatorToken}})
	ownerless, _ := serve(t, Config{Assets: builtPage, Sharing: Sharing{Store: store}})
	id := shareOn(t, server.URL, sharedScenario)
	remove := func(url, authorization string) (*http.Response, string) {
		return fetch(t, http.MethodDelete, url+sharePath+"/"+id, map[string]string{"Authorization": authorization}, "")
	}
	for _, authorization := range []string{"", "Bearer", "Bearer ", "Bearer wrong", "Basic " + operatorToken, operatorToken} {
		response, body := remove(server.URL, authorization)
		wantProblem(t, response, body, kindUnauthorized, "Send the operator token in the header Authorization: Bearer …")
	}
	response, body := remove(ownerless.URL, "Bearer ")
	wantProblem(t, response, body, kindForbidden, "This server has no operator token, so links cannot be deleted.")
	if response, body := remove(server.URL, "Bearer "+operatorToken); response.StatusCode != http.StatusNoContent || body != "" {
		t.Errorf("status %d: %s", response.StatusCode, body)
	}
	if _, _, err := store.Get(t.Context(), id); !errors.Is(err, share.ErrNotFound) {
		t.Errorf("after the deletion: %v", err)
	}
	response, body = remove(server.URL, "Bearer "+operatorToken)
	wantProblem(t, response, body, kindNotFound, "There is no such link: it never existed, has expired, or was deleted.")
}

// broken is a store whose operations fail.
type broken struct{ share.Store }

func (b broken) Put(context.Context, string, []byte, time.Time) error {
	return fmt.Errorf("store: %w: secret", share.ErrFull)
}

func (b broken) Get(context.Context, string) ([]byte, time.Time, error) {
	return nil, time.Time{}, fmt.Errorf("store: %w: secret", io.ErrUnexpectedEOF)
}

func TestBrokenStore(t *testing.T) {
	server, log := serve(t, Config{Assets: builtPage, Sharing: Sharing{Store: broken{}}})
	response, body := post(t, server.URL+sharePath, sharedScenario)
	wantProblem(t, response, body, kindStoreFull, "The short-link store is full.")
	id := strings.Repeat("0", 19)
	for _, path := range []string{"/s/" + id, "/s/" + id + ".json", "/embed/" + id} {
		response, body = fetch(t, http.MethodGet, server.URL+path, nil, "")
		wantProblem(t, response, body, kindStore, "The short-link store is unavailable. Try again later.")
	}
	server.Close()
	if strings.Count(log.String(), "secret") != 4 || strings.Contains(log.String(), id) {
		t.Errorf("the log:\n%s", log)
	}
}

func TestLinksRequireStore(t *testing.T) {
	server, _ := serve(t, Config{Assets: builtPage})
	for _, path := range []string{"/s/" + strings.Repeat("0", 19), sharePath} {
		response, body := fetch(t, http.MethodGet, server.URL+path, nil, "")
		wantProblem(t, response, body, kindNotFound, "There is nothing at this address.")
	}
	if _, body := fetch(t, http.MethodGet, server.URL+"/", nil, ""); !strings.Contains(body, `"share":""`) {
		t.Error("the page has a share address")
	}
}

func TestWithoutEngine(t *testing.T) {
	handler, err := New(Config{Assets: builtPage, Log: slog.New(slog.DiscardHandler), Sharing: Sharing{Store: share.NewMemory()}})
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(handler)
	t.Cleanup(listener.Close)
	server := listener.URL
	id := shareOn(t, server, sharedScenario)
	for path, want := range map[string]string{
		"/":            `"evaluate":""`,
		"/s/" + id:     "<title>A shared CRD · crdlab</title>",
		"/embed/" + id: "<pre>\na: &lt;1&gt;\n</pre>",
		"/readyz":      "ready\n",
	} {
		if response, body := fetch(t, http.MethodGet, server+path, nil, ""); response.StatusCode != http.StatusOK || !strings.Contains(body, want) {
			t.Errorf("%s: status %d, lacks %q: %.200s", path, response.StatusCode, want, body)
		}
	}
	response, body := post(t, server+"/api/v1/evaluate", "{}")
	wantProblem(t, response, body, kindNotFound, "There is nothing at this address.")
}
