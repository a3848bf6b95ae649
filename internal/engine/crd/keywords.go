package crd

import (
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// keywordRange returns the range from the start of a schema to its first subschema.
func keywordRange(schema source.Location) playground.Range {
	at := schema.Key()
	at.End = schema.Value().End
	for _, name := range []string{"properties", "items", "additionalProperties"} {
		subschema, ok := schema.At(name)
		if !ok {
			continue
		}
		if start := subschema.Key().Start; start.Line > at.Start.Line && start.Line <= at.End.Line {
			at.End = playground.Position{Line: start.Line}
		}
	}
	return at
}
