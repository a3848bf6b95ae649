package webhook

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

func TestHandlerRespondsToReview(t *testing.T) {
	const body = `{"kind":"Review","request":{"uid":"1"}}`
	handler := Handler(func(req *http.Request, review map[string]any) (*http.Response, error) {
		again, err := io.ReadAll(req.Body)
		if err != nil || string(again) != body {
			t.Errorf("second read of the body: %q, %v", again, err)
		}
		return Respond(req, map[string]any{"kind": review["kind"], "response": map[string]any{"allowed": true}})
	})
	response, err := handler.RoundTrip(httptest.NewRequest(http.MethodPost, "https://0.webhook.invalid/", strings.NewReader(body)))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"kind":"Review","response":{"allowed":true}}`; response.StatusCode != http.StatusOK || string(data) != want {
		t.Errorf("got %d %s, want 200 %s", response.StatusCode, data, want)
	}
}

func TestHandlerReturnsErrors(t *testing.T) {
	failure := errors.New("no response")
	handler := Handler(func(*http.Request, map[string]any) (*http.Response, error) { return nil, failure })
	_, err := handler.RoundTrip(httptest.NewRequest(http.MethodPost, "https://0.webhook.invalid/", strings.NewReader("{}")))
	if !errors.Is(err, failure) {
		t.Errorf("got %v, want the handler's error", err)
	}
	if _, err = handler.RoundTrip(httptest.NewRequest(http.MethodPost, "https://0.webhook.invalid/", strings.NewReader("no JSON"))); err == nil {
		t.Error("invalid JSON reached the handler")
	}
}

func TestUIDIsReproducible(t *testing.T) {
	if got, want := UID("a", "b"), types.UID("91410e86-9161-5317-9576-be5c7660f085"); got != want {
		t.Errorf("got %s, want %s as in recorded responses", got, want)
	}
	if UID("a", "b") == UID("a", "c") {
		t.Error("different parts have the same UID")
	}
}
