package engine

import (
	"context"
	"slices"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/playground"
)

// Preliminary evaluates s like [Engine.Evaluate], but returns sooner if the CRD has
// a large number of new rules, or if it has an old CRD. Upstream then validates only
// the rules that do not compile or exceed a cost limit, changes have no witnesses yet, the
// CRD has no notes yet, and preliminary is true. The findings of a preliminary report are a subset of the findings
// of Evaluate.
//
// web/flows/page.bench.ts measures the time to the first findings.
func (e *Engine) Preliminary(ctx context.Context, s playground.Scenario) (report playground.Report, preliminary bool, err error) {
	unconfirmed := false
	report, err = e.evaluate(ctx, s, func(ctx context.Context, s playground.Scenario) (c *crd.CRD) {
		c, unconfirmed = e.evaluatePreliminaryCRD(ctx, s)
		preliminary = unconfirmed
		return c
	}, func(_ context.Context, s playground.Scenario, c *crd.CRD) ([]playground.CRDChange, error) {
		changes, known := e.classifiedChanges(s, c)
		if known {
			return changes, nil
		}
		preliminary = true
		return c.Report.Changes, nil
	})
	report.Preliminary = preliminary
	if unconfirmed {
		// The API server serves only a CRD with valid rules, and only an accepted CRD has notes.
		report.CRD.Findings = slices.DeleteFunc(slices.Clone(report.CRD.Findings), func(f playground.Finding) bool {
			return f.Stage == playground.StageCRDServe || f.Stage == playground.StageNotes
		})
	}
	return report, preliminary, err
}

// A preliminaryCRD is the request of a CRD of which upstream has not validated all
// rules.
type preliminaryCRD struct {
	key     crdKey
	request *crd.Request
}

// evaluatePreliminaryCRD is [Engine.EvaluateCRD] for [Engine.Preliminary].
func (e *Engine) evaluatePreliminaryCRD(ctx context.Context, s playground.Scenario) (c *crd.CRD, preliminary bool) {
	key := newCRDKey(s)
	if cached, ok := e.caches.crd(key); ok {
		return cached, false
	}
	r := e.evaluator.NewRequest(ctx, s, e.immediateRules)
	c = completeReport(r.Evaluate())
	switch {
	case r.Preliminary:
		e.caches.preliminary.Store(&preliminaryCRD{key, r})
	case ctx.Err() == nil:
		e.caches.crds.Add(key, c)
	}
	return c, r.Preliminary
}

// confirmPreliminary validates all rules of the preliminary CRD with the given key. It
// also empties the cache of the preliminary CRD. ok is false if the cache held no
// accepted CRD with this key, or if the CRD is invalid.
func (e *Engine) confirmPreliminary(ctx context.Context, key crdKey) (c *crd.CRD, ok bool) {
	known := e.caches.preliminary.Swap(nil)
	if known == nil || known.key != key || !known.request.Report.Accepted {
		return nil, false
	}
	return known.request.CRD, known.request.Confirm(ctx)
}
