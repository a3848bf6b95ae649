package crd

import (
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// A schemaNode identifies a schema node of a version.
type schemaNode struct {
	version int // index in spec.versions
	path    string
}

// KeywordRange returns the range of the keywords of a schema node, without its
// subschemas. version is an index in spec.versions; path is the node's path; at is
// its location. The result is cached, because computing the columns of a range
// dominates the evaluation of a small object.
func (c *CRD) KeywordRange(version int, path string, at source.Location) playground.Range {
	node := schemaNode{version, path}
	if known, ok := c.keywords.Load(node); ok {
		return known.(playground.Range)
	}
	found := ownKeywords(at)
	c.keywords.Store(node, found)
	return found
}

// ownKeywords is where a schema stands up to the first schema below it.
func ownKeywords(schema source.Location) playground.Range {
	at := schema.Key()
	at.End = schema.Value().End
	for _, name := range []string{"properties", "items", "additionalProperties"} {
		below, ok := schema.At(name)
		if !ok {
			continue
		}
		if start := below.Key().Start; start.Line > at.Start.Line && start.Line <= at.End.Line {
			at.End = playground.Position{Line: start.Line}
		}
	}
	return at
}
