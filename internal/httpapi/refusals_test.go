package httpapi

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestRefusalsAreDelayed refuses requests of a client until the refusals are delayed.
// Those of another client are not.
func TestRefusalsAreDelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, Config{Clients: Clients{Evaluations: 1}, Engine: local(echo)})
		refuse := func(client string) time.Duration {
			t.Helper()
			start := time.Now()
			if response := evaluateFrom(server, client, "{}"); response.Code != http.StatusTooManyRequests {
				t.Fatalf("status %d", response.Code)
			}
			return time.Since(start)
		}
		evaluateFrom(server, "192.0.2.1:1", "{}")
		for i := range promptRefusals {
			if took := refuse("192.0.2.1:1"); took > 0 {
				t.Fatalf("refusal %d takes %v", i, took)
			}
		}
		if took := refuse("192.0.2.1:1"); took < refusalDelay || took >= 2*refusalDelay {
			t.Errorf("a further refusal takes %v", took)
		}
		evaluateFrom(server, "192.0.2.2:1", "{}")
		if took := refuse("192.0.2.2:1"); took > 0 {
			t.Errorf("the refusal of another client takes %v", took)
		}
	})
}
