package object

import (
	"maps"
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// reportSchema tells which nodes of the schema the object has values of: of the
// object as stored, or else as it was validated.
func (r *Request) reportSchema() {
	version, object := r.Version, r.Object
	if r.stored != nil {
		version, object = r.crd.Storage, r.stored
	}
	if object == nil || version == nil || version.Schema == nil {
		return
	}
	location, ok := r.crd.Doc.At(r.crd.SchemaPath(version.Index, nil)...)
	if !ok {
		location, ok = r.crd.Doc.At("spec", "validation", "openAPIV3Schema") // v1beta1
	}
	if ok {
		list := schemaPlaces{crd: r.crd, version: version.Index}
		list.walk(version.Schema, crdschema.Path{}, location, []any{object.Object})
		r.Report.Schema = list.places
	}
}

// schemaPlaces lists the nodes of a version's schema that there are values of,
// each once.
type schemaPlaces struct {
	crd     *crd.CRD
	version int // in spec.versions
	places  []playground.SchemaPlace
}

// walk lists the node at a location of the CRD, which is the schema of all the
// values, and those below it.
func (l *schemaPlaces) walk(schema *structuralschema.Structural, path crdschema.Path, at source.Location, values []any) {
	text := path.String()
	l.places = append(l.places, playground.SchemaPlace{Path: text, Range: l.crd.KeywordRange(l.version, text, at)})
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
