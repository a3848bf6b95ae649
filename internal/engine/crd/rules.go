package crd

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// reportRules adds the rules of all versions and their costs to the report, in the
// order of the document. It also reports the rules of a rejected CRD that compile,
// because the cost of rules may be the reason for the rejection.
func (r *Request) reportRules() {
	for i, v := range r.Internal.Spec.Versions {
		validation, err := apiextensions.GetSchemaForVersion(r.Internal, v.Name)
		if err != nil || validation == nil || validation.OpenAPIV3Schema == nil {
			continue
		}
		// Validation has reported a schema that upstream cannot compile.
		_ = upstream.Guard(playground.StageCRDServe, func() error {
			r.reportVersionRules(i, v.Name, validation.OpenAPIV3Schema)
			return nil
		})
	}
	slices.SortStableFunc(r.Report.Rules, func(a, b playground.Rule) int {
		return cmp.Or(
			cmp.Compare(a.Range.Start.Line, b.Range.Start.Line),
			cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
	})
}

func (r *Request) reportVersionRules(index int, version string, props *apiextensions.JSONSchemaProps) {
	rules := r.compileRules(index, version, props)
	if rules == nil {
		return
	}
	list := ruleList{crd: r.CRD, verdictOnly: r.verdictOnly, index: index, version: version, within: []playground.Repetition{}}
	list.walk(rules, props, NewCostContext(props))
	r.Report.Rules = append(r.Report.Rules, list.rules...)
	r.Report.EstimatedCost = max(r.Report.EstimatedCost, list.total)
}

func (r *Request) compileRules(index int, version string, props *apiextensions.JSONSchemaProps) *celrule.Node {
	compiled, earlier := r.Versions[version], (*celrule.Earlier)(nil)
	if compiled == nil {
		compiled, earlier = r.lastVersion(index)
	}
	if compiled != nil {
		return compiled.Rules
	}
	structural, err := structuralschema.NewStructural(props)
	if err != nil {
		return nil
	}
	return r.compiler.CompileRules(structural, earlier)
}

// ruleList collects the rules of one version.
type ruleList struct {
	crd *CRD
	// verdictOnly is as in the scenario.
	verdictOnly bool
	index       int // of the version in spec.versions
	version     string
	rules       []playground.Rule
	total       uint64
	// within holds the lists and maps that contain the current node.
	within []playground.Repetition
}

func (l *ruleList) walk(node *celrule.Node, props *apiextensions.JSONSchemaProps, cost *CostContext) {
	if node == nil || props == nil {
		return
	}
	for i := range node.Rules {
		l.add(node, i, cost)
	}
	if node.Items != nil && props.Items != nil {
		leave := l.enter(node, "maxItems", props.MaxItems)
		l.walk(node.Items, props.Items.Schema, cost.ChildItemsContext(props.Items.Schema))
		leave()
	}
	if node.Additional != nil && props.AdditionalProperties != nil {
		leave := l.enter(node, "maxProperties", props.MaxProperties)
		l.walk(node.Additional, props.AdditionalProperties.Schema, cost.ChildAdditionalPropertiesContext(props.AdditionalProperties.Schema))
		leave()
	}
	for _, name := range slices.Sorted(maps.Keys(node.Properties)) {
		child := props.Properties[name]
		l.walk(node.Properties[name], &child, cost.ChildPropertyContext(&child, name))
	}
}

// enter adds a list or map to within. The caller calls leave after its items.
func (l *ruleList) enter(node *celrule.Node, keyword string, limit *int64) (leave func()) {
	path := l.crd.SchemaPath(l.index, node.Path)
	at := l.crd.keyRange(path...)
	if limit != nil {
		at = l.crd.keyRange(append(path, keyword)...)
	}
	l.within = append(l.within, playground.Repetition{SchemaPath: node.Path.String(), SchemaSteps: node.Path.Steps(), Keyword: keyword, Max: limit, Range: at})
	return func() { l.within = l.within[:len(l.within)-1] }
}

func (l *ruleList) add(node *celrule.Node, i int, cost *CostContext) {
	rule, compiled := node.Schema.XValidations[i], node.Rules[i]
	cardinality := compiled.MaxCardinality
	if cost.MaxCardinality != nil {
		cardinality = *cost.MaxCardinality
	}
	out := playground.Rule{
		ID:                node.RuleID(l.version, i),
		Version:           l.version,
		SchemaPath:        node.Path.String(),
		SchemaSteps:       node.Path.Steps(),
		Rule:              rule.Rule,
		Message:           rule.Message,
		MessageExpression: rule.MessageExpression,
		Reason:            string(ptr.Deref(rule.Reason, "")),
		FieldPath:         rule.FieldPath,
		UsesOldSelf:       compiled.UsesOldSelf,
		ExpressionCost:    compiled.MaxCost,
		EstimatedCost:     celrule.MultiplyCosts(compiled.MaxCost, cardinality),
		Cardinality:       cardinality,
		Unbounded:         cost.MaxCardinality == nil,
		Within:            slices.Clone(l.within),
		CostLimit:         RuleCostLimit,
		Range:             l.crd.valueRange(l.crd.RulePath(l.index, node, i, "rule")...),
	}
	if !l.verdictOnly {
		if r := node.Requirements()[i]; r.Minor > 0 {
			out.MinKubernetes, out.Needs = release.Name(r.Minor), r.Needs
		}
	}
	if compiled.Error != nil {
		out.Error = upstream.Repeatable(compiled.Error.Detail)
	}
	l.rules = append(l.rules, out)
	l.total = celrule.AddCosts(l.total, out.EstimatedCost)
	l.total = celrule.AddCosts(l.total, compiled.MessageExpressionMaxCost)
}
