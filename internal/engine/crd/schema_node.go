package crd

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdlab/crdlab/internal/playground"
)

// SchemaAt returns the node at a path below root, or nil if there is no such
// node. Each step of the path is "items", "additionalProperties", or
// "properties" followed by a name.
func SchemaAt(root *apiextensions.JSONSchemaProps, path []string) *apiextensions.JSONSchemaProps {
	for len(path) > 0 && root != nil {
		root, path = childSchema(root, path)
	}
	return root
}

// childSchema returns the node after the first step of path, and the remaining
// path. The node of a property is a copy.
func childSchema(node *apiextensions.JSONSchemaProps, path []string) (child *apiextensions.JSONSchemaProps, rest []string) {
	switch {
	case path[0] == "items" && node.Items != nil:
		return node.Items.Schema, path[1:]
	case path[0] == "additionalProperties" && node.AdditionalProperties != nil:
		return node.AdditionalProperties.Schema, path[1:]
	case path[0] == "properties" && len(path) > 1:
		if property, ok := node.Properties[path[1]]; ok {
			return &property, path[2:]
		}
	}
	return nil, nil
}

// UpdateSchemaAt applies update to the node at a path below root, in place. It
// does nothing if there is no such node.
func UpdateSchemaAt(root *apiextensions.JSONSchemaProps, path []string, update func(*apiextensions.JSONSchemaProps)) {
	if len(path) == 0 {
		update(root)
		return
	}
	child, rest := childSchema(root, path)
	if child == nil {
		return
	}
	UpdateSchemaAt(child, rest, update)
	if path[0] == "properties" {
		root.Properties[path[1]] = *child
	}
}

// CostContextAt returns the cost context of the node at a path below root. The
// node must exist.
func CostContextAt(root *apiextensions.JSONSchemaProps, path []string) *CostContext {
	context := NewCostContext(root)
	for node := root; len(path) > 0; {
		child, rest := childSchema(node, path)
		switch path[0] {
		case "items":
			context = context.ChildItemsContext(child)
		case "additionalProperties":
			context = context.ChildAdditionalPropertiesContext(child)
		default:
			context = context.ChildPropertyContext(child, path[1])
		}
		node, path = child, rest
	}
	return context
}

// CompileRule compiles a rule as if it were the only rule of the schema node.
// ok is false if the node itself is invalid.
func CompileRule(node *apiextensions.JSONSchemaProps, isRoot bool, rule apiextensions.ValidationRule) (result cel.CompilationResult, ok bool) {
	return compileRuleFor(environment.DefaultCompatibilityVersion(), node, isRoot, rule)
}

// LaterRelease returns the first release after the emulated one in which a rule compiles, such as
// "1.32", or an empty string. A release accepts in new rules what its predecessor knows.
func LaterRelease(node *apiextensions.JSONSchemaProps, isRoot bool, rule apiextensions.ValidationRule) string {
	for known := environment.DefaultCompatibilityVersion().AddMinor(1); known.LessThan(version.MajorMinor(1, playground.NewestMinor)); known = known.AddMinor(1) {
		if result, ok := compileRuleFor(known, node, isRoot, rule); ok && result.Error == nil {
			next := known.AddMinor(1)
			return fmt.Sprintf("%d.%d", next.Major(), next.Minor())
		}
	}
	return ""
}

// compileRuleFor is [CompileRule] with the libraries of a version.
func compileRuleFor(compatibility *version.Version, node *apiextensions.JSONSchemaProps, isRoot bool, rule apiextensions.ValidationRule) (result cel.CompilationResult, ok bool) {
	withRule := *node
	withRule.XValidations = apiextensions.ValidationRules{rule}
	structural, err := structuralschema.NewStructural(&withRule)
	if err != nil {
		return cel.CompilationResult{}, false
	}
	declType := model.SchemaDeclType(structural, isRoot || structural.XEmbeddedResource)
	if declType == nil {
		return cel.CompilationResult{}, false
	}
	results, err := cel.Compile(structural, declType, celconfig.PerCallLimit,
		environment.MustBaseEnvSet(compatibility), cel.NewExpressionsEnvLoader())
	if err != nil || len(results) != 1 {
		return cel.CompilationResult{}, false
	}
	return results[0], true
}
