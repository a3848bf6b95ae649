package engine

import (
	"context"
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
	r.fewRules, r.skips = e.fewRules, hasRule
	c = r.evaluate(s)
	switch {
	case !r.preliminary && ctx.Err() == nil:
		e.crds.Add(key, c)
	case r.preliminary && c.report.EstimatedCost > crdCostLimit:
		return e.crd(ctx, s), false
	case r.preliminary && slices.ContainsFunc(c.report.Rules, isBad):
		return r.withBadRules(), true
	case r.preliminary:
		e.early.Store(&earlyCRD{key, r})
	}
	return c, r.preliminary
}

// withBadRules judges the CRD of r once more, as though its nodes had no rules
// unless one of them is bad.
func (r *crdRequest) withBadRules() *crd {
	again, rules := r.again(), r.report.Rules
	again.fewRules, again.skips = 0, func(node *apiextensions.JSONSchemaProps) bool {
		return !slices.ContainsFunc(rules, func(known playground.Rule) bool {
			return isBad(known) && slices.ContainsFunc(node.XValidations, func(rule apiextensions.ValidationRule) bool { return rule.Rule == known.Rule })
		})
	}
	again.run(crdStages[1:])
	return again.crd
}

// isBad says whether upstream is going to refuse a rule, as far as that can be
// told from what it was compiled to.
func isBad(rule playground.Rule) bool {
	return rule.Error != "" || rule.EstimatedCost > ruleCostLimit
}

func hasRule(node *apiextensions.JSONSchemaProps) bool { return len(node.XValidations) > 0 }

// confirmed is the CRD of the last preliminary answer, if that was about the key
// and upstream finds nothing wrong with all of its rules either.
func (e *Engine) confirmed(ctx context.Context, key crdKey) (*crd, bool) {
	early := e.early.Swap(nil)
	if early == nil || early.key != key || !early.request.report.Accepted {
		return nil, false
	}
	r := *early.request
	r.ctx, r.skips, r.preliminary = ctx, nil, false
	err := upstream.Guard(playground.StageCRDValidate, func() error { return r.validateSpec().ToAggregate() })
	return r.crd, err == nil && ctx.Err() == nil
}

// validated is the CRD as upstream is to validate it: without the rules that are
// to be skipped, if there are more than a few in all.
func (r *crdRequest) validated() *apiextensions.CustomResourceDefinition {
	if r.skips == nil || countRules(r.internal) <= r.fewRules {
		return r.internal
	}
	r.preliminary = true
	without := r.internal.DeepCopy()
	eachNode(without, func(s *apiextensions.JSONSchemaProps) {
		if r.skips(s) {
			s.XValidations = nil
		}
	})
	tellApart(without, r.internal)
	return without
}
