package crd

import (
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/crdlab/crdlab/internal/engine/celrule"
)

// A RuleLocation is the location of a CEL rule in a CRD.
type RuleLocation struct {
	Version int      // index in spec.versions
	Path    []string // from the version's schema to the node of the rule
	Index   int      // in x-kubernetes-validations of the node
	// Root is the version's schema.
	Root *apiextensions.JSONSchemaProps
	Node *apiextensions.JSONSchemaProps
}

// RuleAt parses the document path of a rule's field, such as
// spec.versions[0].schema.openAPIV3Schema.x-kubernetes-validations[0].rule.
func (c *CRD) RuleAt(path []any) (rule RuleLocation, ok bool) {
	const before, after = 5, 3 // steps to the schema, and from x-kubernetes-validations
	if len(path) < before+after || c.Internal == nil {
		return rule, false
	}
	rule.Version, ok = path[2].(int)
	if !ok || path[1] != "versions" || rule.Version >= len(c.Internal.Spec.Versions) {
		return rule, false
	}
	if rule.Index, ok = path[len(path)-2].(int); !ok || path[len(path)-after] != "x-kubernetes-validations" {
		return rule, false
	}
	validation, err := apiextensions.GetSchemaForVersion(c.Internal, c.Internal.Spec.Versions[rule.Version].Name)
	if err != nil || validation == nil || validation.OpenAPIV3Schema == nil {
		return rule, false
	}
	for _, step := range path[before : len(path)-after] {
		name, isName := step.(string)
		if !isName {
			return rule, false
		}
		rule.Path = append(rule.Path, name)
	}
	rule.Root = validation.OpenAPIV3Schema
	rule.Node = SchemaAt(rule.Root, rule.Path)
	return rule, rule.Node != nil
}

// SchemaOf returns the schema of the version to which a document path leads, and the path below
// this schema. Without a schema or a CRD, root is nil.
func (c *CRD) SchemaOf(path []any) (root *apiextensions.JSONSchemaProps, below []string) {
	const before = 5 // steps to the schema
	if c == nil || c.Internal == nil || len(path) < before-2 || path[1] != "versions" {
		return nil, nil
	}
	version, ok := path[2].(int)
	if !ok || version >= len(c.Internal.Spec.Versions) {
		return nil, nil
	}
	root = c.VersionSchema(c.Internal.Spec.Versions[version].Name)
	for _, step := range path[min(before, len(path)):] {
		name, isName := step.(string)
		if !isName {
			return root, nil
		}
		below = append(below, name)
	}
	return root, below
}

// Compiles reports whether the rule compiles with another expression.
func (r RuleLocation) Compiles(expression string) bool {
	if r.Index >= len(r.Node.XValidations) {
		return false
	}
	rule := r.Node.XValidations[r.Index]
	rule.Rule = expression
	result, ok := CompileRule(r.Node, len(r.Path) == 0, rule)
	return ok && result.Error == nil
}

// FitsMessage reports whether the rule compiles with another message expression, whose estimated
// cost is within the limit.
func (r RuleLocation) FitsMessage(expression string) bool {
	rule := r.Node.XValidations[r.Index]
	rule.MessageExpression = expression
	result, ok := CompileRule(r.Node, len(r.Path) == 0, rule)
	return ok && result.MessageExpressionError == nil &&
		celrule.MultiplyCosts(result.MessageExpressionMaxCost, r.cardinality(r.Root, result.MaxCardinality)) <= RuleCostLimit
}

// cardinality returns how often the API server counts the rule in a schema. unbounded is the result
// without limits of the lists and maps around it.
func (r RuleLocation) cardinality(root *apiextensions.JSONSchemaProps, unbounded uint64) uint64 {
	if limit := CostContextAt(root, r.Path).MaxCardinality; limit != nil {
		return *limit
	}
	return unbounded
}

// EstimateCost estimates the cost of rules in a schema as the API server does.
// It returns the total cost and the cost of the most expensive rule.
func EstimateCost(root *apiextensions.JSONSchemaProps, rules []RuleLocation) (total, highest uint64) {
	for _, rule := range rules {
		node := SchemaAt(root, rule.Path)
		result, ok := CompileRule(node, len(rule.Path) == 0, node.XValidations[rule.Index])
		if !ok {
			continue
		}
		cost := celrule.MultiplyCosts(result.MaxCost, rule.cardinality(root, result.MaxCardinality))
		total, highest = celrule.AddCosts(total, cost), max(highest, cost)
	}
	return total, highest
}
