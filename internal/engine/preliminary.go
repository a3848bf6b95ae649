package engine

import (
	"context"
	"math"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// fewRules are validated in no time: each takes the API server's code about a
// millisecond, and that code as WebAssembly some more.
const fewRules = 40

// Preliminary answers s as Evaluate does, but sooner where it can: of a CRD that
// it does not know yet, and that has many rules, it asks upstream only about those
// rules, if any, that did not compile or cost too much. Then it reports true: the
// problems in the report are some, and unless there are more, the report is what
// Evaluate will answer.
func (e *Engine) Preliminary(ctx context.Context, s playground.Scenario) (report playground.Report, preliminary bool, err error) {
	report, err = e.evaluate(ctx, s, func(ctx context.Context, s playground.Scenario) (c *crd) {
		c, preliminary = e.preliminaryCRD(ctx, s)
		return c
	})
	return report, preliminary, err
}

// earlyCRD is a CRD whose rules have not been validated yet.
type earlyCRD struct {
	key     crdKey
	request *crdRequest
}

func (e *Engine) preliminaryCRD(ctx context.Context, s playground.Scenario) (c *crd, preliminary bool) {
	key := keyOfCRD(s)
	if known, ok := e.knownCRD(key); ok {
		return known, false
	}
	r := e.newCRDRequest(ctx, s)
	r.fewRules = e.fewRules
	c = r.evaluate(s)
	switch {
	case r.preliminary:
		e.early.Store(&earlyCRD{key, r})
	case ctx.Err() == nil:
		e.crds.Add(key, c)
	}
	return c, r.preliminary
}

// isBad says whether upstream is going to refuse a rule, as far as that can be
// told from what it was compiled to.
func isBad(rule playground.Rule) bool {
	return rule.Error != "" || rule.EstimatedCost > ruleCostLimit
}

// confirmed is the CRD of the last preliminary answer, if that was about the key
// and upstream finds nothing wrong with all of its rules either.
func (e *Engine) confirmed(ctx context.Context, key crdKey) (*crd, bool) {
	early := e.early.Swap(nil)
	if early == nil || early.key != key || !early.request.report.Accepted {
		return nil, false
	}
	r := *early.request
	r.ctx, r.fewRules, r.preliminary = ctx, math.MaxInt, false
	err := upstream.Guard(playground.StageCRDValidate, func() error { return r.validateSpec().ToAggregate() })
	return r.crd, err == nil && ctx.Err() == nil
}

// validated is the CRD as upstream is to validate it: with all of its rules, or, if
// they are many, without those of the nodes that have no bad one.
func (r *crdRequest) validated() *apiextensions.CustomResourceDefinition {
	if countRules(r.internal) <= r.fewRules {
		return r.internal
	}
	r.reportRules()
	if r.report.EstimatedCost > crdCostLimit {
		return r.internal
	}
	r.preliminary = true
	bad := map[string]bool{}
	for _, rule := range r.report.Rules {
		bad[rule.Rule] = bad[rule.Rule] || isBad(rule)
	}
	without := r.internal.DeepCopy()
	eachNode(without, func(s *apiextensions.JSONSchemaProps) {
		if !slices.ContainsFunc(s.XValidations, func(rule apiextensions.ValidationRule) bool { return bad[rule.Rule] }) {
			s.XValidations = nil
		}
	})
	tellApart(without, r.internal)
	return without
}
