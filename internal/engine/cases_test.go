package engine_test

import (
	"context"
	"flag"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
)

var update = flag.Bool("update", false, "rewrite the want.json of each case")

func readCases(t testing.TB) []cases.Case {
	all, err := cases.Read("testdata")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCases(t *testing.T) {
	evaluate := bundle.Evaluator(engine.New().Evaluate)
	for _, c := range readCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			report, err := evaluate(context.Background(), c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			complete, err := engine.SetDefaults(c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			got, err := cases.EncodeWant(report, playground.RequestStages(complete))
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

func evaluate(t *testing.T, e *engine.Engine, s playground.Scenario) playground.Report {
	report, err := e.Evaluate(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return report
}
