package crddiff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
)

type schemaProps = apiextensionsv1.JSONSchemaProps

// A schemaDiff compares the schemas of one version.
type schemaDiff struct {
	*diff
	version            string
	oldIndex, newIndex int // in spec.versions
}

func (s *schemaDiff) compareRoots(before, after *apiextensionsv1.CustomResourceValidation) {
	old, new := ptr.Deref(before, apiextensionsv1.CustomResourceValidation{}).OpenAPIV3Schema, ptr.Deref(after, apiextensionsv1.CustomResourceValidation{}).OpenAPIV3Schema
	switch {
	case old == nil && new == nil:
	case old == nil:
		s.record(nil, "", change{"schema added", nil, typeName(new), playground.BreaksBoth, "Objects were not validated before."})
	case new == nil:
		s.record(nil, "", change{"schema removed", typeName(old), nil, playground.BreaksNone, "Objects are not validated any more."})
	default:
		s.compareNodes(nil, old, new, false)
	}
}

// record records a change of a keyword at a node, or of the node itself if
// keyword is empty.
func (s *schemaDiff) record(path crdschema.Path, keyword string, c change) {
	steps := []string{"schema", "openAPIV3Schema"}
	if len(path) > 0 {
		steps = append(steps, path.String())
	}
	if keyword != "" {
		steps = append(steps, keyword)
	}
	oldField, newField := versionField(s.oldIndex, steps...), versionField(s.newIndex, steps...)
	s.recordAt(playground.CRDChange{Version: s.version, SchemaPath: path.String(), Field: newField}, oldField, newField, c)
}

// compareNodes compares two schemas of the same values. required reports
// whether the new parent's required list contains the node.
func (s *schemaDiff) compareNodes(path crdschema.Path, old, new *schemaProps, required bool) {
	if before, after := typeName(old), typeName(new); before != after {
		s.record(path, typeKeyword(old, new), describeTypeChange(before, after))
		if before != anyType && after != anyType {
			return
		}
	}
	for _, compare := range keywords {
		for _, c := range compare(old, new, required) {
			s.record(path, c.keyword, c.change)
		}
	}
	s.compareRules(path, old.XValidations, new.XValidations)
	s.compareProperties(path, old, new)
	if old.Items != nil && new.Items != nil && old.Items.Schema != nil && new.Items.Schema != nil {
		s.compareNodes(path.Items(), old.Items.Schema, new.Items.Schema, false)
	}
	s.compareAdditional(path, old, new)
}

