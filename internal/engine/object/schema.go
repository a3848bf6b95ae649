package object

import (
	"maps"
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// locateSchema returns the schema nodes for which an object has values. It returns
// an empty list if the object or the schema is nil.
func locateSchema(c *crd.CRD, version *crd.Version, object *unstructured.Unstructured) []playground.SchemaPlace {
	if object == nil || version == nil || version.Schema == nil {
		return []playground.SchemaPlace{}
	}
	location, ok := c.Doc.At(c.SchemaPath(version.Index, nil)...)
	if !ok {
		return []playground.SchemaPlace{}
	}
	list := schemaPlaces{crd: c, version: version.Index}
	list.walk(version.Schema, crdschema.Path{}, location, []any{object.Object})
	return list.places
}

// schemaPlaces lists the nodes of a version's schema without duplicates.
type schemaPlaces struct {
	crd     *crd.CRD
	version int // in spec.versions
	places  []playground.SchemaPlace
}

// walk lists a node and the nodes below it that have values. at is the location of the
// node in the CRD; values are all values that the node describes.
func (l *schemaPlaces) walk(schema *structuralschema.Structural, path crdschema.Path, at source.Location, values []any) {
	name := path.String()
	l.places = append(l.places, playground.SchemaPlace{Path: name, Range: l.crd.KeywordRange(l.version, name, at)})
	if schema.Items != nil {
		l.step(schema.Items, path.Items(), at, []any{"items"}, items(values))
	}
	rest := []any{}
	members := membersByName(values)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		property, ok := schema.Properties[name]
		if !ok {
			rest = append(rest, members[name]...)
			continue
		}
		l.step(&property, path.Property(name), at, []any{"properties", name}, members[name])
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Structural != nil {
		l.step(schema.AdditionalProperties.Structural, path.Additional(), at, []any{"additionalProperties"}, rest)
	}
}

func (l *schemaPlaces) step(schema *structuralschema.Structural, path crdschema.Path, at source.Location, steps, values []any) {
	below, ok := at.At(steps...)
	if ok && len(values) > 0 {
		l.walk(schema, path, below, values)
	}
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
