package engine

import (
	"context"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/playground"
)

// Preliminary answers s as Evaluate does, but sooner where it can: of a CRD that
// it does not know yet, and that has many rules, it asks upstream only about those
// rules, if any, that did not compile or cost too much. Then it reports true: the
// problems in the report are some, and unless there are more, the report is what
// Evaluate will answer.
func (e *Engine) Preliminary(ctx context.Context, s playground.Scenario) (report playground.Report, preliminary bool, err error) {
	report, err = e.evaluate(ctx, s, func(ctx context.Context, s playground.Scenario) (c *crd.CRD) {
		c, preliminary = e.preliminaryCRD(ctx, s)
		return c
	})
	return report, preliminary, err
}

// earlyCRD is a CRD whose rules have not been validated yet.
type earlyCRD struct {
	key     crdKey
	request *crd.Request
}

func (e *Engine) preliminaryCRD(ctx context.Context, s playground.Scenario) (c *crd.CRD, preliminary bool) {
	key := keyOfCRD(s)
	if known, ok := e.knownCRD(key); ok {
		return known, false
	}
	r := e.evaluator.NewRequest(ctx, s, e.immediateRules)
	c = e.explain(r.Evaluate())
	switch {
	case r.Preliminary:
		e.preliminary.Store(&earlyCRD{key, r})
	case ctx.Err() == nil:
		e.crds.Add(key, c)
	}
	return c, r.Preliminary
}

// confirmed is the CRD of the last preliminary answer, if that was about the key
// and upstream finds nothing wrong with all of its rules either.
func (e *Engine) confirmed(ctx context.Context, key crdKey) (*crd.CRD, bool) {
	early := e.preliminary.Swap(nil)
	if early == nil || early.key != key || !early.request.Report.Accepted {
		return nil, false
	}
	return early.request.CRD, early.request.Confirm(ctx)
}
