package httpapi

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// FuzzShare shares arbitrary bodies. Accepted scenarios must be returned unchanged
// in every representation, and user input must not become markup in the pages.
func FuzzShare(f *testing.F) {
	for _, body := range []string{
		sharedScenario, `{}`, `{"crd":""}`, `[]`, `{"crd":"\n\n<script>"}`, `{"crd":"</textarea><script>1</script>"}`,
		`{"crd":"a","crd":"b","CRD":"c"}`, `{"crd":"\ud800\u0000\r\n"}`, `{"crd":"a"} {}`, "{\"crd\":\"\xff\"}", `{"object":"--- %"}`,
	} {
		f.Add([]byte(body))
	}
	server, err := New(Config{
		Engine: local(echo), Assets: builtPage, Log: slog.New(slog.DiscardHandler), Sharing: Sharing{Store: share.NewMemory()},
	})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		response := request(server, http.MethodPost, sharePath, string(body))
		if response.Code != http.StatusCreated {
			if response.Code != http.StatusBadRequest || response.Header().Get("Content-Type") != problemType {
				t.Fatalf("status %d: %s", response.Code, response.Body)
			}
			return
		}
		var answer linkResponse
		if err := json.Unmarshal(response.Body.Bytes(), &answer); err != nil || !share.IsID(answer.ID) {
			t.Fatalf("%s: %v", response.Body, err)
		}
		// The store in memory is bounded.
		defer func() { _ = server.sharing.Store.Delete(t.Context(), answer.ID) }()
		checkShared(t, server, answer.ID, body)
	})
}

func checkShared(t *testing.T, server *Server, id string, body []byte) {
	t.Helper()
	var sent, got playground.Scenario
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	if sent.FieldValidation == playground.FieldValidationStrict {
		sent.FieldValidation = ""
	}
	text := request(server, http.MethodGet, sharePath+"/"+id, "").Body.String()
	if err := json.Unmarshal([]byte(text), &got); err != nil || !reflect.DeepEqual(got, sent) {
		t.Fatalf("sent %+v, got %+v, %v", sent, got, err)
	}
	if again := request(server, http.MethodPost, sharePath, text).Body.String(); !strings.Contains(again, id) {
		t.Fatalf("shared again as %s, before as %s", again, id)
	}
	if yaml := request(server, http.MethodGet, sharedPath+id+".yaml", ""); yaml.Code != http.StatusOK || yaml.Body.String() != share.YAML(sent) {
		t.Fatalf("status %d, %q", yaml.Code, yaml.Body)
	}
	for _, path := range []string{sharedPath + id, embedPath + id} {
		checkPage(t, request(server, http.MethodGet, path, ""))
	}
}

// checkPage fails the test if user input became an element or an attribute of the page.
func checkPage(t *testing.T, response *httptest.ResponseRecorder) {
	t.Helper()
	document, err := html.Parse(response.Body)
	if err != nil || response.Code != http.StatusOK {
		t.Fatalf("status %d, %v", response.Code, err)
	}
	for node := range document.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		script := node.Data == "script" && !isOwnScript(node)
		if script || node.Data == "img" || node.Data == "iframe" || node.Data == "object" {
			t.Errorf("the page has the element %s %v", node.Data, node.Attr)
		}
		for _, attribute := range node.Attr {
			if strings.HasPrefix(attribute.Key, "on") {
				t.Errorf("%s has the attribute %s", node.Data, attribute.Key)
			}
		}
	}
}

// isOwnScript reports whether a script belongs to the page.
func isOwnScript(script *html.Node) bool {
	for _, attribute := range script.Attr {
		if attribute.Key == "src" && strings.HasPrefix(attribute.Val, "/assets/") || attribute.Key == "type" && attribute.Val == "application/json" {
			return true
		}
	}
	return false
}

func request(server http.Handler, method, path, body string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	server.ServeHTTP(recorder, req)
	return recorder
}
