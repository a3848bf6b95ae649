package celrule

import (
	"crypto/sha256"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/utils/lru"
)

// The caches keep compiled rules between the keystrokes of an edit, which changes
// one schema node and its ancestors. The versions of a CRD often share a schema,
// too. BenchmarkCRDEdit in package engine measures both caches.
//
//	cache       key                                      entries
//	nodes       release, schema of the node, isRoot      1,024: the nodes of the largest CRD, at several keystrokes
//	validators  release, schema of the version           16: as many as the engine keeps CRDs
const (
	maxCachedNodes      = 1024
	maxCachedValidators = 16
)

type cache struct {
	nodes      *lru.Cache // of *nodeRules by nodeKey
	validators *lru.Cache // of *cel.Validator by validatorKey
}

func newCache() *cache {
	return &cache{nodes: lru.New(maxCachedNodes), validators: lru.New(maxCachedValidators)}
}

// A nodeKey identifies the compiled rules of a schema node.
type nodeKey struct {
	release string // whose CEL environment compiles the rules
	schema  [sha256.Size]byte
	// isRoot reports whether self has apiVersion, kind and metadata.
	isRoot bool
}

// A validatorKey identifies the compiled rules of a whole schema.
type validatorKey struct {
	release string
	schema  [sha256.Size]byte
}

func newNodeKey(digest *schemaDigest, isRoot bool) nodeKey {
	return nodeKey{emulatedRelease(), digest.sum, isRoot}
}

func newValidatorKey(digest *schemaDigest) validatorKey {
	return validatorKey{emulatedRelease(), digest.sum}
}

// emulatedRelease returns the release of the current CEL environment.
func emulatedRelease() string { return environment.DefaultCompatibilityVersion().String() }

// rules returns the compiled rules of a node. It calls compile if the cache lacks
// them.
func (c *cache) rules(digest *schemaDigest, isRoot bool, compile func() *nodeRules) *nodeRules {
	key := newNodeKey(digest, isRoot)
	if cached, ok := c.nodes.Get(key); ok {
		return cached.(*nodeRules)
	}
	compiled := compile()
	c.nodes.Add(key, compiled)
	return compiled
}

func (c *cache) hasRules(digest *schemaDigest, isRoot bool) bool {
	_, ok := c.nodes.Get(newNodeKey(digest, isRoot))
	return ok
}

func (c *cache) validator(digest *schemaDigest) (*cel.Validator, bool) {
	cached, ok := c.validators.Get(newValidatorKey(digest))
	if !ok {
		return nil, false
	}
	return cached.(*cel.Validator), true
}

func (c *cache) addValidator(digest *schemaDigest, validator *cel.Validator) {
	c.validators.Add(newValidatorKey(digest), validator)
}
