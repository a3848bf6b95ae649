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

// schemaChanges compares the schemas of one version.
type schemaChanges struct {
	*diff
	version            string
	oldIndex, newIndex int // of the version
}

func (s *schemaChanges) compareRoots(before, after *apiextensionsv1.CustomResourceValidation) {
	old, new := ptr.Deref(before, apiextensionsv1.CustomResourceValidation{}).OpenAPIV3Schema, ptr.Deref(after, apiextensionsv1.CustomResourceValidation{}).OpenAPIV3Schema
	switch {
	case old == nil && new == nil:
	case old == nil:
		s.add(nil, "", change{"schema added", nil, typeName(new), playground.BreaksBoth, "Objects were not validated before."})
	case new == nil:
		s.add(nil, "", change{"schema removed", typeName(old), nil, playground.BreaksNone, "Objects are not validated any more."})
	default:
		s.node(nil, old, new, false)
	}
}

// add records a change of a keyword at a node, or of the node if keyword is
// empty.
func (s *schemaChanges) add(path crdschema.Path, keyword string, c change) {
	steps := []string{"schema", "openAPIV3Schema"}
	if len(path) > 0 {
		steps = append(steps, path.String())
	}
	if keyword != "" {
		steps = append(steps, keyword)
	}
	oldField, newField := versionField(s.oldIndex, steps...), versionField(s.newIndex, steps...)
	s.addAt(playground.CRDChange{Version: s.version, SchemaPath: path.String(), Field: newField}, oldField, newField, c)
}

// node compares two schemas of the same values. A node that is required has
// its name in the list of the new parent.
func (s *schemaChanges) node(path crdschema.Path, old, new *schemaProps, required bool) {
	if before, after := typeName(old), typeName(new); before != after {
		s.add(path, typeKeyword(old, new), typeChange(before, after))
		if before != anyType && after != anyType {
			return
		}
	}
	for _, compare := range keywords {
		for _, c := range compare(old, new, required) {
			s.add(path, c.keyword, c.change)
		}
	}
	s.rules(path, old.XValidations, new.XValidations)
	s.properties(path, old, new)
	if old.Items != nil && new.Items != nil && old.Items.Schema != nil && new.Items.Schema != nil {
		s.node(path.Items(), old.Items.Schema, new.Items.Schema, false)
	}
	s.additional(path, old, new)
}

func (s *schemaChanges) properties(path crdschema.Path, old, new *schemaProps) {
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
			s.node(path.Property(name), &before, &after, slices.Contains(new.Required, name))
		case had && hasAdditional(new):
			s.additionalSchemas(path.Property(name), &before, new.AdditionalProperties.Schema)
		case had:
			s.add(path.Property(name), "", s.fieldRemoved(&before, new))
		case hasAdditional(old):
			s.additionalSchemas(path.Property(name), old.AdditionalProperties.Schema, &after)
		default:
			s.add(path.Property(name), "", s.fieldAdded(&after, old))
		}
	}
}

// isImplicit says that a property of a node is part of any object, whether the
// schema has it or not.
func isImplicit(path crdschema.Path, node *schemaProps, name string) bool {
	return (len(path) == 0 || node.XEmbeddedResource) && slices.Contains([]string{"apiVersion", "kind", "metadata"}, name)
}

func (s *schemaChanges) fieldRemoved(property, newParent *schemaProps) change {
	c := change{"field removed", typeName(property), nil, playground.BreaksBoth,
		"Stored values are pruned when they are read; a client that sends it gets an error or, without strict validation, loses it."}
	if s.keepsUnknown(newParent) {
		c.breaks, c.because = playground.BreaksNone, "Unknown fields are preserved here, so values stay, without being validated."
	}
	return c
}

func (s *schemaChanges) fieldAdded(property, oldParent *schemaProps) change {
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

func (s *schemaChanges) keepsUnknown(parent *schemaProps) bool {
	return ptr.Deref(parent.XPreserveUnknownFields, false) || s.new.Spec.PreserveUnknownFields
}

func hasAdditional(p *schemaProps) bool {
	return p.AdditionalProperties != nil && (p.AdditionalProperties.Allows || p.AdditionalProperties.Schema != nil)
}

func (s *schemaChanges) additional(path crdschema.Path, old, new *schemaProps) {
	const keyword = "additionalProperties"
	before, after := hasAdditional(old), hasAdditional(new)
	switch {
	case before && after:
		s.additionalSchemas(path.Additional(), old.AdditionalProperties.Schema, new.AdditionalProperties.Schema)
	case before && s.keepsUnknown(new):
		s.add(path, keyword, change{"pruning changed", true, false, playground.BreaksNone, "Unknown fields are preserved, so other keys stay, without being validated."})
	case before:
		s.add(path, keyword, change{"pruning changed", true, false, playground.BreaksBoth, "Keys that no property names are pruned from now on, from stored objects when they are read."})
	case after:
		s.add(path, keyword, change{"pruning changed", false, true, playground.BreaksNone, "Keys that no property names are kept from now on."})
	}
}

// additionalSchemas compares the schemas of values at keys that no property
// names, or did not name before or now; nil allows any value.
func (s *schemaChanges) additionalSchemas(path crdschema.Path, old, new *schemaProps) {
	switch {
	case old != nil && new != nil:
		s.node(path, old, new, false)
	case old == nil && new != nil:
		s.add(path, "", change{"schema added", nil, typeName(new), playground.BreaksBoth, "Values were not validated before."})
	case old != nil:
		s.add(path, "", change{"schema removed", typeName(old), nil, playground.BreaksNone, "Values are not validated any more."})
	}
}

const anyType = "any"

// typeName is what values of a schema are called. One without a type, as
// v1beta1 allowed, is meant for what it describes.
func typeName(p *schemaProps) string {
	switch {
	case p.XIntOrString:
		return "integer or string"
	case p.Type != "":
		return p.Type
	case len(p.Properties) > 0 || hasAdditional(p):
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

func typeChange(before, after string) change {
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

// lostFields are the places of the properties that one schema has and another
// has not, and does not keep.
func lostFields(from, to *schemaProps, path crdschema.Path) []string {
	var lost []string
	if ptr.Deref(to.XPreserveUnknownFields, false) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(from.Properties)) {
		before := from.Properties[name]
		after, ok := to.Properties[name]
		switch {
		case ok:
			lost = append(lost, lostFields(&before, &after, path.Property(name))...)
		case !hasAdditional(to) && !isImplicit(path, to, name):
			lost = append(lost, path.Property(name).ValuePath())
		}
	}
	if from.Items != nil && to.Items != nil && from.Items.Schema != nil && to.Items.Schema != nil {
		lost = append(lost, lostFields(from.Items.Schema, to.Items.Schema, path.Items())...)
	}
	return lost
}
