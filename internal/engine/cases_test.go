package engine_test

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
)

var update = flag.Bool("update", false, "rewrite the expected reports of the cases, and hints.txt")

// hintsFile has the hints of several cases.
const hintsFile = "testdata/hints.txt"

func readCases(t testing.TB) []cases.Case {
	all, err := cases.Read("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// remembered evaluates each scenario once for all tests.
var remembered = new(check.Memory).Remembering(engine.New().Evaluate)

func reportOn(t *testing.T, s playground.Scenario) playground.Report {
	t.Helper()
	report, err := remembered(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestCases compares the report of each case with the expected one. A part that the recorded verdict
// of an API server proves is compared by TestRecordings only.
func TestCases(t *testing.T) {
	recordings, err := cases.ReadRecordings("testdata")
	if err != nil {
		t.Fatal(err)
	}
	evaluate := bundle.Evaluator(remembered)
	all := readCases(t)
	reports, hints := make([]playground.Report, len(all)), cases.Hints{}
	for i, c := range all {
		if reports[i], err = evaluate(context.Background(), c.Scenario); err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		hints.Add(c.Name, reports[i])
	}
	checkHints(t, hints)
	for i, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			complete, err := engine.SetDefaults(c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			form := cases.Expectation{
				Scenario: c.Scenario, Stages: playground.RequestStages(complete), Complete: c.Complete,
				Recorded: recordings[c.Name].Unasked == "", Hints: hints,
			}
			got, err := form.Encode(reports[i])
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := c.Update(got); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(c.Want), string(got)); diff != "" {
				t.Errorf("report differs (-want +got); run with -update and read the diff:\n%s", diff)
			}
		})
	}
}

func checkHints(t *testing.T, hints cases.Hints) {
	got := hints.String()
	if *update {
		if err := os.WriteFile(hintsFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(hintsFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update and read the diff:\n%s", hintsFile, diff)
	}
}

func evaluate(t *testing.T, e *engine.Engine, s playground.Scenario) playground.Report {
	report, err := e.Evaluate(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return report
}
