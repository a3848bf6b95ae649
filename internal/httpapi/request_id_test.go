package httpapi

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/playground"
)

// TestRequestID sends ids of clients, and compares the ids in the responses and in the log of
// requests that fail: each has one line about the request, and one about the failure.
func TestRequestID(t *testing.T) {
	made := regexp.MustCompile(`^[A-Z2-7]{26}$`)
	longest := strings.Repeat("a", 64)
	for _, c := range []struct {
		name, sent string
		taken      bool
	}{
		{"valid", "Ab9._-", true},
		{"longest", longest, true},
		{"too long", longest + "a", false},
		{"other characters", "a/b", false},
		{"a line", "a b=c", false},
		{"empty", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, log := serve(t, Config{Engine: func(context.Context, playground.Request) ([]byte, error) { return nil, errors.New("broken") }})
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/v1/evaluate", strings.NewReader(`{"crd": "a"}`))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set(requestIDHeader, c.sent)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			server.Close()
			id := response.Header.Get(requestIDHeader)
			if c.taken && id != c.sent || !c.taken && !made.MatchString(id) {
				t.Errorf("the response has the id %q", id)
			}
			if strings.Count(log.String(), "msg=request ") != 1 || strings.Count(log.String(), "request="+id+"\n") != 2 || strings.Count(log.String(), "\n") != 2 {
				t.Errorf("the id is %s, and the log:\n%s", id, log)
			}
		})
	}
}
