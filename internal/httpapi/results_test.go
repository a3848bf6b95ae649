package httpapi

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// countingServer returns a server that counts its evaluations, and the id of a link.
// Each evaluation lasts for the given time.
func countingServer(t *testing.T, took time.Duration, failure error) (server *Server, evaluations *atomic.Int64, id string) {
	t.Helper()
	evaluations = &atomic.Int64{}
	server = newServer(t, Config{Assets: builtPage, Evaluations: 2, Clients: Clients{Evaluations: 600}, Sharing: Sharing{Store: share.NewMemory()}, Engine: local(func(ctx context.Context, scenario playground.Scenario) (playground.Report, error) {
		evaluations.Add(1)
		time.Sleep(took)
		if failure != nil {
			return playground.Report{}, failure
		}
		return echo(ctx, scenario)
	})})
	id, value, err := share.Encode(playground.Scenario{CRD: "a"})
	if err == nil {
		err = server.sharing.Store.Put(t.Context(), id, value, time.Time{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return server, evaluations, id
}

func getFrom(server http.Handler, address, path string) *httptest.ResponseRecorder {
	return requestFrom(server, address, http.MethodGet, path, "")
}

// TestLinksAreEvaluatedOnce opens a link from 50 addresses, concurrently and later.
func TestLinksAreEvaluatedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, evaluations, id := countingServer(t, 5*time.Second, nil)
		visit := func() {
			var visits sync.WaitGroup
			for i := range 50 {
				visits.Go(func() {
					response := getFrom(server, fmt.Sprintf("192.0.2.%d:1", i), embedPath+id)
					if response.Code != http.StatusOK || !strings.Contains(response.Body.String(), "a accepted") {
						t.Errorf("status %d: %.200s", response.Code, response.Body)
					}
				})
			}
			visits.Wait()
		}
		start := time.Now()
		visit()
		visit()
		if took := time.Since(start); evaluations.Load() != 1 || took != 5*time.Second {
			t.Errorf("%d evaluations in %v", evaluations.Load(), took)
		}
		getFrom(server, "192.0.2.1:1", sharedPath+id)
		if evaluations.Load() != 2 {
			t.Errorf("%d evaluations with the other page", evaluations.Load())
		}
	})
}

// TestEndedLinksAreKept opens a link whose evaluation exceeds its limits.
func TestEndedLinksAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, evaluations, id := countingServer(t, 0, &playground.StoppedError{Reason: "it took too much"})
		for _, c := range []struct {
			after time.Duration
			want  int64
		}{{0, 1}, {0, 1}, {stoppedLifetime - time.Second, 1}, {2 * time.Second, 2}, {0, 2}} {
			time.Sleep(c.after)
			response := getFrom(server, "192.0.2.1:1", embedPath+id)
			if response.Code != http.StatusOK || !strings.Contains(response.Body.String(), "it took too much") || response.Header().Get("ETag") != "" {
				t.Errorf("status %d, tag %q: %.200s", response.Code, response.Header().Get("ETag"), response.Body)
			}
			if got := evaluations.Load(); got != c.want {
				t.Errorf("%d evaluations, want %d", got, c.want)
			}
		}
	})
}

// TestLinkDoesNotWaitForAnotherClient opens a link from an address whose requests wait,
// and then from another address.
func TestLinkDoesNotWaitForAnotherClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, evaluations, id := countingServer(t, 8*time.Second, nil)
		var hostile sync.WaitGroup
		hostile.Go(func() { evaluateFrom(server, "192.0.2.1:1", `{"crd":"b"}`) })
		synctest.Wait()
		hostile.Go(func() { getFrom(server, "192.0.2.1:1", embedPath+id) })
		synctest.Wait()
		start := time.Now()
		response := getFrom(server, "192.0.2.2:1", embedPath+id)
		if took := time.Since(start); took != 8*time.Second || !strings.Contains(response.Body.String(), "a accepted") {
			t.Errorf("the page took %v: %.200s", took, response.Body)
		}
		hostile.Wait()
		if evaluations.Load() != 2 {
			t.Errorf("%d evaluations", evaluations.Load())
		}
	})
}

