package crd

import (
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// SchemaNode is a node of the schema of a version.
type SchemaNode struct {
	Version int // in spec.versions
	Path    string
}

// KeywordsOf is where the keywords of a node stand, which is at a location. To find
// the columns takes longer than much of what an object is judged by.
func (c *CRD) KeywordRange(node SchemaNode, at source.Location) playground.Range {
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
