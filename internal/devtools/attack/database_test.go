//go:build linux

package attack

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/share/storetest"
)

// attackDatabase starts the server without its database, then starts the database, and
// stops it for a while.
func attackDatabase(t *testing.T) {
	database := startDatabase(t)
	database.Stop(t)
	s := launch(t, options{arguments: []string{"--store", database.URL}, mayFail: true})
	const promise = "PostgreSQL is unavailable when the server starts"
	report(t, promise, "the server starts", s != nil, "%s", startedOrNot(s))
	if s == nil {
		database.Run(t)
		s = launch(t, options{arguments: []string{"--store", database.URL}})
		database.Stop(t)
	}
	duringOutage(t, s, promise, briefly(time.Second, 5*time.Second))
	database.Run(t)
	afterOutage(t, s, "the database starts")

	database.Stop(t)
	outage := briefly(time.Second, 2*time.Minute)
	duringOutage(t, s, fmt.Sprintf("PostgreSQL is unavailable for %s", outage), outage)
	database.Run(t)
	afterOutage(t, s, "the database is back")
}

func startedOrNot(s *server) string {
	if s == nil {
		return "it ends"
	}
	return "it starts"
}

// startDatabase starts PostgreSQL, or adds a row to the table if that is impossible.
func startDatabase(t *testing.T) *storetest.Postgres {
	t.Helper()
	t.Cleanup(func() {
		if t.Skipped() {
			results = append(results, result{"database outage", "evaluation unaffected", "PostgreSQL is not installed", "skipped"})
		}
	})
	return storetest.StartPostgres(t)
}

// duringOutage types for a while beside clients that share, and probes the readiness.
func duringOutage(t *testing.T, s *server, promise string, duration time.Duration) {
	t.Helper()
	c := newClient(neighbourAddress, 30*time.Second)
	hostile := newClient(hostileAddress, 30*time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	attack := startAttack(ctx, 32, posting(hostile, s.url+"/api/v1/share", largeScenario))
	number := 0
	e := typing(t.Context(), duration, func(ctx context.Context) error {
		number++
		return posting(c, s.url+"/api/v1/evaluate", func(number int) []byte { return scenario(realistic(number)) })(ctx, number)
	})
	shareStart := time.Now()
	status, body, err := c.post(t.Context(), s.url+"/api/v1/share", scenario(quick(1)))
	took := time.Since(shareStart)
	ready, readyBody, readyErr := newClient(probeAddress, probeTimeout).get(t.Context(), s.url+"/readyz?verbose")
	cancel()
	attack.wait()
	report(t, promise+": evaluations beside 32 clients that share 1 MB", fmt.Sprintf("≥ %d %% succeed", minSuccess), e.success() >= minSuccess,
		"%.1f %% of %d, p95 %s; last failure: %v", e.success(), len(e.took), milliseconds(e.p95()), orElse(e.why, "none"))
	report(t, promise+": sharing", "status 503 with a reason within 5 s", err == nil && status == http.StatusServiceUnavailable && took <= 5*time.Second,
		"status %d after %s: %.120s", status, milliseconds(took), body)
	report(t, promise+": /readyz?verbose", "status 200 with a sentence about the store", readyErr == nil && ready == http.StatusOK && strings.Contains(string(readyBody), "unavailable"),
		"status %d: %.120s", ready, strings.TrimSpace(string(readyBody)))
}

// recovery is the time within which sharing works again after an outage.
const recovery = 30 * time.Second

// afterOutage waits until sharing works again.
func afterOutage(t *testing.T, s *server, when string) {
	t.Helper()
	c := newClient(neighbourAddress, 30*time.Second)
	start := time.Now()
	var err error
	for time.Since(start) < recovery {
		if _, err = c.share(t.Context(), s.url, scenario(quick(2))); err == nil {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	report(t, "sharing after "+when, fmt.Sprintf("works within %s without help", recovery), err == nil, "%v after %s", orElse(err, "works"), milliseconds(time.Since(start)))
}
