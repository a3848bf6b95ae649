package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
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
	wantProblem(t, response, body, kindForbidden, "This request requires an operator token, which this server does not have.")
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
	wantProblem(t, response, body, kindStoreFull, "This server has no space for more short links. Existing short links and long links still work.")
	id := strings.Repeat("0", 19)
	for _, path := range []string{"/s/" + id, "/s/" + id + ".json", "/embed/" + id} {
		response, body = fetch(t, http.MethodGet, server.URL+path, nil, "")
		wantProblem(t, response, body, kindStore, "Short links are temporarily unavailable on this server. Try again later. Long links and all other features still work.")
	}
	server.Close()
	if strings.Count(log.String(), "secret") != 4 || strings.Contains(log.String(), id) {
		t.Errorf("the log:\n%s", log)
	}
}

// unavailable is a store that logs its failures, as a store in the background does.
type unavailable struct{ share.Store }

func (unavailable) Put(context.Context, string, []byte, time.Time) error {
	return fmt.Errorf("%w: it failed repeatedly", share.ErrUnavailable)
}

// TestOnlyFaultsAreLogged causes problems that the operator must not see once more for
// each request: the client's own, and a fault that the store has logged.
func TestOnlyFaultsAreLogged(t *testing.T) {
	for name, sharing := range map[string]Sharing{
		"quota":       {Store: share.NewMemory(), ClientQuota: 1},
		"unavailable": {Store: unavailable{}},
	} {
		server, log := serve(t, Config{Assets: builtPage, Sharing: sharing})
		response, body := post(t, server.URL+sharePath, sharedScenario)
		if response.StatusCode < http.StatusInternalServerError {
			t.Errorf("%s: status %d: %s", name, response.StatusCode, body)
		}
		server.Close()
		if strings.Contains(log.String(), "request failed") {
			t.Errorf("%s: the log:\n%s", name, log)
		}
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
	for _, path := range []string{"evaluate", "complete"} {
		response, body := post(t, server+"/api/v1/"+path, "{}")
		wantProblem(t, response, body, kindNotFound, "There is nothing at this address.")
	}
}

// damaged is a store whose values have changed.
type damaged struct{ share.Store }

func (damaged) Get(context.Context, string) ([]byte, time.Time, error) {
	return []byte(`{"crd":"another"}`), time.Time{}, nil
}

func TestDamagedScenario(t *testing.T) {
	server, _ := serve(t, Config{Assets: builtPage, Sharing: Sharing{Store: damaged{}}})
	response, body := fetch(t, http.MethodGet, server.URL+"/s/"+strings.Repeat("0", 19)+".json", nil, "")
	wantProblem(t, response, body, kindStore, "The scenario of this short link is damaged.")
}
