//go:build linux

package attack

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"
)

// keystrokes returns the interval in which the page evaluates while its user types
// fast. With -short, it is shorter, so that there are enough measurements.
func keystrokes() time.Duration {
	return briefly(100*time.Millisecond, 200*time.Millisecond)
}

// neighbour is a well-behaved client: a user who types in the page. It sends one
// request at a time.
type neighbour struct {
	client *client
	url    string
	link   string // id of a link that it opens now and then
	count  int
}

// newNeighbour returns a neighbour whose CRD the server has compiled.
func newNeighbour(t *testing.T, s *server) *neighbour {
	t.Helper()
	n := &neighbour{client: newClient(neighbourAddress, 30*time.Second), url: s.url}
	crd, of := realistic(0)
	n.link = n.client.mustShare(t, s.url, scenario(crd, of))
	for range mix {
		if err := n.request(t.Context()); err != nil {
			t.Fatalf("the neighbour's request fails without an attack: %v", err)
		}
	}
	return n
}

// mix is the number of requests after which their kinds repeat.
const mix = 20

// request sends the next request of the mix: of twenty, one is a page, one opens a
// link, one completes, one hovers, and the others evaluate.
func (n *neighbour) request(ctx context.Context) error {
	n.count++
	crd, of := realistic(n.count)
	var status int
	var body []byte
	var err error
	switch n.count % mix {
	case 3:
		status, body, err = n.client.get(ctx, n.url+"/")
	case 7:
		status, body, err = n.client.get(ctx, n.url+"/s/"+n.link)
	case 11:
		status, body, err = n.client.post(ctx, n.url+"/api/v1/complete", assist(crd, of, "object", 4, 0))
	case 15:
		status, body, err = n.client.post(ctx, n.url+"/api/v1/hover", assist(crd, of, "object", 4, 1))
	case 18, 19:
		status, body, err = n.client.post(ctx, n.url+"/panels", view(crd, of))
	default:
		status, body, err = n.client.post(ctx, n.url+"/api/v1/evaluate", scenario(crd, of))
	}
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("status %d: %.200s", status, body)
	}
	if err == nil && isEnded(body) {
		err = fmt.Errorf("ended: %.200s", body)
	}
	return err
}

// experience is the outcome of a neighbour's requests.
type experience struct {
	took   []time.Duration
	failed int
	why    error // of the last failure
}

// typing sends requests for a duration.
func (n *neighbour) typing(ctx context.Context, duration time.Duration) experience {
	return typing(ctx, duration, n.request)
}

// typing sends requests in the rhythm of keystrokes for a duration.
func typing(ctx context.Context, duration time.Duration, request func(context.Context) error) experience {
	var e experience
	end := time.Now().Add(duration)
	for interval := time.Tick(keystrokes()); time.Now().Before(end); <-interval {
		start := time.Now()
		if err := request(ctx); err != nil {
			e.failed++
			e.why = err
		}
		e.took = append(e.took, time.Since(start))
	}
	return e
}

// p95 returns the 95th percentile of the latencies.
func (e experience) p95() time.Duration {
	sorted := slices.Sorted(slices.Values(e.took))
	return sorted[int(math.Ceil(0.95*float64(len(sorted))))-1]
}

// success returns the percentage of successful requests.
func (e experience) success() float64 {
	return 100 * float64(len(e.took)-e.failed) / float64(len(e.took))
}

// tolerated is the 95th percentile that an attack may cause. The few measurements with
// -short prove only that the neighbour is not starved.
func (e experience) tolerated() time.Duration {
	return max(3*e.p95(), briefly(500*time.Millisecond, 150*time.Millisecond))
}

// minSuccess is the percentage of the neighbour's requests that must succeed.
const minSuccess = 99

// surviveAttack measures a neighbour without and with an attack by n connections. Each
// runs connection again and again, with a number that differs between all calls.
func surviveAttack(t *testing.T, s *server, promise string, n int, connection func(ctx context.Context, number int) error) {
	t.Helper()
	person := newNeighbour(t, s)
	before := person.typing(t.Context(), briefly(1500*time.Millisecond, 6*time.Second))
	ctx, cancel := context.WithCancel(t.Context())
	probed := watchReadiness(ctx, s)
	attack := startAttack(ctx, n, connection)
	time.Sleep(briefly(300*time.Millisecond, 2*time.Second))
	during := person.typing(t.Context(), briefly(3*time.Second, 30*time.Second))
	cancel()
	s.readiness = <-probed
	attack.wait()
	if before.failed > 0 {
		t.Errorf("without an attack: %v", before.why)
	}
	t.Logf("latencies of the neighbour: %v", during.took)
	if during.why != nil {
		t.Logf("a request of the neighbour failed: %v", during.why)
	}
	met := during.success() >= minSuccess && during.p95() <= before.tolerated()
	report(t, promise, fmt.Sprintf("≥ %d %% succeed, p95 ≤ %s", minSuccess, milliseconds(before.tolerated())), met,
		"%.1f %% of %d succeed, p95 %s (undisturbed %s); hostile: %s",
		during.success(), len(during.took), milliseconds(during.p95()), milliseconds(before.p95()), attack)
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%d ms", d.Milliseconds())
}
