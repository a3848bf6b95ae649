package engine

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// reportRules lists the rules of all versions with their costs, in the order
// of the text. A schema that is refused shows its rules too, as far as they
// can be compiled: their cost may be why it is refused.
func (r *crdRequest) reportRules() {
	if len(r.report.Rules) > 0 {
		return // a preliminary answer has needed them before
	}
	for i, v := range r.internal.Spec.Versions {
		validation, err := apiextensions.GetSchemaForVersion(r.internal, v.Name)
		if err != nil || validation == nil || validation.OpenAPIV3Schema == nil {
			continue
		}
		// A schema that upstream cannot compile has been refused with its own
		// errors; that its rules cannot be listed is no further news.
		_ = upstream.Guard(playground.StageCRDServe, func() error {
			r.reportVersionRules(i, v.Name, validation.OpenAPIV3Schema)
			return nil
		})
	}
	slices.SortStableFunc(r.report.Rules, func(a, b playground.Rule) int {
		return cmp.Or(
			cmp.Compare(a.Range.Start.Line, b.Range.Start.Line),
			cmp.Compare(a.Range.Start.Character, b.Range.Start.Character))
	})
}

func (r *crdRequest) reportVersionRules(index int, version string, props *apiextensions.JSONSchemaProps) {
	rules := r.compiledRules(version, props)
	if rules == nil {
		return
	}
	list := ruleList{crd: r.crd, index: index, version: version, within: []playground.Repetition{}}
	list.walk(rules, props, newCostContext(props))
	r.report.Rules = append(r.report.Rules, list.rules...)
	r.report.EstimatedCost = max(r.report.EstimatedCost, list.total)
}

func (r *crdRequest) compiledRules(version string, props *apiextensions.JSONSchemaProps) *ruleNode {
	if compiled, ok := r.versions[version]; ok {
		return compiled.rules
	}
	structural, err := structuralschema.NewStructural(props)
	if err != nil {
		return nil
	}
	return r.compiler.compileRules(structural, newSchemaDigest(structural))
}

// ruleList collects the rules of one version.
type ruleList struct {
	crd     *crd
	index   int // of the version in spec.versions
	version string
	rules   []playground.Rule
	total   uint64
	// within are the lists and maps that the node being walked is below.
	within []playground.Repetition
}

func (l *ruleList) walk(node *ruleNode, props *apiextensions.JSONSchemaProps, cost *costContext) {
	if node == nil || props == nil {
		return
	}
	for i := range node.rules {
		l.add(node, i, cost)
	}
	if node.items != nil && props.Items != nil {
		leave := l.enter(node, "maxItems", props.MaxItems)
		l.walk(node.items, props.Items.Schema, cost.ChildItemsContext(props.Items.Schema))
		leave()
	}
	if node.additional != nil && props.AdditionalProperties != nil {
		leave := l.enter(node, "maxProperties", props.MaxProperties)
		l.walk(node.additional, props.AdditionalProperties.Schema, cost.ChildAdditionalPropertiesContext(props.AdditionalProperties.Schema))
		leave()
	}
	for _, name := range sortedKeys(node.properties) {
		child := props.Properties[name]
		l.walk(node.properties[name], &child, cost.ChildPropertyContext(&child, name))
	}
}

// enter notes the list or map whose items are walked next, until it is left.
func (l *ruleList) enter(node *ruleNode, keyword string, limit *int64) (leave func()) {
	path := l.crd.schemaPath(l.index, node.path)
	at := l.crd.keyRange(path...)
	if limit != nil {
		at = l.crd.keyRange(append(path, keyword)...)
	}
	l.within = append(l.within, playground.Repetition{SchemaPath: node.path.String(), Keyword: keyword, Max: limit, Range: at})
	return func() { l.within = l.within[:len(l.within)-1] }
}

func (l *ruleList) add(node *ruleNode, i int, cost *costContext) {
	rule, compiled := node.schema.XValidations[i], node.rules[i]
	cardinality := compiled.MaxCardinality
	if cost.MaxCardinality != nil {
		cardinality = *cost.MaxCardinality
	}
	out := playground.Rule{
		ID:                ruleID(l.version, node, i),
		Version:           l.version,
		SchemaPath:        node.path.String(),
		Rule:              rule.Rule,
		Message:           rule.Message,
		MessageExpression: rule.MessageExpression,
		Reason:            string(ptr.Deref(rule.Reason, "")),
		FieldPath:         rule.FieldPath,
		UsesOldSelf:       compiled.UsesOldSelf,
		ExpressionCost:    compiled.MaxCost,
		EstimatedCost:     saturatingProduct(compiled.MaxCost, cardinality),
		Cardinality:       cardinality,
		Unbounded:         cost.MaxCardinality == nil,
		Within:            slices.Clone(l.within),
		CostLimit:         ruleCostLimit,
		Range:             l.crd.valueRange(l.crd.rulePath(l.index, node, i)...),
	}
	if r := node.requirements[i]; r.minor > 0 {
		out.MinKubernetes, out.Needs = releaseName(r.minor), r.what
	}
	if compiled.Error != nil {
		out.Error = upstream.Repeatable(compiled.Error.Detail)
	}
	l.rules = append(l.rules, out)
	l.total = saturatingSum(l.total, out.EstimatedCost)
	l.total = saturatingSum(l.total, compiled.MessageExpressionMaxCost)
}

// ruleID identifies rule i of a node within a report.
func ruleID(version string, node *ruleNode, i int) string {
	return fmt.Sprintf("%s/%s#%d", version, node.path, i)
}

func saturatingProduct(a, b uint64) uint64 {
	if a != 0 && math.MaxUint64/a < b {
		return math.MaxUint64
	}
	return a * b
}

func saturatingSum(a, b uint64) uint64 {
	if math.MaxUint64-a < b {
		return math.MaxUint64
	}
	return a + b
}
