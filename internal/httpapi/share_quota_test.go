package httpapi

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crdlab/crdlab/internal/share"
)

func TestShareQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, err := New(Config{Assets: builtPage, Log: slog.New(slog.DiscardHandler), Sharing: Sharing{Store: share.NewMemory(), ClientQuota: 1 << 20}})
		if err != nil {
			t.Fatal(err)
		}
		shared := 0
		send := func(client string) (*http.Response, string) {
			shared++
			scenario := fmt.Sprintf(`{"crd":"%d %s"}`, shared, strings.Repeat("a", 400_000))
			request := httptest.NewRequest(http.MethodPost, sharePath, strings.NewReader(scenario))
			request.Header.Set("Content-Type", "application/json")
			request.RemoteAddr = client
			recorder := httptest.NewRecorder()
			server.ServeHTTP(recorder, request)
			return recorder.Result(), recorder.Body.String()
		}
		const one, other = "192.0.2.1:1", "192.0.2.2:1"
		for _, client := range []string{one, one, other, other} {
			if response, body := send(client); response.StatusCode != http.StatusCreated {
				t.Errorf("%s: status %d: %s", client, response.StatusCode, body)
			}
		}
		response, body := send(one)
		wantProblem(t, response, body, kindStoreFull, "You have reached the daily limit of 1 MiB for short links. Existing short links and long links still work.")
		time.Sleep(24 * time.Hour)
		if response, body := send(one); response.StatusCode != http.StatusCreated {
			t.Errorf("on the next day: status %d: %s", response.StatusCode, body)
		}
	})
}

// TestFailedSharesDoNotCount checks that only stored scenarios count for the quota.
func TestFailedSharesDoNotCount(t *testing.T) {
	server, _ := serve(t, Config{Sharing: Sharing{Store: broken{}, ClientQuota: 2 * int64(len(sharedScenario))}})
	for range 4 {
		response, body := post(t, server.URL+sharePath, sharedScenario)
		wantProblem(t, response, body, kindStoreFull, "This server has no space for more short links. Existing short links and long links still work.")
	}
}

// TestQuotaOfEarlierDay returns bytes that a client occupied before midnight.
func TestQuotaOfEarlierDay(t *testing.T) {
	quota := shareQuota{limit: 10}
	client := netip.MustParsePrefix("192.0.2.1/32")
	today := time.Date(2026, 1, 1, 23, 59, 59, 0, time.UTC)
	tomorrow := today.Add(2 * time.Second)
	for i, c := range []struct {
		size int64
		now  time.Time
		want bool
	}{
		{8, today, true},
		{8, tomorrow, true},
		{-8, today, true},
		{8, tomorrow, false},
		{-8, tomorrow, true},
		{8, tomorrow, true},
	} {
		if got := quota.take(client, c.size, c.now); got != c.want {
			t.Errorf("step %d: %v, want %v", i, got, c.want)
		}
	}
}
