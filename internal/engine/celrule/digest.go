package celrule

import (
	"crypto/sha256"
	"encoding/json"
	"hash"
	"maps"
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
)

// A schemaDigest identifies a schema and its subschemas by their content. It
// ignores titles and descriptions, which CEL does not see.
type schemaDigest struct {
	sum               [sha256.Size]byte
	items, additional *schemaDigest
	properties        map[string]*schemaDigest
}

// digestSchema returns the digest of a schema node. It takes the digests of the nodes that are the same as in an earlier
// schema from that schema; before is nil if there is none.
func digestSchema(s *structuralschema.Structural, path crdschema.Path, before *schemaDigest, keeps func(crdschema.Path) bool) *schemaDigest {
	d := &schemaDigest{properties: map[string]*schemaDigest{}}
	if before == nil {
		before = &schemaDigest{}
	}
	h := sha256.New()
	own := *s
	own.Title, own.Description = "", ""
	own.Items, own.Properties, own.AdditionalProperties = nil, nil, nil
	_ = json.NewEncoder(h).Encode(own) // a schema decoded from JSON can be encoded
	if s.Items != nil {
		d.items = addDigest(h, "items", s.Items, path.Items(), before.items, keeps)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		d.additional = addDigest(h, "additionalProperties", s.AdditionalProperties.Structural, path.Additional(), before.additional, keeps)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		d.properties[name] = addDigest(h, "properties/"+name, &property, path.Property(name), before.properties[name], keeps)
	}
	h.Sum(d.sum[:0])
	return d
}

// addDigest returns the digest of a subschema and writes it to h.
func addDigest(h hash.Hash, name string, s *structuralschema.Structural, path crdschema.Path, before *schemaDigest, keeps func(crdschema.Path) bool) *schemaDigest {
	child := before
	if before == nil || !keeps(path) {
		child = digestSchema(s, path, before, keeps)
	}
	h.Write([]byte(name))
	h.Write([]byte{0})
	h.Write(child.sum[:])
	return child
}
