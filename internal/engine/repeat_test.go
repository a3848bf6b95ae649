package engine_test

import (
	"context"
	"encoding/json"
	"flag"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

// Fifty evaluations of all cases take minutes ("make test-repeat"). Two of them already
// find a random order of several items.
var repetitions = flag.Int("repeat", 2, "evaluations of each case in TestReportsAreRepeatable")

// TestReportsAreRepeatable evaluates each case several times and compares the reports
// byte by byte. Each evaluation uses a new engine, because a cached CRD would hide a
// random order.
func TestReportsAreRepeatable(t *testing.T) {
	for _, c := range readCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			first := encodeReport(t, engine.New(), c.Scenario)
			for range *repetitions - 1 {
				if diff := cmp.Diff(first, encodeReport(t, engine.New(), c.Scenario)); diff != "" {
					t.Fatalf("the report differs from the first (-first +this):\n%s", diff)
				}
			}
		})
	}
}

func encodeReport(t *testing.T, e *engine.Engine, s playground.Scenario) string {
	t.Helper()
	report, err := e.Evaluate(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	report.Timing = playground.Timing{}
	encoded, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}
