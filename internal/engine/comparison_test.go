//go:build !js

package engine_test

import (
	"context"
	"fmt"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/mutant"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// TestTellings proves the objects that tell a CRD and its mutants apart: with all rules compiled anew, the engine gives
// the same verdicts on them.
func TestTellings(t *testing.T) {
	archive, err := txtar.ParseFile("../../cmd/crdlab/testdata/mutate.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range archive.Files {
		if file.Name == "crd.yaml" || file.Name == "union/crd.yaml" {
			t.Run(file.Name, func(t *testing.T) { checkTellings(t, string(file.Data)) })
		}
	}
}

func checkTellings(t *testing.T, crd string) {
	file, err := source.Parse(crd, source.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	e, ctx := engine.New(), context.Background()
	try, err := e.Compare(ctx, playground.Scenario{CRD: crd})
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, m := range mutant.All(file.NonEmpty()[0]) {
		trial, err := try(ctx, m)
		if err != nil {
			t.Fatal(err)
		}
		var telling *mutant.Telling
		if trial != nil {
			if telling, err = trial.Tell(ctx); err != nil {
				t.Fatal(err)
			}
		}
		if telling == nil {
			continue
		}
		told++
		if err := prove(ctx, e, crd, m.Text(), *telling); err != nil {
			t.Errorf("%s at %s: %v\n%s", m.Change, m.Field, err, telling.Object)
		}
	}
	if told == 0 {
		t.Error("no object tells the CRD and a mutant apart")
	}
}

// prove returns an error unless the CRDs treat an object as a telling says.
func prove(ctx context.Context, e *engine.Engine, crd, changed string, t mutant.Telling) error {
	var reports [2]playground.Object
	for i, text := range []string{crd, changed} {
		s := playground.Scenario{CRD: text, Object: t.Object, OldObject: t.Old}
		if t.Status {
			s.Operation = playground.OperationUpdateStatus
		}
		report, err := e.Evaluate(ctx, s)
		if err != nil || !report.CRD.Accepted || len(report.Objects) != 1 {
			return fmt.Errorf("the API server does not accept the CRD: %s %w", report.CRD.Output, err)
		}
		reports[i] = report.Objects[0]
	}
	before, after := reports[0], reports[1]
	switch isAltered := t.Effect == playground.WitnessChanged; {
	case isAltered && before.Accepted && after.Accepted && string(before.Stored) != string(after.Stored):
	case !isAltered && before.Accepted == t.Accepted && after.Accepted != t.Accepted:
	default:
		return fmt.Errorf("accepted %v, then %v; said %v, %s", before.Accepted, after.Accepted, t.Accepted, t.Effect)
	}
	return nil
}
