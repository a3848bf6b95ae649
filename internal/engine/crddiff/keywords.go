package crddiff

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/playground"
)

// A keywordChange is a change of one keyword of a schema node.
type keywordChange struct {
	keyword string
	change
}

// keywords lists the comparisons of two nodes of the same type.
var keywords = []func(old, new *schemaProps, required bool) []keywordChange{
	compareNullable, compareBounds, compareMultipleOf, compareEnum, comparePattern, compareFormat,
	compareJunctors, compareRequired, compareDefault, compareLists, comparePreserveUnknown, compareEmbedded,
}

const (
	refusedUnlessUnchanged = "is refused, unless it is stored already and stays as it is."
	allStillValid          = "All values that were valid still are."
)

func compareNullable(old, new *schemaProps, _ bool) []keywordChange {
	switch {
	case old.Nullable && !new.Nullable:
		return []keywordChange{{"nullable", change{"nullable removed", true, false, playground.BreaksBoth,
			"A null is dropped or replaced by the default, and refused in lists and maps."}}}
	case !old.Nullable && new.Nullable:
		return []keywordChange{{"nullable", change{"nullable added", false, true, playground.BreaksClients,
			"All values stay valid, but a client may meet null."}}}
	}
	return nil
}

// bounds lists the keywords that limit values from below or above.
var bounds = []struct {
	keyword string
	upper   bool
	value   func(*schemaProps) *float64
}{
	{"minimum", false, func(p *schemaProps) *float64 { return p.Minimum }},
	{"maximum", true, func(p *schemaProps) *float64 { return p.Maximum }},
	{"minLength", false, func(p *schemaProps) *float64 { return asFloat(p.MinLength) }},
	{"maxLength", true, func(p *schemaProps) *float64 { return asFloat(p.MaxLength) }},
	{"minItems", false, func(p *schemaProps) *float64 { return asFloat(p.MinItems) }},
	{"maxItems", true, func(p *schemaProps) *float64 { return asFloat(p.MaxItems) }},
	{"minProperties", false, func(p *schemaProps) *float64 { return asFloat(p.MinProperties) }},
	{"maxProperties", true, func(p *schemaProps) *float64 { return asFloat(p.MaxProperties) }},
	{"exclusiveMinimum", true, func(p *schemaProps) *float64 { return inclusiveness(p.Minimum, p.ExclusiveMinimum) }},
	{"exclusiveMaximum", true, func(p *schemaProps) *float64 { return inclusiveness(p.Maximum, p.ExclusiveMaximum) }},
}

