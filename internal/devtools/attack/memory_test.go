//go:build linux

package attack

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"
)

// Limits of the promises, in MiB.
const (
	childLimit    = 1 << 10
	maxChild      = childLimit * 11 / 10
	maxServer     = 600
	maxReportSize = 16
)

// isEnded reports whether the body is the report of an evaluation that exceeded a
// limit.
func isEnded(body []byte) bool {
	return bytes.Contains(body, []byte("the evaluation was stopped"))
}

// attackMemory evaluates a rule that builds a string of gigabytes.
func attackMemory(t *testing.T) {
	s := launch(t, options{})
	c := newClient(hostileAddress, time.Minute)
	start := time.Now()
	status, body, err := c.post(t.Context(), s.url+"/api/v1/evaluate", scenario(gigabytes()))
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	_, child := s.memory.peaks()
	report(t, "memory of an evaluation that builds gigabytes", fmt.Sprintf("child ≤ %d MiB", maxChild), child <= maxChild, "%d MiB after %s", child, milliseconds(took))
	reason := endReason(body)
	report(t, "its response", "status 200, ended because of memory", status == http.StatusOK && bytes.Contains([]byte(reason), []byte("memory")), "status %d: %s", status, reason)
	crd, of := quick(1)
	status, body, err = c.post(t.Context(), s.url+"/api/v1/evaluate", scenario(crd, of))
	report(t, "the next evaluation", "status 200 with a verdict", err == nil && status == http.StatusOK && !isEnded(body), "status %d, %v", status, err)
}

// endReason returns the message of a rejected CRD or the beginning of another response.
func endReason(body []byte) string {
	var answer struct {
		CRD struct{ Status struct{ Message string } }
	}
	if json.Unmarshal(body, &answer) == nil && answer.CRD.Status.Message != "" {
		return answer.CRD.Status.Message
	}
	return fmt.Sprintf("%.100s", body)
}

// largeResponse returns a request whose report once had 283 MB.
func largeResponse() []byte { return scenario(manyVersions(200, 1_400_000)) }

// attackLargeResponse reads one large report.
func attackLargeResponse(t *testing.T) {
	s := launch(t, options{})
	c := newClient(hostileAddress, time.Minute)
	status, body, err := c.post(t.Context(), s.url+"/api/v1/evaluate", largeResponse())
	if err != nil {
		t.Fatal(err)
	}
	report(t, "report of an object of 1.4 MB at 200 versions", fmt.Sprintf("≤ %d MiB", maxReportSize), status == http.StatusOK && len(body) <= maxReportSize<<20,
		"status %d, %.1f MiB", status, float64(len(body))/(1<<20))
	report(t, "a finding reports the limit", "PlaygroundLimit", bytes.Contains(body, []byte("PlaygroundLimit")), "%t", bytes.Contains(body, []byte("PlaygroundLimit")))
}

// attackUnreadResponses requests large reports and does not read them.
func attackUnreadResponses(t *testing.T) {
	s := launch(t, options{})
	body := largeResponse()
	surviveAttack(t, s, "neighbour of 12 sockets that never read reports of 200 versions", 12, func(ctx context.Context, _ int) error {
		connection, err := dial(ctx, s.host)
		if err != nil {
			return err
		}
		defer connection.Close()
		if _, err := connection.Write(append(header("/api/v1/evaluate", s.host, len(body)), body...)); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	})
	resident, _ := s.memory.peaks()
	report(t, "server memory with 12 unread responses", fmt.Sprintf("≤ %d MiB", maxServer), resident <= maxServer && s.isRunning(), "%d MiB, server running: %t", resident, s.isRunning())
}
