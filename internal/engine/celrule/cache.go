package celrule

import (
	"crypto/sha256"
	"encoding/json"
	"hash"
	"maps"
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/utils/lru"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
)

// cachedRuleNodes is how many schema nodes keep their rules compiled: those of
// the largest CRD that is edited, as it was at some keystrokes.
const cachedRuleNodes = 1024

// cachedValidators limits the schemas whose validators stay compiled.
const cachedValidators = 16

// Cache has the compiled rules of schema nodes, by all that they depend
// on. A keystroke changes one node and those above it; the versions of a CRD
// often have the same schema. It is safe for concurrent use.
type Compiler struct {
	nodes      *lru.Cache // of *nodeRules by ruleKey
	validators *lru.Cache // of *cel.Validator by validatorKey
}

func NewCompiler() *Compiler { return &Compiler{lru.New(cachedRuleNodes), lru.New(cachedValidators)} }

// ruleKey is all that the rules of a node depend on: the release whose CEL
// environment compiles them, the schema from the node down, and whether self
// has apiVersion, kind and metadata.
type ruleKey struct {
	release string
	schema  [sha256.Size]byte
	root    bool
}

// validatorKey is all that a cel.Validator depends on.
type validatorKey struct {
	release string
	schema  [sha256.Size]byte
}

// Compile compiles the rules of a schema for objects that are stored or about
// to be: into upstream's validator, which gives the verdict, and the same rules
// one by one. Both are nil if there are none.
func (c *Compiler) Compile(root *structuralschema.Structural, digest *Digest) (*cel.Validator, *Node) {
	key := validatorKey{environment.DefaultCompatibilityVersion().String(), digest.sum}
	declType := model.SchemaDeclType(root, true)
	if cached, ok := c.validators.Get(key); ok {
		validator := cached.(*cel.Validator)
		return validator, c.compileNode(root, digest, validator, declType, true, crdschema.Path{})
	}
	validator := cel.NewValidator(root, true, celconfig.PerCallLimit)
	node := c.compileNode(root, digest, validator, declType, true, crdschema.Path{})
	share(validator, node)
	c.validators.Add(key, validator)
	return validator, node
}

// fewNodes are compiled sooner one by one than with all others of a schema.
const fewNodes = 8

// CompileRules compiles the rules of a schema alone. Upstream's validator compiles
// all of them whatever changed, so that it is made only where much did: then it is
// what compile needs, too.
func (c *Compiler) CompileRules(root *structuralschema.Structural, digest *Digest) *Node {
	if c.unknownNodes(root, digest, true) > fewNodes {
		_, node := c.Compile(root, digest)
		return node
	}
	return c.compileNode(root, digest, nil, model.SchemaDeclType(root, true), true, crdschema.Path{})
}

// unknownNodes counts the nodes with rules that are not compiled.
func (c *Compiler) unknownNodes(s *structuralschema.Structural, digest *Digest, root bool) (count int) {
	if _, ok := c.nodes.Get(newRuleKey(digest, root)); !ok && len(s.XValidations) > 0 {
		count++
	}
	if s.Items != nil {
		count += c.unknownNodes(s.Items, digest.items, s.Items.XEmbeddedResource)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		value := s.AdditionalProperties.Structural
		count += c.unknownNodes(value, digest.additional, value.XEmbeddedResource)
	}
	for name, property := range s.Properties {
		count += c.unknownNodes(&property, digest.properties[name], property.XEmbeddedResource)
	}
	return count
}

func newRuleKey(digest *Digest, root bool) ruleKey {
	return ruleKey{environment.DefaultCompatibilityVersion().String(), digest.sum, root}
}

// get returns the compiled rules of a node, or compiles them.
func (c *Compiler) get(digest *Digest, root bool, compile func() *nodeRules) *nodeRules {
	key := newRuleKey(digest, root)
	if cached, ok := c.nodes.Get(key); ok {
		return cached.(*nodeRules)
	}
	compiled := compile()
	c.nodes.Add(key, compiled)
	return compiled
}

// Digest identifies a schema, and those below it, by what CEL sees of
// them.
type Digest struct {
	sum               [sha256.Size]byte
	items, additional *Digest
	properties        map[string]*Digest
}

func NewDigest(s *structuralschema.Structural) *Digest {
	d := &Digest{properties: map[string]*Digest{}}
	h := sha256.New()
	own := *s
	own.Title, own.Description = "", ""
	own.Items, own.Properties, own.AdditionalProperties = nil, nil, nil
	// What came out of JSON goes into it again.
	_ = json.NewEncoder(h).Encode(own)
	if s.Items != nil {
		d.items = d.add(h, "items", s.Items)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		d.additional = d.add(h, "additionalProperties", s.AdditionalProperties.Structural)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		d.properties[name] = d.add(h, "properties/"+name, &property)
	}
	h.Sum(d.sum[:0])
	return d
}

func (d *Digest) add(h hash.Hash, name string, s *structuralschema.Structural) *Digest {
	child := NewDigest(s)
	h.Write([]byte(name))
	h.Write([]byte{0})
	h.Write(child.sum[:])
	return child
}
