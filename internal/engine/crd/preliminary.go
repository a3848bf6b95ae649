package crd

import (
	"context"
	"math"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// validated is the CRD as upstream is to validate it: with all of its rules, or, if
// they are many, without those of the nodes that have no bad one.
func (r *Request) validated() *apiextensions.CustomResourceDefinition {
	if countRules(r.Internal) <= r.immediateRules {
		return r.Internal
	}
	r.reportRules()
	if r.Report.EstimatedCost > CostLimit {
		return r.Internal
	}
	r.Preliminary = true
	bad := map[string]bool{}
	for _, rule := range r.Report.Rules {
		bad[rule.Rule] = bad[rule.Rule] || isBad(rule)
	}
	without := r.Internal.DeepCopy()
	eachNode(without, func(s *apiextensions.JSONSchemaProps) {
		if !slices.ContainsFunc(s.XValidations, func(rule apiextensions.ValidationRule) bool { return bad[rule.Rule] }) {
			s.XValidations = nil
		}
	})
	tellApart(without, r.Internal)
	return without
}

// isBad says whether upstream is going to refuse a rule, as far as that can be
// told from what it was compiled to.
func isBad(rule playground.Rule) bool {
	return rule.Error != "" || rule.EstimatedCost > RuleCostLimit
}

// FewRules are validated in no time: each takes the API server's code about a
// millisecond, and that code as WebAssembly some more.
const MaxImmediateRules = 40

// Confirm reports whether upstream finds nothing wrong with all rules of an
// accepted preliminary CRD either.
func (r *Request) Confirm(ctx context.Context) bool {
	whole := *r
	whole.ctx, whole.immediateRules, whole.Preliminary = ctx, math.MaxInt, false
	err := upstream.Guard(playground.StageCRDValidate, func() error { return whole.validateSpec().ToAggregate() })
	return err == nil && ctx.Err() == nil
}
