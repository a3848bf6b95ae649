// Package celrule compiles and evaluates the CEL rules of a CRD
// (x-kubernetes-validations). Upstream's cel.Validator decides whether an object
// is valid. This package adds the result, cost and trace of each single rule, and
// the oldest Kubernetes release that accepts it.
package celrule

import (
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
)

// A Compiler compiles rules and caches the results. It is safe for concurrent use.
type Compiler struct{ cache *cache }

// NewCompiler returns a compiler with empty caches.
func NewCompiler() *Compiler { return &Compiler{newCache()} }

// Compile compiles the rules of a schema for objects that are stored or about to
// be stored. It returns upstream's validator and the tree of the same rules, or
// nil and nil if the schema has no rules. It takes what it can from an earlier schema, which may be nil.
func (c *Compiler) Compile(root *structuralschema.Structural, earlier *Earlier) (*cel.Validator, *Node) {
	if !hasRules(root) {
		return nil, nil
	}
	return c.compile(root, earlier.digest(root), earlier)
}

func (c *Compiler) compile(root *structuralschema.Structural, digest *schemaDigest, earlier *Earlier) (*cel.Validator, *Node) {
	if validator, ok := c.cache.validator(digest); ok {
		return validator, c.compileTree(root, digest, validator)
	}
	validator, ok := earlier.adopt(root)
	if !ok {
		validator = cel.NewValidator(root, true, celconfig.PerCallLimit)
	}
	node := c.compileTree(root, digest, validator)
	memoizeValidator(validator, node)
	c.cache.addValidator(digest, validator)
	return validator, node
}

// maxNewRules limits the rules that [Compiler.CompileRules] compiles without upstream's
// validator.
const maxNewRules = 16

// CompileRules compiles only the tree of rules. Creating upstream's validator would compile the rules of all nodes again,
// even if the edit changed a single node. If the edit changed several nodes, CompileRules
// creates the validator anyway, because a later call of Compile needs it, too. earlier may be nil.
func (c *Compiler) CompileRules(root *structuralschema.Structural, earlier *Earlier) *Node {
	if !hasRules(root) {
		return nil
	}
	digest := earlier.digest(root)
	if c.countNewRules(root, digest, true) > maxNewRules {
		_, node := c.compile(root, digest, earlier)
		return node
	}
	return c.compileTree(root, digest, nil)
}

func (c *Compiler) compileTree(root *structuralschema.Structural, digest *schemaDigest, validator *cel.Validator) *Node {
	return c.compileNode(root, digest, validator, model.SchemaDeclType(root, true), true, crdschema.Path{})
}

// countNewRules counts the rules of nodes that are not in the cache.
func (c *Compiler) countNewRules(s *structuralschema.Structural, digest *schemaDigest, root bool) (count int) {
	if len(s.XValidations) > 0 && !c.cache.hasRules(digest, root) {
		count += len(s.XValidations)
	}
	if s.Items != nil {
		count += c.countNewRules(s.Items, digest.items, s.Items.XEmbeddedResource)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		value := s.AdditionalProperties.Structural
		count += c.countNewRules(value, digest.additional, value.XEmbeddedResource)
	}
	for name, property := range s.Properties {
		count += c.countNewRules(&property, digest.properties[name], property.XEmbeddedResource)
	}
	return count
}
