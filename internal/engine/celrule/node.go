package celrule

import (
	"fmt"
	"slices"
	"sync"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
)

// A Node is a schema node that has CEL rules or a descendant with rules. The tree
// has the shape of upstream's cel.Validator. The validator evaluates the same rules
// but reports neither the rules that passed nor their cost.
type Node struct {
	Schema   *structuralschema.Structural
	DeclType *apiservercel.DeclType
	Path     crdschema.Path
	// Root marks the root of an object or of an embedded object: self then has
	// apiVersion, kind and metadata.
	Root bool
	*nodeRules
	digest *schemaDigest

	Items      *Node
	Additional *Node
	Properties map[string]*Node
}

// nodeRules holds the compiled rules of a node, parallel to its XValidations.
type nodeRules struct {
	Rules []cel.CompilationResult
	// Requirements returns the requirement of each rule. It compiles them for older releases.
	Requirements func() []Requirement
	traced       []tracedRule
}

// compileNode compiles s and its descendants. It reuses the compiled rules of
// validator, which may be nil. It returns nil for a node without rules.
func (c *Compiler) compileNode(s *structuralschema.Structural, digest *schemaDigest, validator *cel.Validator, declType *apiservercel.DeclType, root bool, path crdschema.Path) *Node {
	if declType == nil || !hasRules(s) {
		return nil
	}
	if validator == nil {
		validator = &cel.Validator{}
	}
	node := &Node{Schema: s, DeclType: declType, Path: path, Root: root, digest: digest, Properties: map[string]*Node{}}
	node.nodeRules = c.cache.rules(digest, root, func() *nodeRules { return newNodeRules(s, declType, compiledRules(validator)) })
	if s.Items != nil {
		node.Items = c.compileNode(s.Items, digest.items, validator.Items, declType.ElemType, s.Items.XEmbeddedResource, path.Items())
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		value := s.AdditionalProperties.Structural
		node.Additional = c.compileNode(value, digest.additional, validator.AdditionalProperties, declType.ElemType, value.XEmbeddedResource, path.Additional())
	}
	for name, property := range s.Properties {
		fieldType, below := propertyType(declType, name, &property), validator.Properties[name]
		if child := c.compileNode(&property, digest.properties[name], &below, fieldType, property.XEmbeddedResource, path.Property(name)); child != nil {
			node.Properties[name] = child
		}
	}
	return node
}

// newNodeRules returns the rules of a node. It compiles them if upstream's validator
// has not.
func newNodeRules(s *structuralschema.Structural, declType *apiservercel.DeclType, compiled []cel.CompilationResult) *nodeRules {
	if len(compiled) != len(s.XValidations) {
		// Compile fails only if CEL does not support the type, which the API server's
		// validation reports.
		compiled, _ = cel.Compile(s, declType, celconfig.PerCallLimit,
			environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), cel.StoredExpressionsEnvLoader())
	}
	requirements := sync.OnceValue(func() []Requirement { return findRequirements(s, declType, compiled) })
	return &nodeRules{memoizeRules(compiled), requirements, make([]tracedRule, len(compiled))}
}

// propertyType returns the CEL type of a property, or nil if CEL cannot access the
// property.
func propertyType(parent *apiservercel.DeclType, name string, property *structuralschema.Structural) *apiservercel.DeclType {
	escaped, ok := apiservercel.Escape(name)
	if !ok {
		return model.SchemaDeclType(property, property.XEmbeddedResource)
	}
	if field, ok := parent.Fields[escaped]; ok {
		return field.Type
	}
	return nil
}

// hasRules reports whether s or one of its subschemas has rules.
func hasRules(s *structuralschema.Structural) bool {
	if s == nil {
		return false
	}
	if len(s.XValidations) > 0 || hasRules(s.Items) {
		return true
	}
	if s.AdditionalProperties != nil && hasRules(s.AdditionalProperties.Structural) {
		return true
	}
	for _, property := range s.Properties {
		if hasRules(&property) {
			return true
		}
	}
	return false
}

// RuleID returns the ID of rule i of a version's node, which is unique in a report.
func (n *Node) RuleID(version string, i int) string {
	return fmt.Sprintf("%s/%s#%d", version, n.Path, i)
}

// Child returns the node of a member or an item, without its rules. It returns nil
// if CEL cannot access the value.
func (n *Node) Child(step any) *Node {
	schema := n.Schema
	if n.Root {
		schema = model.WithTypeAndObjectMeta(schema)
	}
	below, path := crdschema.NodeAt(schema, []any{step})
	if below == nil {
		return nil
	}
	node := &Node{Schema: below, Path: slices.Concat(n.Path, path), Root: below.XEmbeddedResource}
	name, isKey := step.(string)
	if _, isProperty := schema.Properties[name]; isKey && isProperty {
		node.DeclType = propertyType(n.DeclType, name, below)
	} else {
		node.DeclType = n.DeclType.ElemType
	}
	if node.DeclType == nil {
		return nil
	}
	return node
}
