package crd

import (
	"context"
	"math"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// Preliminary validation of a CRD with a large number of new rules passes only suspicious
// rules to upstream, which needs about a millisecond for each new rule, and more as
// WebAssembly. The request is then preliminary until [Request.Confirm].
// web/flows/page.bench.ts measures the time to the preliminary findings.

// MaxImmediateRules is the largest number of new rules that a preliminary request
// validates at once. After an edit of a rule, the other rules are not new.
const MaxImmediateRules = 40

// crdToValidate returns the CRD for upstream's validation. If it has more than
// immediateRules new rules, crdToValidate removes the rules of all schema nodes without a
// suspicious rule.
func (r *Request) crdToValidate() *apiextensions.CustomResourceDefinition {
	if countRules(r.Internal) <= r.immediateRules {
		return r.Internal
	}
	r.reportRules()
	if r.newRules <= r.immediateRules || r.Report.EstimatedCost > CostLimit {
		return r.Internal
	}
	r.Preliminary = true
	suspicious := map[string]bool{}
	for _, rule := range r.Report.Rules {
		suspicious[rule.Rule] = suspicious[rule.Rule] || isSuspicious(rule)
	}
	reduced := r.Internal.DeepCopy()
	visitSchemas(reduced, func(s *apiextensions.JSONSchemaProps) {
		if !slices.ContainsFunc(s.XValidations, func(rule apiextensions.ValidationRule) bool { return suspicious[rule.Rule] }) {
			s.XValidations = nil
		}
	})
	distinguishVersions(reduced, r.Internal)
	return reduced
}

// withoutSchemas removes the errors that quote a schema, which lacks rules here.
func withoutSchemas(errs field.ErrorList) field.ErrorList {
	return slices.DeleteFunc(errs, func(err *field.Error) bool {
		_, isSchema := err.BadValue.(apiextensions.JSONSchemaProps)
		return isSchema
	})
}

// isSuspicious reports whether upstream will probably reject a rule.
func isSuspicious(rule playground.Rule) bool {
	return rule.Error != "" || rule.EstimatedCost > RuleCostLimit
}

// Confirm validates all rules of an accepted preliminary CRD. It reports whether they
// are valid. It returns false if ctx ends.
func (r *Request) Confirm(ctx context.Context) bool {
	full := *r
	full.ctx, full.immediateRules, full.Preliminary = ctx, math.MaxInt, false
	err := upstream.Guard(playground.StageCRDValidate, func() error { return full.validateSpec().ToAggregate() })
	return err == nil && ctx.Err() == nil
}
