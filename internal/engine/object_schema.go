package engine

import (
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// reportSchema tells which nodes of the schema the object has values of: of the
// object as stored, or else as it was validated.
func (r *request) reportSchema() {
	version, object := r.version, r.object
	if r.stored != nil {
		version, object = r.crd.storage, r.stored
	}
	if object == nil || version == nil || version.schema == nil {
		return
	}
	location, ok := r.crd.doc.At(r.crd.schemaPath(version.index, nil)...)
	if !ok {
		location, ok = r.crd.doc.At("spec", "validation", "openAPIV3Schema") // v1beta1
	}
	if ok {
		list := schemaPlaces{crd: r.crd, version: version.index}
		list.walk(version.schema, schemaPath{}, location, []any{object.Object})
		r.report.Schema = list.places
	}
}

// schemaPlaces lists the nodes of a version's schema that there are values of,
// each once.
type schemaPlaces struct {
	crd     *crd
	version int // in spec.versions
	places  []playground.SchemaPlace
}

// walk lists the node at a location of the CRD, which is the schema of all the
// values, and those below it.
func (l *schemaPlaces) walk(schema *structuralschema.Structural, path schemaPath, at source.Location, values []any) {
	text := path.String()
	l.places = append(l.places, playground.SchemaPlace{Path: text, Range: l.crd.keywordsOf(schemaNode{l.version, text}, at)})
	if schema.Items != nil {
		l.step(schema.Items, path.items(), at, []any{"items"}, items(values))
	}
	rest := []any{}
	members := membersByName(values)
	for _, name := range sortedKeys(members) {
		property, ok := schema.Properties[name]
		if !ok {
			rest = append(rest, members[name]...)
			continue
		}
		l.step(&property, path.property(name), at, []any{"properties", name}, members[name])
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Structural != nil {
		l.step(schema.AdditionalProperties.Structural, path.additional(), at, []any{"additionalProperties"}, rest)
	}
}

func (l *schemaPlaces) step(schema *structuralschema.Structural, path schemaPath, at source.Location, steps, values []any) {
	below, ok := at.At(steps...)
	if ok && len(values) > 0 {
		l.walk(schema, path, below, values)
	}
}

// schemaNode is a node of the schema of a version.
type schemaNode struct {
	version int // in spec.versions
	path    string
}

// keywordsOf is where the keywords of a node stand, which is at a location. To find
// the columns takes longer than much of what an object is judged by.
func (c *crd) keywordsOf(node schemaNode, at source.Location) playground.Range {
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

func items(values []any) []any {
	var all []any
	for _, value := range values {
		list, _ := value.([]any)
		all = append(all, list...)
	}
	return all
}

func membersByName(values []any) map[string][]any {
	members := map[string][]any{}
	for _, value := range values {
		mapping, _ := value.(map[string]any)
		for name, member := range mapping {
			members[name] = append(members[name], member)
		}
	}
	return members
}
