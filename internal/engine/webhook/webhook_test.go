package webhook

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHandlerRespondsToReview(t *testing.T) {
	const body = `{"kind":"Review","request":{"uid":"1"}}`
	handler := Handler(func(req *http.Request, review map[string]any) (map[string]any, error) {
		again, err := io.ReadAll(req.Body)
		if err != nil || string(again) != body {
			t.Errorf("second read of the body: %q, %v", again, err)
		}
		return map[string]any{"kind": review["kind"], "response": map[string]any{"allowed": true}}, nil
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
	handler := Handler(func(*http.Request, map[string]any) (map[string]any, error) { return nil, failure })
	_, err := handler.RoundTrip(httptest.NewRequest(http.MethodPost, "https://0.webhook.invalid/", strings.NewReader("{}")))
	if !errors.Is(err, failure) {
		t.Errorf("got %v, want the handler's error", err)
	}
	if _, err = handler.RoundTrip(httptest.NewRequest(http.MethodPost, "https://0.webhook.invalid/", strings.NewReader("no JSON"))); err == nil {
		t.Error("invalid JSON reached the handler")
	}
}

func TestUIDIsReproducible(t *testing.T) {
	if UID("a", "b") != UID("a", "b") {
		t.Error("equal parts have different UIDs")
	}
	if UID("a", "b") == UID("a", "c") {
		t.Error("different parts have the same UID")
	}
}
