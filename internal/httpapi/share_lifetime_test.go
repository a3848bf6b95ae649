package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crdlab/crdlab/internal/share"
)

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

// extensions counts the extensions of a store.
type extensions struct {
	share.Store
	count int
}

func (e *extensions) Extend(ctx context.Context, id string, expires time.Time) error {
	e.count++
	return e.Store.Extend(ctx, id, expires)
}

// TestOpenedLinksAreRenewed opens a link on several days. Each day has one write, and the
// link works for its lifetime after it was last opened.
func TestOpenedLinksAreRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const lifetime, day = 10 * 24 * time.Hour, 24 * time.Hour
		store := &extensions{Store: share.NewMemory()}
		server, err := New(Config{Assets: builtPage, Log: slog.New(slog.DiscardHandler), Sharing: Sharing{Store: store, Lifetime: lifetime}})
		if err != nil {
			t.Fatal(err)
		}
		request := httptest.NewRequest(http.MethodPost, sharePath, strings.NewReader(sharedScenario))
		request.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		server.ServeHTTP(recorder, request)
		var link linkResponse
		if err := json.Unmarshal(recorder.Body.Bytes(), &link); err != nil {
			t.Fatal(err)
		}
		opens := func() int {
			recorder := httptest.NewRecorder()
			server.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/s/"+link.ID, nil))
			return recorder.Code
		}
		for today := range 30 {
			before := store.count
			for range 5 {
				if status := opens(); status != http.StatusOK {
					t.Fatalf("day %d: status %d", today, status)
				}
				_, expires, err := store.Get(t.Context(), link.ID)
				if left := time.Until(expires); err != nil || left < lifetime || left > lifetime+day {
					t.Fatalf("day %d: the link expires in %v, %v", today, left, err)
				}
			}
			if writes := store.count - before; writes != 1 {
				t.Errorf("day %d: %d writes, want 1", today, writes)
			}
			time.Sleep(day)
		}
		time.Sleep(lifetime)
		if status := opens(); status != http.StatusNotFound {
			t.Errorf("after its lifetime, the link has status %d", status)
		}
	})
}

func TestPageStatesLifetime(t *testing.T) {
	for lifetime, want := range map[time.Duration]string{
		ShareLifetime:  "A short link works for 90 days after it was last opened.",
		time.Hour:      "A short link works for 1 hour after it was last opened.",
		36 * time.Hour: "A short link works for 36 hours after it was last opened.",
		0:              "Short links work until the operator of this server deletes them.",
	} {
		server, _ := serve(t, Config{Assets: builtPage, Sharing: Sharing{Store: share.NewMemory(), Lifetime: lifetime}})
		if _, body := fetch(t, http.MethodGet, server.URL+"/", nil, ""); !strings.Contains(body, want) {
			t.Errorf("%v: the page lacks %q", lifetime, want)
		}
	}
}
