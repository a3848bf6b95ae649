package celrule

import (
	"fmt"
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
)

// Node is a schema node that has CEL rules, or is above one that has. The
// tree has the shape of upstream's cel.Validator, which evaluates the same
// rules but does not say which of them passed and at what cost.
type Node struct {
	Schema   *structuralschema.Structural
	DeclType *apiservercel.DeclType
	Path     crdschema.Path
	// Root says that self has apiVersion, kind and metadata: the root of an
	// object, or of an embedded one.
	Root bool
	*nodeRules

	Items      *Node
	Additional *Node
	Properties map[string]*Node
}

// nodeRules are the compiled rules of a node, parallel to its XValidations.
type nodeRules struct {
	Rules        []cel.CompilationResult
	Requirements []Requirement
	traced       []tracedRule
}

// compileNode describes a node of which upstream's validator is known; that is
// nil for a node without rules.
func (c *Compiler) compileNode(s *structuralschema.Structural, digest *Digest, validator *cel.Validator, declType *apiservercel.DeclType, root bool, path crdschema.Path) *Node {
	if declType == nil || !HasRules(s) {
		return nil
	}
	if validator == nil {
		validator = &cel.Validator{}
	}
	node := &Node{Schema: s, DeclType: declType, Path: path, Root: root, Properties: map[string]*Node{}}
	node.nodeRules = c.get(digest, root, func() *nodeRules { return newNodeRules(s, declType, compiledRules(validator)) })
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

// newNodeRules are the rules of a node as upstream's validator has compiled
// them; otherwise they are compiled.
func newNodeRules(s *structuralschema.Structural, declType *apiservercel.DeclType, compiled []cel.CompilationResult) *nodeRules {
	if len(compiled) != len(s.XValidations) {
		// Compile fails as a whole only if the type is unusable; then the API
		// server's own validator reports it.
		compiled, _ = cel.Compile(s, declType, celconfig.PerCallLimit,
			environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), cel.StoredExpressionsEnvLoader())
	}
	return &nodeRules{memoized(compiled), ruleRequirements(s, declType, compiled), make([]tracedRule, len(compiled))}
}

// propertyType is the CEL type of a property, or nil if the property is
// hidden from CEL.
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

func HasRules(s *structuralschema.Structural) bool {
	if s == nil {
		return false
	}
	if len(s.XValidations) > 0 || HasRules(s.Items) {
		return true
	}
	if s.AdditionalProperties != nil && HasRules(s.AdditionalProperties.Structural) {
		return true
	}
	for _, property := range s.Properties {
		if HasRules(&property) {
			return true
		}
	}
	return false
}

// ID identifies rule i of a node within a report.
func ID(version string, node *Node, i int) string {
	return fmt.Sprintf("%s/%s#%d", version, node.Path, i)
}

// Child is the node of a member or an item, of which CEL knows; else nil.
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
