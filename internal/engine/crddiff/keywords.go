package crddiff

import (
	"fmt"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
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
	refusedUnlessUnchanged = "is rejected, unless an update leaves it unchanged."
	allStillValid          = "All previously valid values remain valid."
)

func compareNullable(old, new *schemaProps, _ bool) []keywordChange {
	switch {
	case old.Nullable && !new.Nullable:
		return []keywordChange{{"nullable", change{"nullable removed", true, false, breaksBoth,
			"The API server drops a null or replaces it with the default. It rejects null in lists and maps."}}}
	case !old.Nullable && new.Nullable:
		return []keywordChange{{"nullable", change{"nullable added", false, true, breaksClients,
			"All values remain valid, but clients may now read null."}}}
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
		c := change{"bound loosened", before, after, breaksNothing, allStillValid}
		if tighter {
			c.kind, c.effect, c.because = "bound tightened", breaksBoth, "A value that only the old bound allows "+refusedUnlessUnchanged
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
	c := change{"bound tightened", before, after, breaksBoth, "Any other value " + refusedUnlessUnchanged}
	if after == nil {
		c.kind, c.effect, c.because = "bound loosened", breaksNothing, allStillValid
	}
	return []keywordChange{{"multipleOf", c}}
}

func compareEnum(old, new *schemaProps, _ bool) []keywordChange {
	before, after := rawValues(old.Enum), rawValues(new.Enum)
	gone, added := subtract(before, after), subtract(after, before)
	if len(gone)+len(added) == 0 {
		return nil
	}
	c := change{"enum widened", old.Enum, new.Enum, surprisesClients,
		fmt.Sprintf("All values remain valid, but clients that depend on the value may now read %s.", joinNames(added))}
	switch {
	case len(before) == 0:
		c.kind, c.effect, c.because = "enum narrowed", breaksBoth, "Any other value "+refusedUnlessUnchanged
		c.before = nil
	case len(after) == 0:
		c.because, c.after = "All values remain valid, but clients that depend on the value may now read any other value.", nil
	case len(gone) > 0:
		c.kind, c.effect, c.because = "enum narrowed", breaksBoth, "A removed value "+refusedUnlessUnchanged+" Removed: "+joinNames(gone)+"."
		if len(added) > 0 {
			c.because += " Added: " + joinNames(added) + "."
		}
	}
	return []keywordChange{{"enum", c}}
}

func comparePattern(old, new *schemaProps, _ bool) []keywordChange {
	if old.Pattern == new.Pattern {
		return nil
	}
	c := change{"pattern changed", nilIfEmpty(old.Pattern), nilIfEmpty(new.Pattern), breaksBoth, "A value that does not match " + refusedUnlessUnchanged}
	if new.Pattern == "" {
		c.effect, c.because = breaksNothing, allStillValid
	}
	return []keywordChange{{"pattern", c}}
}

func compareFormat(old, new *schemaProps, _ bool) []keywordChange {
	if old.Format == new.Format {
		return nil
	}
	c := change{"format changed", nilIfEmpty(old.Format), nilIfEmpty(new.Format), breaksBoth, "A value in another format " + refusedUnlessUnchanged}
	switch {
	case checksFormat(new):
	case acceptsLists(old):
		c.effect, c.because = breaksNothingKnown, "All previously valid strings remain valid. The API server also accepts a list in a field with a format that it checks, and now rejects it."
	case new.Format == "":
		c.effect, c.because = breaksNothing, allStillValid
	default:
		c.effect, c.because = breaksNothing, "The API server does not know this format, so it does not check it."
	}
	return []keywordChange{{"format", c}}
}

// checksFormat reports whether the API server checks the format of a node. It ignores the
// formats that it warns about.
func checksFormat(p *schemaProps) bool {
	return p.Format != "" && len(crd.FormatWarnings(&apiextensions.JSONSchemaProps{Type: p.Type, Format: p.Format})) == 0
}

// acceptsLists reports whether the API server accepts lists although the type is string. The
// validator skips its comparison of the type for strings and lists with a format
// (k8s.io/kube-openapi/pkg/validation/validate/type.go).
func acceptsLists(p *schemaProps) bool {
	return p.Type == "string" && !p.XIntOrString && checksFormat(p)
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
		c := change{"value validation changed", schemasOrNil(j.before), schemasOrNil(j.after), breaksBoth, "A value that only the old " + j.keyword + " allows " + refusedUnlessUnchanged}
		if isLoosened(j.keyword, j.before, j.after) {
			c.effect, c.because = breaksNothing, allStillValid
		}
		changes = append(changes, keywordChange{j.keyword, c})
	}
	return changes
}

// isLoosened reports whether a junctor certainly allows at least the previous
// values: it is gone, allOf has fewer schemas, or anyOf has more.
func isLoosened(keyword string, before, after []schemaProps) bool {
	within := func(part, all []schemaProps) bool { return len(subtract(encodeAll(part), encodeAll(all))) == 0 }
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

// encodeAll returns each schema as JSON.
func encodeAll(schemas []schemaProps) []string {
	encoded := make([]string, len(schemas))
	for i := range schemas {
		encoded[i] = string(jsonvalue.Encode(&schemas[i]))
	}
	return encoded
}

func compareRequired(old, new *schemaProps, _ bool) []keywordChange {
	var changes []keywordChange
	for _, name := range subtract(new.Required, old.Required) {
		c := change{"required added", nil, name, breaksBoth, "An object without the field " + refusedUnlessUnchanged + " Make the field optional, or give it a default."}
		if property, ok := new.Properties[name]; ok && property.Default != nil {
			c.effect, c.because = breaksNothing, "The API server adds the default to objects without the field, also when it reads stored objects."
		}
		changes = append(changes, keywordChange{"required", c})
	}
	for _, name := range subtract(old.Required, new.Required) {
		if _, ok := new.Properties[name]; !ok {
			continue // the field itself is gone
		}
		changes = append(changes, keywordChange{"required", change{"required removed", name, nil, surprisesClients,
			"All objects remain valid, but clients may now read objects without the field."}})
	}
	return changes
}

func compareDefault(old, new *schemaProps, required bool) []keywordChange {
	if apiequality.Semantic.DeepEqual(old.Default, new.Default) {
		return nil
	}
	c := change{"default changed", old.Default, new.Default, breaksClients,
		"Stored objects keep the previous default. New objects get the new default."}
	switch {
	case old.Default == nil:
		c.kind, c.before = "default added", nil
		c.because = "The API server adds the default to objects without the field, also when it reads stored objects. Clients cannot distinguish it from a value that a user has set."
	case new.Default == nil && required:
		c.kind, c.after, c.effect = "default removed", nil, breaksBoth
		c.because = "The field is required. An object without it " + refusedUnlessUnchanged
	case new.Default == nil:
		c.kind, c.after = "default removed", nil
		c.because = "Objects without the field no longer get the default, so clients may find it missing."
	}
	return []keywordChange{{"default", c}}
}

func comparePreserveUnknown(old, new *schemaProps, _ bool) []keywordChange {
	before, after := ptr.Deref(old.XPreserveUnknownFields, false), ptr.Deref(new.XPreserveUnknownFields, false)
	c := change{"pruning changed", before, after, breaksNothing, "The API server now keeps fields that the schema does not specify."}
	switch {
	case before == after:
		return nil
	case before:
		c.effect, c.because = breaksBoth, "The API server now prunes fields that the schema does not specify, also when it reads stored objects."
	}
	return []keywordChange{{"x-kubernetes-preserve-unknown-fields", c}}
}

func compareEmbedded(old, new *schemaProps, _ bool) []keywordChange {
	before, after := old.XEmbeddedResource, new.XEmbeddedResource
	c := change{"embedded resource changed", before, after, breaksBoth, "The API server now rejects a value without apiVersion and kind, or with invalid metadata."}
	switch {
	case before == after:
		return nil
	case before:
		c.because = "The API server now prunes apiVersion, kind and metadata, unless the schema specifies them."
	}
	return []keywordChange{{"x-kubernetes-embedded-resource", c}}
}
