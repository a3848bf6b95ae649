package celrule

import (
	"crypto/sha256"
	"encoding/json"
	"hash"
	"maps"
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
)

// A schemaDigest identifies a schema and its subschemas by their content. It
// ignores titles and descriptions, which CEL does not see.
type schemaDigest struct {
	sum               [sha256.Size]byte
	items, additional *schemaDigest
	properties        map[string]*schemaDigest
}

func digestSchema(s *structuralschema.Structural) *schemaDigest {
	d := &schemaDigest{properties: map[string]*schemaDigest{}}
	h := sha256.New()
	own := *s
	own.Title, own.Description = "", ""
	own.Items, own.Properties, own.AdditionalProperties = nil, nil, nil
	_ = json.NewEncoder(h).Encode(own) // a schema decoded from JSON can be encoded
	if s.Items != nil {
		d.items = addDigest(h, "items", s.Items)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		d.additional = addDigest(h, "additionalProperties", s.AdditionalProperties.Structural)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		d.properties[name] = addDigest(h, "properties/"+name, &property)
	}
	h.Sum(d.sum[:0])
	return d
}

// addDigest returns the digest of a subschema and writes it to h.
func addDigest(h hash.Hash, name string, s *structuralschema.Structural) *schemaDigest {
	child := digestSchema(s)
	h.Write([]byte(name))
	h.Write([]byte{0})
	h.Write(child.sum[:])
	return child
}
