package engine

import (
	"context"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/playground"
)

// Preliminary evaluates s like [Engine.Evaluate], but sooner for a new CRD with a
// large number of rules: upstream validates only the rules that do not compile or
// exceed a cost limit. In this case, Preliminary returns true. Its findings are then
// a subset of the final findings, and the report is final unless Evaluate finds more.
//
// web/flows/page.bench.ts measures the time to the first findings.
func (e *Engine) Preliminary(ctx context.Context, s playground.Scenario) (report playground.Report, preliminary bool, err error) {
	report, err = e.evaluate(ctx, s, func(ctx context.Context, s playground.Scenario) (c *crd.CRD) {
		c, preliminary = e.evaluatePreliminaryCRD(ctx, s)
		return c
	})
	return report, preliminary, err
}

// A preliminaryCRD is a CRD whose rules upstream has not validated yet.
type preliminaryCRD struct {
	key     crdKey
	request *crd.Request
}

func (e *Engine) evaluatePreliminaryCRD(ctx context.Context, s playground.Scenario) (c *crd.CRD, preliminary bool) {
	key := newCRDKey(s)
	if cached, ok := e.caches.crd(key); ok {
		return cached, false
	}
	r := e.evaluator.NewRequest(ctx, s, e.immediateRules)
	c = addHints(r.Evaluate())
	switch {
	case r.Preliminary:
		e.caches.preliminary.Store(&preliminaryCRD{key, r})
	case ctx.Err() == nil:
		e.caches.crds.Add(key, c)
	}
	return c, r.Preliminary
}

// confirmPreliminary validates the remaining rules of the preliminary CRD with the
// given key. It reports false if there is no such CRD or a rule is invalid.
func (e *Engine) confirmPreliminary(ctx context.Context, key crdKey) (*crd.CRD, bool) {
	known := e.caches.preliminary.Swap(nil)
	if known == nil || known.key != key || !known.request.Report.Accepted {
		return nil, false
	}
	return known.request.CRD, known.request.Confirm(ctx)
}
