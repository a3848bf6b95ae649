package engine

import (
	"context"
	"fmt"

	"github.com/google/cel-go/common/types"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/celvalue"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
)

// UnfailingRules returns the IDs of the rules in a CRD that cannot fail. It evaluates a rule for
// all values that the schema permits and the rule can distinguish. It does not return a rule
// that reads an unlimited number of values, even if the rule cannot fail. A stored object that
// violates the schema can still fail a rule.
func (e *Engine) UnfailingRules(ctx context.Context, s playground.Scenario) (ids map[string]bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("rules that cannot fail: panic: %v", p)
		}
	}()
	if s, err = SetDefaults(s); err != nil {
		return nil, err
	}
	restore, err := release.Emulate(s)
	if err != nil {
		return nil, err
	}
	defer restore()
	proof := proof{ctx, map[string]bool{}}
	for name, version := range e.EvaluateCRD(ctx, s).Versions {
		proof.walk(name, version.Rules)
	}
	return proof.ids, ctx.Err()
}

// A proof holds the IDs of the rules that cannot fail.
type proof struct {
	ctx context.Context
	ids map[string]bool
}

func (p proof) walk(version string, node *celrule.Node) {
	if node == nil {
		return
	}
	for i, rule := range node.Schema.XValidations {
		if p.holds(node, node.Rules[i], rule.Rule) {
			p.ids[node.RuleID(version, i)] = true
		}
	}
	p.walk(version, node.Items)
	p.walk(version, node.Additional)
	for _, property := range node.Properties {
		p.walk(version, property)
	}
}

// holds reports whether a rule holds for all values of a node.
func (p proof) holds(node *celrule.Node, compiled cel.CompilationResult, rule string) bool {
	if compiled.Program == nil || compiled.UsesOldSelf {
		return false
	}
	accesses, complete := celvalue.Accesses(rule)
	if !complete {
		return false
	}
	values, finite := valuesOf(node.Schema, accesses)
	if !finite {
		return false
	}
	for _, value := range values {
		variables := celrule.Bind(node, celrule.Target{Value: value}).Plain
		if result, _, err := compiled.Program.ContextEval(p.ctx, variables); err != nil || result != types.True {
			return false
		}
	}
	return true
}
