package engine

import (
	"context"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/engine/witness"
	"github.com/crdlab/crdlab/internal/mutant"
	"github.com/crdlab/crdlab/internal/playground"
)

// Compare is a [mutant.Compare]. It compiles no rule twice, so that a mutant needs a small part of the time of the CRD.
func (e *Engine) Compare(ctx context.Context, s playground.Scenario) (mutant.Try, error) {
	s, err := SetDefaults(s)
	if err != nil {
		return nil, err
	}
	restore, err := release.Emulate(s)
	if err != nil {
		return nil, err
	}
	defer restore()
	c := comparison{engine: e, scenario: s, crd: e.EvaluateCRD(ctx, s)}
	if !c.crd.Report.Accepted || c.crd.Unservable {
		return nil, ctx.Err()
	}
	c.search, err = witness.NewComparison(e.KubernetesTypes(), c.crd)
	return c.try, err
}

// A comparison compares an accepted CRD with its mutants.
type comparison struct {
	engine   *Engine
	scenario playground.Scenario
	crd      *crd.CRD
	search   *witness.Comparison
}

// try is a [mutant.Try].
func (c comparison) try(ctx context.Context, m mutant.Mutant) (*mutant.Trial, error) {
	restore, err := release.Emulate(c.scenario)
	if err != nil {
		return nil, err
	}
	defer restore()
	var change witness.Change
	if m.Effect == mutant.OnRules {
		change.Own = &crd.RuleNode{Versions: m.Versions, Path: m.Node}
	}
	if m.Effect != mutant.OnTypes {
		change.CRD = c.serve(ctx, m.Bare())
		if change.CRD == nil {
			return nil, ctx.Err()
		}
		// CEL omits fields with names that it cannot express, and with them their rules.
		err := upstream.Guard(playground.StageCRDServe, func() error { change.CRD.AdoptRules(c.crd, change.Own); return nil })
		change.All = err != nil
	}
	if change.All || m.Effect == mutant.OnTypes {
		change = witness.Change{CRD: c.serve(ctx, m.Text()), All: true}
		if change.CRD == nil {
			return nil, ctx.Err()
		}
	}
	return &mutant.Trial{
		Evaluate: func(ctx context.Context, s playground.Scenario) (playground.Report, error) {
			return c.evaluate(ctx, s, change.CRD)
		},
		Tell: func(ctx context.Context) (*mutant.Telling, error) {
			restore, err := release.Emulate(c.scenario)
			if err != nil {
				return nil, err
			}
			defer restore()
			return c.search.Tell(ctx, change)
		},
	}, nil
}

// serve returns an accepted CRD, or nil.
func (c comparison) serve(ctx context.Context, text string) *crd.CRD {
	s := c.scenario
	s.CRD, s.OldCRD, s.VerdictOnly = text, "", true
	// No later mutant has the rules of this one, so that they need not stay in the caches of the engine.
	changed := crd.NewEvaluator().NewRequest(ctx, s).Evaluate()
	if !changed.Report.Accepted || changed.Unservable {
		return nil
	}
	return changed
}

// evaluate evaluates a scenario with a changed CRD in place of the CRD of the comparison.
func (c comparison) evaluate(ctx context.Context, s playground.Scenario, changed *crd.CRD) (playground.Report, error) {
	if s.CRD != c.scenario.CRD {
		return c.engine.Evaluate(ctx, s)
	}
	return c.engine.evaluate(ctx, s,
		func(context.Context, playground.Scenario) *crd.CRD { return changed },
		func(context.Context, playground.Scenario, *crd.CRD) ([]playground.CRDChange, error) { return nil, nil })
}
