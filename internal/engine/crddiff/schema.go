package crddiff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
)

type schemaProps = apiextensionsv1.JSONSchemaProps

// A schemaDiff compares the schemas of one version.
type schemaDiff struct {
	*diff
	version            string
	oldIndex, newIndex int   // in spec.versions
	withRules          *bool // the result of hasRules, once it is known
}

func (s *schemaDiff) compareRoots(before, after *apiextensionsv1.CustomResourceValidation) {
	old, new := ptr.Deref(before, apiextensionsv1.CustomResourceValidation{}).OpenAPIV3Schema, ptr.Deref(after, apiextensionsv1.CustomResourceValidation{}).OpenAPIV3Schema
	switch {
	case old == nil && new == nil:
	case old == nil:
		s.record(nil, "", change{"schema added", nil, typeName(new), breaksBoth, "The API server did not validate objects before."})
	case new == nil:
		s.record(nil, "", change{"schema removed", typeName(old), nil, breaksNothingKnown, "The API server no longer validates objects."})
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
	at := playground.CRDChange{Version: s.version, SchemaPath: path.String(), Field: newField}
	s.recordAt(Difference{at, path, keyword}, oldField, newField, c)
}

// compareNodes compares two schemas of the same values. required reports
// whether the new parent's required list contains the node.
func (s *schemaDiff) compareNodes(path crdschema.Path, old, new *schemaProps, required bool) {
	if before, after := typeName(old), typeName(new); before != after {
		c := describeTypeChange(before, after)
		c.effect = c.effect.unless(s.hasRules() || acceptsLists(old))
		s.record(path, typeKeyword(old, new), c)
		if before != anyType && after != anyType && !isWiderType(before, after) {
			return
		}
	}
	for _, compare := range keywords {
		for _, c := range compare(old, new, required) {
			c.effect = c.effect.unless(s.isDoubtful(path, c.keyword))
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
	required := sets.New(new.Required...)
	for _, name := range names {
		before, had := old.Properties[name]
		after, has := new.Properties[name]
		switch {
		case had && !has && isImplicit(path, new, name):
			s.compareNodes(path.Property(name), &before, &schemaProps{Type: before.Type}, false)
		case !had && has && isImplicit(path, new, name):
			s.compareNodes(path.Property(name), &schemaProps{Type: after.Type}, &after, required.Has(name))
		case had && has:
			s.compareNodes(path.Property(name), &before, &after, required.Has(name))
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

// isDoubtful reports whether a change of a keyword may affect objects in another way than
// through the keyword: the format decides the types that rules see, and unknown fields
// pass through the storage version. The API server removes the status after it has set
// the defaults of the root.
func (s *schemaDiff) isDoubtful(path crdschema.Path, keyword string) bool {
	switch keyword {
	case "format":
		return s.hasRules()
	case "x-kubernetes-preserve-unknown-fields":
		return s.hasRules() || s.decidesForOthers()
	case "required":
		return len(path) == 0
	}
	return false
}

// isImplicit reports whether objects may have the property even if the schema omits it.
func isImplicit(path crdschema.Path, node *schemaProps, name string) bool {
	if slices.Equal(path, crdschema.Path{"properties", "metadata"}) {
		return name == "name" || name == "generateName"
	}
	return (len(path) == 0 || node.XEmbeddedResource) && slices.Contains([]string{"apiVersion", "kind", "metadata"}, name)
}

func (s *schemaDiff) describeFieldRemoval(property, newParent *schemaProps) change {
	c := change{"field removed", typeName(property), nil, breaksBoth,
		"The API server prunes stored values when it reads them. A client that sends the field gets an error or, without strict validation, loses the value. Nothing moves the value to another field, so keep this one until every object has been rewritten."}
	if s.preservesUnknown(newParent) {
		c.effect, c.because = breaksNothingKnown, "The API server preserves unknown fields here, so it keeps the values without validation."
	}
	return c
}

func (s *schemaDiff) describeFieldAddition(property, oldParent *schemaProps) change {
	c := change{"field added", nil, typeName(property), breaksNothing.unless(property.Default != nil || s.decidesForOthers()),
		"Stored objects are unchanged. They cannot have the field, because the API server pruned it before."}
	switch {
	case s.oldPreservesUnknown(oldParent):
		c.effect = breaksBoth
		c.because = "The API server preserved unknown fields here, so stored objects may have the field. It now validates and prunes their values."
	case property.Default != nil:
		c.because = "The API server adds the default to objects without the field, also when it reads stored objects."
	}
	return c
}

// preservesUnknown reports whether the new CRD preserves the unknown fields of
// a node.
func (s *schemaDiff) preservesUnknown(parent *schemaProps) bool {
	return ptr.Deref(parent.XPreserveUnknownFields, false) || s.new.Spec.PreserveUnknownFields
}

// oldPreservesUnknown reports whether the old CRD preserves the unknown fields of a
// node.
func (s *schemaDiff) oldPreservesUnknown(parent *schemaProps) bool {
	return ptr.Deref(parent.XPreserveUnknownFields, false) || s.old.Spec.PreserveUnknownFields
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
		s.record(path, keyword, change{"pruning changed", true, false, breaksNothingKnown, "The API server preserves unknown fields, so it keeps other keys without validation."})
	case before:
		s.record(path, keyword, change{"pruning changed", true, false, breaksBoth, "The API server now prunes keys that are not in properties, also when it reads stored objects."})
	case after:
		s.record(path, keyword, change{"pruning changed", false, true, breaksNothing.unless(s.decidesForOthers() || s.oldPreservesUnknown(old)), "The API server now keeps keys that are not in properties."})
	}
}

// compareAdditionalSchemas compares the schemas of values whose key is no
// property, at least in one of the CRDs. A nil schema allows any value.
func (s *schemaDiff) compareAdditionalSchemas(path crdschema.Path, old, new *schemaProps) {
	switch {
	case old != nil && new != nil:
		s.compareNodes(path, old, new, false)
	case old == nil && new != nil:
		s.record(path, "", change{"schema added", nil, typeName(new), breaksBoth, "The API server did not validate these values before."})
	case old != nil:
		s.record(path, "", change{"schema removed", typeName(old), nil, breaksNothingKnown, "The API server no longer validates these values."})
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
	c := change{"type changed", before, after, breaksBoth,
		fmt.Sprintf("The API server now requires %s instead of %s. It rejects other values, and stored ones become invalid.", withArticle(after), withArticle(before))}
	if before == anyType {
		c.because = fmt.Sprintf("The API server accepted values of any type before. It now rejects values that are not %s.", withArticle(after))
	}
	if isWiderType(before, after) {
		c.effect = surprisesClients.unless(after == anyType)
		c.because = fmt.Sprintf("All values remain valid, but clients that expect %s may now read other values.", withArticle(before))
	}
	return c
}

// isWiderType reports whether all values of a type are values of another type.
func isWiderType(before, after string) bool {
	return after == anyType || before == "integer" && after == "number" || after == "integer or string" && strings.Contains(after, before)
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
