package engine

import (
	"context"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/witness"
	"github.com/crdlab/crdlab/internal/playground"
)

// A classifyFunc returns the changes of the evaluated CRD of a scenario.
type classifyFunc func(context.Context, playground.Scenario, *crd.CRD) ([]playground.CRDChange, error)

// classifyChanges returns the changes of c with their witnesses, from the cache if
// possible.
func (e *Engine) classifyChanges(ctx context.Context, s playground.Scenario, c *crd.CRD) ([]playground.CRDChange, error) {
	if changes, ok := e.classifiedChanges(s, c); ok {
		return changes, nil
	}
	changes, err := witness.Classify(ctx, e.KubernetesTypes(), c, s.FieldValidation)
	if err == nil && ctx.Err() == nil {
		e.caches.changes.Add(newCRDKey(s), changes)
	}
	return changes, err
}

// classifiedChanges returns the changes of c if they are known without a search for
// witnesses.
func (e *Engine) classifiedChanges(s playground.Scenario, c *crd.CRD) ([]playground.CRDChange, bool) {
	if !witness.IsDue(c) {
		return c.Report.Changes, true
	}
	known, ok := e.caches.changes.Get(newCRDKey(s))
	if !ok {
		return nil, false
	}
	return known.([]playground.CRDChange), true
}
