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

// compile compiles the rules of a schema for objects that are stored or about
// to be. It returns nil if there are none.
func (c *ruleCache) compile(root *structuralschema.Structural, digest *schemaDigest) *ruleNode {
	return c.compileNode(root, digest, model.SchemaDeclType(root, true), true, schemaPath{})
}

func (c *ruleCache) compileNode(s *structuralschema.Structural, digest *schemaDigest, declType *apiservercel.DeclType, root bool, path schemaPath) *ruleNode {
	if declType == nil || !hasRules(s) {
		return nil
	}
	node := &ruleNode{schema: s, declType: declType, path: path, root: root, properties: map[string]*ruleNode{}}
	node.nodeRules = c.get(digest, root, func() *nodeRules { return compileNodeRules(s, declType) })
	if s.Items != nil {
		node.items = c.compileNode(s.Items, digest.items, declType.ElemType, s.Items.XEmbeddedResource, path.items())
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		value := s.AdditionalProperties.Structural
		node.additional = c.compileNode(value, digest.additional, declType.ElemType, value.XEmbeddedResource, path.additional())
	}
	for name, property := range s.Properties {
		fieldType := propertyType(declType, name, &property)
		if child := c.compileNode(&property, digest.properties[name], fieldType, property.XEmbeddedResource, path.property(name)); child != nil {
			node.properties[name] = child
		}
	}
	return node
}

func compileNodeRules(s *structuralschema.Structural, declType *apiservercel.DeclType) *nodeRules {
	// Compile fails as a whole only if the type is unusable; then the API
	// server's own validator reports it.
	rules, _ := cel.Compile(s, declType, celconfig.PerCallLimit,
		environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), cel.StoredExpressionsEnvLoader())
	return &nodeRules{remembered(rules), ruleRequirements(s, declType, rules), make([]tracedRule, len(rules))}
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
