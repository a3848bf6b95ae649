package releases_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/releases"
)

var update = flag.Bool("update", false, "rewrite the expected report of each case")

// openOldest returns the program of the oldest release only, so that the reports do not
// depend on the other programs that are built.
func openOldest(t *testing.T) *releases.Programs {
	built := os.Getenv("CRDLAB_PROGRAMS")
	if built == "" {
		t.Skip("CRDLAB_PROGRAMS is not set (make test-releases)")
	}
	built, err := filepath.Abs(filepath.Join("..", "..", built))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("programs in %s: %v", built, releases.Open(built).Releases())
	only := t.TempDir()
	if err := os.Symlink(filepath.Join(built, "1.31"), filepath.Join(only, "1.31")); err != nil {
		t.Fatal(err)
	}
	programs := releases.Open(only)
	t.Cleanup(programs.Close)
	if releases := programs.Releases(); len(releases) != 1 {
		t.Fatalf("programs %v, want that of 1.31", releases)
	}
	return programs
}

func TestCases(t *testing.T) {
	evaluator := openOldest(t).NewEvaluator(engine.New())
	all, err := cases.Read("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			got := evaluate(t, evaluator, c.Scenario)
			if again := evaluate(t, evaluator, c.Scenario); string(again) != string(got) {
				t.Errorf("the second report differs:\n%s", cmp.Diff(string(got), string(again)))
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

func evaluate(t *testing.T, evaluator *releases.Evaluator, s playground.Scenario) []byte {
	report, err := evaluator.Evaluate(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	complete, err := engine.SetDefaults(s)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := cases.Expectation{Scenario: s, Stages: playground.RequestStages(complete)}.Encode(report)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

// TestWithoutPrograms checks that a release without a program has an approximate
// report.
func TestWithoutPrograms(t *testing.T) {
	evaluator := releases.Open(t.TempDir()).NewEvaluator(engine.New())
	report, err := evaluator.Evaluate(t.Context(), playground.Scenario{Kubernetes: "1.31"})
	if err != nil {
		t.Fatal(err)
	}
	want := playground.Kubernetes{Library: engine.Library, Emulated: "1.31", Approximate: true}
	if report.Kubernetes != want {
		t.Errorf("got %+v, want %+v", report.Kubernetes, want)
	}
}