// TestEvaluationOfLinkSurvivesItsClient ends the request that began the evaluation.
func TestEvaluationOfLinkSurvivesItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, evaluations, id := countingServer(t, 5*time.Second, nil)
		ctx, leave := context.WithCancel(t.Context())
		first := httptest.NewRequest(http.MethodGet, embedPath+id, nil).WithContext(ctx)
		first.RemoteAddr = "192.0.2.1:1"
		var visits sync.WaitGroup
		visits.Go(func() { server.ServeHTTP(httptest.NewRecorder(), first) })
		synctest.Wait()
		visits.Go(func() {
			if body := getFrom(server, "192.0.2.2:1", embedPath+id).Body.String(); !strings.Contains(body, "a accepted") {
				t.Errorf("the other client received %.200s", body)
			}
		})
		synctest.Wait()
		leave()
		visits.Wait()
		if evaluations.Load() != 1 {
			t.Errorf("%d evaluations", evaluations.Load())
		}
	})
}

// occupySlots evaluates for two other clients, so that all slots of the server are in use.
func occupySlots(server http.Handler) (wait func()) {
	var evaluations sync.WaitGroup
	for _, address := range []string{"192.0.2.8:1", "192.0.2.9:1"} {
		evaluations.Go(func() { evaluateFrom(server, address, `{"crd":"b"}`) })
	}
	synctest.Wait()
	return evaluations.Wait
}

// TestWaitOfLinkDoesNotShortenEvaluation opens a link that waits for as long as its
// evaluation takes. Together, both exceed the time limit of the evaluation.
func TestWaitOfLinkDoesNotShortenEvaluation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, _, id := countingServer(t, 8*time.Second, nil)
		wait := occupySlots(server)
		start := time.Now()
		body := getFrom(server, "192.0.2.1:1", embedPath+id).Body.String()
		if took := time.Since(start); took != 16*time.Second || !strings.Contains(body, "a accepted") {
			t.Errorf("the page took %v: %.200s", took, body)
		}
		wait()
	})
}

// TestLateSlotOfLink opens a link whose slot becomes free when its wait ends. The link
// must open later, whichever is first.
func TestLateSlotOfLink(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			server, _, id := countingServer(t, sharedResultTimeout, nil)
			wait := occupySlots(server)
			if response := getFrom(server, "192.0.2.1:1", embedPath+id); response.Code != http.StatusOK {
				t.Errorf("status %d: %.200s", response.Code, response.Body)
			}
			wait()
			if len(server.results.pending) > 0 {
				t.Fatal("a result is still pending")
			}
		})
	}
}

func TestResultsAreBounded(t *testing.T) {
	r := newResults()
	add := func(id string, size int) {
		key := resultKey{playground.TaskEmbed, id}
		_, pending := r.join(key, time.Now())
		r.begin(pending)
		r.end(key, pending, &result{gzip: make([]byte, size)}, nil)
	}
	for i := range 10 {
		add(fmt.Sprint(i), maxResults/4)
		if r.get(resultKey{playground.TaskEmbed, "0"}, time.Now()) == nil {
			t.Fatalf("the result in use is gone after %d others", i)
		}
	}
	if r.bytes != maxResults || r.kept.Len() != 4 {
		t.Errorf("%d results with %d bytes are kept", r.kept.Len(), r.bytes)
	}
	add("large", maxResults+1)
	if r.bytes != 0 || r.kept.Len() != 0 || len(r.pending) != 0 {
		t.Errorf("%d results with %d bytes are kept", r.kept.Len(), r.bytes)
	}
}

