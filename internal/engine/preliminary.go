package engine

import (
	"context"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/playground"
)

// Preliminary evaluates s like [Engine.Evaluate], but does not search for the witnesses of the
// changes of a CRD. preliminary reports that some changes lack one.
func (e *Engine) Preliminary(ctx context.Context, s playground.Scenario) (report playground.Report, preliminary bool, err error) {
	report, err = e.evaluate(ctx, s, e.EvaluateCRD, func(_ context.Context, s playground.Scenario, c *crd.CRD) ([]playground.CRDChange, error) {
		changes, known := e.classifiedChanges(s, c)
		if known {
			return changes, nil
		}
		preliminary = true
		return c.Report.Changes, nil
	})
	return report, preliminary, err
}
