package engine

import (
	"context"
	"math"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/crdlab/crdlab/internal/playground"
)

const (
	// fewRules are validated in no time: each takes the API server's code about a
	// millisecond, and that code as WebAssembly some more.
	fewRules = 40
	allRules = math.MaxInt
)

// Preliminary answers s as Evaluate does, but sooner where it can: of a CRD that
// it does not know yet, and that has many rules, it does not ask upstream yet what
// is wrong with the rules. Then it reports true: the problems in the report are
// some, and unless there are more, the report is what Evaluate will answer.
func (e *Engine) Preliminary(ctx context.Context, s playground.Scenario) (report playground.Report, preliminary bool, err error) {
	report, err = e.evaluate(ctx, s, func(ctx context.Context, s playground.Scenario) *crd {
		c := e.preliminaryCRD(ctx, s)
		preliminary = c.preliminary
		return c
	})
	return report, preliminary, err
}

func (e *Engine) preliminaryCRD(ctx context.Context, s playground.Scenario) *crd {
	key := keyOfCRD(s)
	if known, ok := e.crds.Get(key); ok {
		return known.(*crd)
	}
	c := evaluateCRD(ctx, s, e.parts, e.rules, e.fewRules)
	switch {
	case !c.preliminary && ctx.Err() == nil:
		e.crds.Add(key, c)
	case c.preliminary && c.hasBadRule():
		return e.crd(ctx, s)
	}
	return c
}

// hasBadRule says whether upstream is going to refuse the rules, as far as that
// can be told from what they were compiled to.
func (c *crd) hasBadRule() bool {
	return c.report.EstimatedCost > crdCostLimit || slices.ContainsFunc(c.report.Rules, func(rule playground.Rule) bool {
		return rule.Error != "" || rule.EstimatedCost > ruleCostLimit
	})
}

// validated is the CRD as upstream is to validate it: without its rules if they
// are more than are asked for.
func (r *crdRequest) validated() *apiextensions.CustomResourceDefinition {
	if r.maxRules == allRules || countRules(r.internal) <= r.maxRules {
		return r.internal
	}
	r.preliminary = true
	without := r.internal.DeepCopy()
	eachNode(without, func(s *apiextensions.JSONSchemaProps) { s.XValidations = nil })
	return without
}

func countRules(crd *apiextensions.CustomResourceDefinition) (count int) {
	eachNode(crd, func(s *apiextensions.JSONSchemaProps) { count += len(s.XValidations) })
	return count
}
