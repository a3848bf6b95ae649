package crd

import (
	"sync"

	"k8s.io/apimachinery/pkg/util/managedfields"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/openapi"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// derived caches values that only some requests for a CRD need. They live as long as
// the CRD, which the engine caches.
//
//	value      key          entries                                benchmark
//	published  -            1                                      -
//	kinds      -            1                                      -
//	keywords   schema node  the nodes with values in an object     BenchmarkObjectEdit
//	applied    -            1                                      -
//
// A [Version] has a further cache: idle table convertors (BenchmarkObjectEdit). For the last CRD, see [decodedCRD].
type derived struct {
	published struct {
		sync.Once
		schemas []playground.Schema
		err     error
	}
	kinds struct {
		sync.Once
		byVersion map[string]*crdschema.Kind
	}
	keywords sync.Map // of playground.Range by schemaNode
	// applied is built for the first object, because building it needs as much time as the rest of the CRD. CRDs that differ
	// only in the wording of descriptions share it.
	applied *appliedTypes
}

// appliedTypes are the types for merging objects.
type appliedTypes struct {
	sync.Once
	types managedfields.TypeConverter
	err   error
}

// PublishedSchemas returns the OpenAPI schemas that a cluster publishes for the
// served versions, the preferred version first. A rejected CRD has no schemas.
func (c *CRD) PublishedSchemas() ([]playground.Schema, error) {
	published := &c.derived.published
	published.Do(func() { published.schemas, published.err = c.publish() })
	return published.schemas, published.err
}

// ApplyTypes returns the types for merging objects of an accepted CRD in server-side
// apply.
func (c *CRD) ApplyTypes() (managedfields.TypeConverter, error) {
	applied := c.derived.applied
	if applied == nil {
		return openapi.ApplyTypes(c.V1)
	}
	applied.Do(func() { applied.types, applied.err = openapi.ApplyTypes(c.V1) })
	return applied.types, applied.err
}

// kindsByVersion returns the kinds of the CRD's objects by version. All calls must pass
// the same types.
func (c *CRD) kindsByVersion(types *crdschema.Types) map[string]*crdschema.Kind {
	kinds := &c.derived.kinds
	kinds.Do(func() { kinds.byVersion = c.buildKinds(types) })
	return kinds.byVersion
}

// A schemaNode identifies a schema node of a version.
type schemaNode struct {
	version int // index in spec.versions
	path    string
}

// KeywordRange returns the range of the keywords of a schema node, without its
// subschemas. version is an index in spec.versions; at is the location of the node.
func (c *CRD) KeywordRange(version int, path string, at source.Location) playground.Range {
	node := schemaNode{version, path}
	if known, ok := c.derived.keywords.Load(node); ok {
		return known.(playground.Range)
	}
	found := keywordRange(at)
	c.derived.keywords.Store(node, found)
	return found
}