func asFloat(n *int64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

// inclusiveness returns 1 for an inclusive bound and 0 for an exclusive one, so
// that excluding a bound compares like lowering a maximum.
func inclusiveness(bound *float64, exclusive bool) *float64 {
	switch {
	case bound == nil:
		return nil
	case exclusive:
		return new(0.0)
	}
	return new(1.0)
}

func compareBounds(old, new *schemaProps, _ bool) []keywordChange {
	var changes []keywordChange
	for _, b := range bounds {
		before, after := b.value(old), b.value(new)
		tighter, differ := compareBound(before, after, b.upper)
		if !differ || strings.HasPrefix(b.keyword, "exclusive") && (before == nil || after == nil) {
			continue
		}
		c := change{"bound loosened", before, after, playground.BreaksNone, allStillValid}
		if tighter {
			c.kind, c.breaks, c.because = "bound tightened", playground.BreaksBoth, "A value that only the old bound allows "+refusedUnlessUnchanged
		}
		if strings.HasPrefix(b.keyword, "exclusive") {
			c.before, c.after = *before == 0, *after == 0
		}
		changes = append(changes, keywordChange{b.keyword, c})
	}
	return changes
}

// compareBound compares two bounds; nil means no bound. A minimum of zero for a
// size is no bound either.
func compareBound(before, after *float64, upper bool) (tighter, differ bool) {
	switch {
	case before == nil && after == nil:
		return false, false
	case before == nil:
		return true, upper || *after != 0
	case after == nil:
		return false, upper || *before != 0
	}
	return (*after < *before) == upper, *after != *before
}

func compareMultipleOf(old, new *schemaProps, _ bool) []keywordChange {
	before, after := old.MultipleOf, new.MultipleOf
	if apiequality.Semantic.DeepEqual(before, after) {
		return nil
	}
	c := change{"bound tightened", before, after, playground.BreaksBoth, "A value that is no such multiple " + refusedUnlessUnchanged}
	if after == nil {
		c.kind, c.breaks, c.because = "bound loosened", playground.BreaksNone, allStillValid
	}
	return []keywordChange{{"multipleOf", c}}
}

func compareEnum(old, new *schemaProps, _ bool) []keywordChange {
	before, after := rawValues(old.Enum), rawValues(new.Enum)
	gone, added := subtract(before, after), subtract(after, before)
	if len(gone)+len(added) == 0 {
		return nil
	}
	c := change{"enum widened", old.Enum, new.Enum, playground.BreaksClients,
		fmt.Sprintf("All values stay valid, but a client that decides by the value may meet %s.", joinNames(added))}
	switch {
	case len(before) == 0:
		c.kind, c.breaks, c.because = "enum narrowed", playground.BreaksBoth, "Any other value "+refusedUnlessUnchanged
		c.before = nil
	case len(after) == 0:
		c.because, c.after = "All values stay valid, but a client that decides by the value may meet any other.", nil
	case len(gone) > 0:
		c.kind, c.breaks, c.because = "enum narrowed", playground.BreaksBoth, joinNames(gone)+" "+refusedUnlessUnchanged
		if len(added) > 0 {
			c.because += fmt.Sprintf(" %s is new.", joinNames(added))
		}
	}
	return []keywordChange{{"enum", c}}
}

func comparePattern(old, new *schemaProps, _ bool) []keywordChange {
	if old.Pattern == new.Pattern {
		return nil
	}
	c := change{"pattern changed", nilIfEmpty(old.Pattern), nilIfEmpty(new.Pattern), playground.BreaksBoth, "A value that does not match " + refusedUnlessUnchanged}
	if new.Pattern == "" {
		c.breaks, c.because = playground.BreaksNone, allStillValid
	}
	return []keywordChange{{"pattern", c}}
}

func compareFormat(old, new *schemaProps, _ bool) []keywordChange {
	if old.Format == new.Format {
		return nil
	}
	c := change{"format changed", nilIfEmpty(old.Format), nilIfEmpty(new.Format), playground.BreaksBoth, "A value of another format " + refusedUnlessUnchanged}
	switch {
	case new.Format == "":
		c.breaks, c.because = playground.BreaksNone, allStillValid
	case len(crd.FormatWarnings(&apiextensions.JSONSchemaProps{Type: new.Type, Format: new.Format})) > 0:
		c.breaks, c.because = playground.BreaksNone, "The API server does not know this format and does not check it."
	}
	return []keywordChange{{"format", c}}
}

func compareJunctors(old, new *schemaProps, _ bool) []keywordChange {
	var changes []keywordChange
	for _, j := range []struct {
		keyword       string
		before, after []apiextensionsv1.JSONSchemaProps
	}{
		{"allOf", old.AllOf, new.AllOf},
		{"anyOf", old.AnyOf, new.AnyOf},
		{"oneOf", old.OneOf, new.OneOf},
		{"not", asList(old.Not), asList(new.Not)},
	} {
		if apiequality.Semantic.DeepEqual(j.before, j.after) {
			continue
		}
		c := change{"value validation changed", schemasOrNil(j.before), schemasOrNil(j.after), playground.BreaksBoth, "A value that only the old " + j.keyword + " allows " + refusedUnlessUnchanged}
		if isLoosened(j.keyword, j.before, j.after) {
			c.breaks, c.because = playground.BreaksNone, allStillValid
		}
		changes = append(changes, keywordChange{j.keyword, c})
	}
	return changes
}

// isLoosened reports whether a junctor certainly allows at least the previous
// values: it is gone, allOf has fewer schemas, or anyOf has more.
func isLoosened(keyword string, before, after []schemaProps) bool {
	contains := func(all []schemaProps, s schemaProps) bool {
		return slices.ContainsFunc(all, func(other schemaProps) bool { return apiequality.Semantic.DeepEqual(s, other) })
	}
	within := func(part, all []schemaProps) bool {
		return !slices.ContainsFunc(part, func(s schemaProps) bool { return !contains(all, s) })
	}
	switch {
	case len(after) == 0:
		return true
	case keyword == "allOf":
		return within(after, before)
	case keyword == "anyOf":
		return len(before) > 0 && within(before, after)
	}
	return false
}

func compareRequired(old, new *schemaProps, _ bool) []keywordChange {
	var changes []keywordChange
	for _, name := range subtract(new.Required, old.Required) {
		c := change{"required added", nil, name, playground.BreaksBoth, "An object without it " + refusedUnlessUnchanged}
		if property, ok := new.Properties[name]; ok && property.Default != nil {
			c.breaks, c.because = playground.BreaksNone, "Where it is missing, the default fills it in, in stored objects when they are read."
		}
		changes = append(changes, keywordChange{"required", c})
	}
	for _, name := range subtract(old.Required, new.Required) {
		if _, ok := new.Properties[name]; !ok {
			continue // the field itself is gone
		}
		changes = append(changes, keywordChange{"required", change{"required removed", name, nil, playground.BreaksClients,
			"All objects stay valid, but a client that reads it may not find it."}})
	}
	return changes
}

func compareDefault(old, new *schemaProps, required bool) []keywordChange {
	if apiequality.Semantic.DeepEqual(old.Default, new.Default) {
		return nil
	}
	c := change{"default changed", old.Default, new.Default, playground.BreaksClients,
		"Objects keep the default that was stored with them; those written from now on get the new one."}
	switch {
	case old.Default == nil:
		c.kind, c.before = "default added", nil
		c.because = "Objects that leave it out, stored ones included, are read with the default, which a client may take for set on purpose."
	case new.Default == nil && required:
		c.kind, c.after, c.breaks = "default removed", nil, playground.BreaksBoth
		c.because = "It is required: an object without it " + refusedUnlessUnchanged
	case new.Default == nil:
		c.kind, c.after = "default removed", nil
		c.because = "Objects that leave it out stay without it, so a client that relies on it does not find it."
	}
	return []keywordChange{{"default", c}}
}

func comparePreserveUnknown(old, new *schemaProps, _ bool) []keywordChange {
	before, after := ptr.Deref(old.XPreserveUnknownFields, false), ptr.Deref(new.XPreserveUnknownFields, false)
	c := change{"pruning changed", before, after, playground.BreaksNone, "Fields that the schema does not know are kept from now on."}
	switch {
	case before == after:
		return nil
	case before:
		c.breaks, c.because = playground.BreaksBoth, "Fields that the schema does not know are pruned from now on, from stored objects when they are read."
	}
	return []keywordChange{{"x-kubernetes-preserve-unknown-fields", c}}
}

func compareEmbedded(old, new *schemaProps, _ bool) []keywordChange {
	before, after := old.XEmbeddedResource, new.XEmbeddedResource
	c := change{"embedded resource changed", before, after, playground.BreaksBoth, "A value without apiVersion and kind, or with invalid metadata, is refused from now on."}
	switch {
	case before == after:
		return nil
	case before:
		c.because = "apiVersion, kind and metadata are pruned unless the schema has them."
	}
	return []keywordChange{{"x-kubernetes-embedded-resource", c}}
}
