package engine

import (
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// ruleNode is a schema node that has CEL rules, or is above one that has. The
// tree has the shape of upstream's cel.Validator, which evaluates the same
// rules but does not say which of them passed and at what cost.
type ruleNode struct {
	schema   *structuralschema.Structural
	declType *apiservercel.DeclType
	path     schemaPath
	// root says that self has apiVersion, kind and metadata: the root of an
	// object, or of an embedded one.
	root bool
	*nodeRules

	items      *ruleNode
	additional *ruleNode
	properties map[string]*ruleNode
}

// nodeRules are the compiled rules of a node, parallel to its XValidations.
type nodeRules struct {
	rules        []cel.CompilationResult
	requirements []requirement
	traced       []tracedRule
}

// compileNode describes a node of which upstream's validator is known; that is
// nil for a node without rules.
func (c *ruleCache) compileNode(s *structuralschema.Structural, digest *schemaDigest, validator *cel.Validator, declType *apiservercel.DeclType, root bool, path schemaPath) *ruleNode {
	if declType == nil || !hasRules(s) {
		return nil
	}
	if validator == nil {
		validator = &cel.Validator{}
	}
	node := &ruleNode{schema: s, declType: declType, path: path, root: root, properties: map[string]*ruleNode{}}
	node.nodeRules = c.get(digest, root, func() *nodeRules { return newNodeRules(s, declType, compiledRules(validator)) })
	if s.Items != nil {
		node.items = c.compileNode(s.Items, digest.items, validator.Items, declType.ElemType, s.Items.XEmbeddedResource, path.items())
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		value := s.AdditionalProperties.Structural
		node.additional = c.compileNode(value, digest.additional, validator.AdditionalProperties, declType.ElemType, value.XEmbeddedResource, path.additional())
	}
	for name, property := range s.Properties {
		fieldType, below := propertyType(declType, name, &property), validator.Properties[name]
		if child := c.compileNode(&property, digest.properties[name], &below, fieldType, property.XEmbeddedResource, path.property(name)); child != nil {
			node.properties[name] = child
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
	return &nodeRules{remembered(compiled), ruleRequirements(s, declType, compiled), make([]tracedRule, len(compiled))}
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