// TestKeptPageIsCompressed compares the content codings of a page.
func TestKeptPageIsCompressed(t *testing.T) {
	server, _, id := countingServer(t, 0, nil)
	plain := getFrom(server, "192.0.2.1:1", embedPath+id)
	compressed := requestFrom(server, "192.0.2.1:1", http.MethodGet, embedPath+id, "", "Accept-Encoding: gzip")
	reader, err := gzip.NewReader(bytes.NewReader(compressed.Body.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	html, err := io.ReadAll(reader)
	if err != nil || string(html) != plain.Body.String() || compressed.Header().Get("Content-Encoding") != "gzip" {
		t.Errorf("got %d bytes, %v, with %v", len(html), err, compressed.Header())
	}
	for _, response := range []*httptest.ResponseRecorder{plain, compressed} {
		if vary := strings.Join(response.Header().Values("Vary"), ", "); vary != "Accept-Encoding" {
			t.Errorf("Vary is %q", vary)
		}
	}
}

// TestDecompressionNeedsMemory opens a link whose page is large without compression,
// while its client has not read other responses.
func TestDecompressionNeedsMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const large = 8 << 20
		server := newServer(t, Config{Assets: builtPage, Clients: Clients{Reads: 3000}, Sharing: Sharing{Store: share.NewMemory()}, Engine: func(context.Context, playground.Request) ([]byte, error) {
			return bytes.Repeat([]byte("a"), large), nil
		}})
		id, value, err := share.Encode(playground.Scenario{CRD: "a"})
		if err == nil {
			err = server.sharing.Store.Put(t.Context(), id, value, time.Time{})
		}
		if err != nil {
			t.Fatal(err)
		}
		const address = "192.0.2.1:1"
		size := getFrom(server, address, embedPath+id).Body.Len()
		client := netip.MustParsePrefix("192.0.2.1/32")
		reads := func() float64 { return server.reads.limiter(client, time.Now()).Tokens() }
		if got := reads(); size != large || got > 3000-10 {
			t.Errorf("%v reads are left after %d bytes", got, size)
		}
		unread := server.responses.reserve(client)
		if err := unread.grow(maxClientResponseMemory - large/2); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		response := getFrom(server, address, embedPath+id)
		wantProblem(t, response.Result(), response.Body.String(), kindBusy, "You have not read other responses of the server. Read them, then try again.")
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > large/2 {
			t.Errorf("the refusal allocated %d bytes", allocated)
		}
		if response := requestFrom(server, address, http.MethodGet, embedPath+id, "", "Accept-Encoding: gzip"); response.Code != http.StatusOK {
			t.Errorf("the compressed page has status %d", response.Code)
		}
	})
}

// TestReadsAreLimited reads until the limit from one address, and then from another.
func TestReadsAreLimited(t *testing.T) {
	server := newServer(t, Config{Assets: builtPage, Clients: Clients{Reads: 5}, Sharing: Sharing{Store: share.NewMemory()}})
	id := strings.Repeat("0", share.IDLength)
	paths := []string{"/", "/api", sharedPath + id, embedPath + id, sharedPath + id + ".json"}
	for _, path := range paths {
		if response := getFrom(server, "192.0.2.1:1", path); response.Code == http.StatusTooManyRequests {
			t.Errorf("%s: status %d", path, response.Code)
		}
	}
	for _, path := range append(paths, "/examples.json", sharedPath+id+".yaml", sharePath+"/"+id) {
		response := getFrom(server, "192.0.2.1:1", path)
		wantProblem(t, response.Result(), response.Body.String(), kindRateLimited, "You have reached the limit of requests per minute. Try again in 12 s.")
	}
	for address, path := range map[string]string{"192.0.2.2:1": "/", "192.0.2.1:1": "/healthz"} {
		if response := getFrom(server, address, path); response.Code != http.StatusOK {
			t.Errorf("%s from %s: status %d", path, address, response.Code)
		}
	}
}