// compareProperties compares the properties of two nodes by name, sorted.
func (s *schemaDiff) compareProperties(path crdschema.Path, old, new *schemaProps) {
	names := slices.Sorted(maps.Keys(old.Properties))
	for name := range new.Properties {
		if _, ok := old.Properties[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		before, had := old.Properties[name]
		after, has := new.Properties[name]
		switch {
		case had != has && isImplicit(path, new, name):
		case had && has:
			s.compareNodes(path.Property(name), &before, &after, slices.Contains(new.Required, name))
		case had && allowsAdditional(new):
			s.compareAdditionalSchemas(path.Property(name), &before, new.AdditionalProperties.Schema)
		case had:
			s.record(path.Property(name), "", s.describeFieldRemoval(&before, new))
		case allowsAdditional(old):
			s.compareAdditionalSchemas(path.Property(name), old.AdditionalProperties.Schema, &after)
		default:
			s.record(path.Property(name), "", s.describeFieldAddition(&after, old))
		}
	}
}

// isImplicit reports whether every object has the property, even if the schema
// omits it.
func isImplicit(path crdschema.Path, node *schemaProps, name string) bool {
	return (len(path) == 0 || node.XEmbeddedResource) && slices.Contains([]string{"apiVersion", "kind", "metadata"}, name)
}

func (s *schemaDiff) describeFieldRemoval(property, newParent *schemaProps) change {
	c := change{"field removed", typeName(property), nil, playground.BreaksBoth,
		"Stored values are pruned when they are read; a client that sends it gets an error or, without strict validation, loses it."}
	if s.preservesUnknown(newParent) {
		c.breaks, c.because = playground.BreaksNone, "Unknown fields are preserved here, so values stay, without being validated."
	}
	return c
}

func (s *schemaDiff) describeFieldAddition(property, oldParent *schemaProps) change {
	c := change{"field added", nil, typeName(property), playground.BreaksNone,
		"Objects without it stay as they are; it was pruned before, so no stored object has it."}
	switch {
	case ptr.Deref(oldParent.XPreserveUnknownFields, false) || s.old.Spec.PreserveUnknownFields:
		c.breaks = playground.BreaksBoth
		c.because = "Unknown fields were preserved here: values that are there already are validated, and what is in them pruned, from now on."
	case property.Default != nil:
		c.because = "Objects without it, stored ones included, are read with its default."
	}
	return c
}

// preservesUnknown reports whether the new CRD preserves the unknown fields of
// a node.
func (s *schemaDiff) preservesUnknown(parent *schemaProps) bool {
	return ptr.Deref(parent.XPreserveUnknownFields, false) || s.new.Spec.PreserveUnknownFields
}

func allowsAdditional(p *schemaProps) bool {
	return p.AdditionalProperties != nil && (p.AdditionalProperties.Allows || p.AdditionalProperties.Schema != nil)
}

func (s *schemaDiff) compareAdditional(path crdschema.Path, old, new *schemaProps) {
	const keyword = "additionalProperties"
	before, after := allowsAdditional(old), allowsAdditional(new)
	switch {
	case before && after:
		s.compareAdditionalSchemas(path.Additional(), old.AdditionalProperties.Schema, new.AdditionalProperties.Schema)
	case before && s.preservesUnknown(new):
		s.record(path, keyword, change{"pruning changed", true, false, playground.BreaksNone, "Unknown fields are preserved, so other keys stay, without being validated."})
	case before:
		s.record(path, keyword, change{"pruning changed", true, false, playground.BreaksBoth, "Keys that no property names are pruned from now on, from stored objects when they are read."})
	case after:
		s.record(path, keyword, change{"pruning changed", false, true, playground.BreaksNone, "Keys that no property names are kept from now on."})
	}
}

// compareAdditionalSchemas compares the schemas of values whose key is no
// property, at least in one of the CRDs. A nil schema allows any value.
func (s *schemaDiff) compareAdditionalSchemas(path crdschema.Path, old, new *schemaProps) {
	switch {
	case old != nil && new != nil:
		s.compareNodes(path, old, new, false)
	case old == nil && new != nil:
		s.record(path, "", change{"schema added", nil, typeName(new), playground.BreaksBoth, "Values were not validated before."})
	case old != nil:
		s.record(path, "", change{"schema removed", typeName(old), nil, playground.BreaksNone, "Values are not validated any more."})
	}
}

const anyType = "any"

// typeName returns the type of a node's values. Without a type, which v1beta1
// allowed, it infers the type from the other keywords.
func typeName(p *schemaProps) string {
	switch {
	case p.XIntOrString:
		return "integer or string"
	case p.Type != "":
		return p.Type
	case len(p.Properties) > 0 || allowsAdditional(p):
		return "object"
	case p.Items != nil:
		return "array"
	}
	return anyType
}

func typeKeyword(old, new *schemaProps) string {
	if old.XIntOrString || new.XIntOrString {
		return "x-kubernetes-int-or-string"
	}
	return "type"
}

func describeTypeChange(before, after string) change {
	c := change{"type changed", before, after, playground.BreaksBoth,
		fmt.Sprintf("Values that are %s are not %s: stored ones are invalid, and clients that send them are refused.", withArticle(before), withArticle(after))}
	if before == anyType {
		c.because = fmt.Sprintf("Values of any type were allowed: those that are not %s are refused from now on.", withArticle(after))
	}
	wider := after == anyType || before == "integer" && after == "number" || after == "integer or string" && strings.Contains(after, before)
	if wider {
		c.breaks = playground.BreaksClients
		c.because = fmt.Sprintf("All values stay valid, but a client that expects %s may meet something else.", withArticle(before))
	}
	return c
}

func withArticle(name string) string {
	switch {
	case name == anyType:
		return "any value"
	case strings.ContainsRune("aio", rune(name[0])):
		return "an " + name
	}
	return "a " + name
}

// missingFields returns the value paths of the properties that from has and to
// would prune.
func missingFields(from, to *schemaProps, path crdschema.Path) []string {
	var lost []string
	if ptr.Deref(to.XPreserveUnknownFields, false) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(from.Properties)) {
		before := from.Properties[name]
		after, ok := to.Properties[name]
		switch {
		case ok:
			lost = append(lost, missingFields(&before, &after, path.Property(name))...)
		case !allowsAdditional(to) && !isImplicit(path, to, name):
			lost = append(lost, path.Property(name).ValuePath())
		}
	}
	if from.Items != nil && to.Items != nil && from.Items.Schema != nil && to.Items.Schema != nil {
		lost = append(lost, missingFields(from.Items.Schema, to.Items.Schema, path.Items())...)
	}
	return lost
}
