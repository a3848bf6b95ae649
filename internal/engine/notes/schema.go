package notes

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdlab/crdlab/internal/engine/gotype"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// findMistypedEnums reports values of an enum that no value of the schema's type can match.
func findMistypedEnums(n node) []playground.Finding {
	var wrong, written []string
	var at playground.Range
	var edits []edit.Edit
	for i, value := range n.schema.Enum {
		if matchesType(n.schema, value.Raw) {
			continue
		}
		if len(wrong) == maxPlaces {
			wrong, edits = append(wrong, "…"), nil
			break
		}
		item, ok := n.lookup("enum", i)
		if !ok {
			return nil
		}
		if len(wrong) == 0 {
			at = item.Value()
		}
		wrong = append(wrong, cmp.Or(string(value.Raw), "null"))
		e, ok := n.setting(item.Node().Value, n.documentPath("enum", i)...)
		if ok && n.schema.Type == "string" && item.Node().Kind == yaml.ScalarNode && len(value.Raw) > 0 {
			edits, written = append(edits, e), append(written, item.Node().Value)
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	hint, fixes := "Correct the values or the type.", newWideningFix("Accept "+strings.Join(written, ", ")+": quote them", edits...)
	switch {
	case n.schema.Type == "array":
		hint = "The enum applies to the list itself. Move it to items. In Go, write +kubebuilder:validation:items:Enum."
	case slices.Contains(wrong, "null"):
		hint = "Only a schema with nullable: true permits null. Quote the other values that are no strings in YAML."
	case len(edits) > 0:
		hint = "Without quotes, YAML reads true, false, yes, no, on and off as booleans, and digits as numbers. Quote the values."
	}
	return []playground.Finding{newNote(at, fmt.Sprintf("no value of type %s can match %s in this enum", n.schema.Type, strings.Join(wrong, ", ")), hint, fixes...)}
}

// findSharedStatus reports a status without its subresource.
func findSharedStatus(n node) []playground.Finding {
	if n.parent != nil || n.Subresources != nil && n.Subresources.Status != nil {
		return nil
	}
	at, ok := n.lookup("properties", "status")
	if !ok {
		return nil
	}
	var fixes []playground.Fix
	if enabled, ok := n.setting(map[string]any{}, "spec", "versions", n.index, "subresources", "status"); ok {
		fixes = newWideningFix("Accept requests for the status: enable the subresource", enabled)
	}
	return []playground.Finding{newNote(at.Key(), "the version has a status, but does not enable the status subresource",
		"Each update of the status increments metadata.generation, and an update of the spec can overwrite the status. Add subresources: {status: {}}. Clients then write the status with requests to /status.", fixes...)}
}

// matchesType reports whether a value in JSON can be of the type of a schema.
func matchesType(schema *apiextensionsv1.JSONSchemaProps, raw []byte) bool {
	switch {
	case schema.Type == "":
		return true
	case len(raw) == 0: // null
		return schema.Nullable
	}
	switch raw[0] {
	case '"':
		return schema.Type == "string"
	case 't', 'f':
		return schema.Type == "boolean"
	case '{':
		return schema.Type == "object"
	case '[':
		return schema.Type == "array"
	}
	return schema.Type == "integer" || schema.Type == "number"
}

// findBooleanKeys reports properties such as y, whose name YAML 1.1 reads as a boolean.
func findBooleanKeys(n node) (notes []playground.Finding) {
	for _, name := range []string{"true", "false"} {
		if _, ok := n.schema.Properties[name]; !ok {
			continue
		}
		properties, _ := n.lookup("properties")
		for key, at := range properties.Entries() {
			if key.Value == name || source.JSONName(key) != name {
				continue
			}
			var fixes []playground.Fix
			if e, ok := n.edit(func() (edit.Edit, bool) {
				return edit.Rename(n.crd.Doc, key.Value, n.documentPath("properties", key.Value)...)
			}); ok {
				fixes = newWideningFix("Accept the field "+key.Value+": quote it", e)
			}
			notes = append(notes, newNote(at.Key(), fmt.Sprintf("the name of this property is %q: without quotes, YAML reads %s as a boolean", name, key.Value),
				"Quote the name. The API server does not know "+key.Value+", and prunes it in objects that quote it.", fixes...))
		}
	}
	return notes
}

var keywords = gotype.FieldNames(reflect.TypeFor[apiextensionsv1.JSONSchemaProps](), nil)

// findIgnoredKeywords reports unknown keywords below items and additionalProperties, whose
// decoders ignore them. The table of errors has the hints and fixes.
func findIgnoredKeywords(n node) (notes []playground.Finding) {
	if !n.unchecked {
		return nil
	}
	for key, at := range n.location().Entries() {
		if !slices.Contains(keywords, key.Value) {
			notes = append(notes, newNote(at.Key(), fmt.Sprintf("unknown field %q, which the API server ignores here without a warning", key.Value), ""))
		}
	}
	return notes
}

// findUncheckedIntegers reports the pattern of an int-or-string that is not meant for integers. The
// other keywords for strings may bound the estimated cost of rules.
func findUncheckedIntegers(n node) []playground.Finding {
	if !n.schema.XIntOrString || n.schema.Minimum != nil || n.schema.Maximum != nil {
		return nil
	}
	at, ok := n.lookup("pattern")
	if !ok || n.list.matchesIntegers(n.schema.Pattern) {
		return nil
	}
	if slices.ContainsFunc(n.schema.XValidations, func(rule apiextensionsv1.ValidationRule) bool { return strings.Contains(rule.Rule, "type(self)") }) {
		return nil
	}
	return []playground.Finding{newNote(at.Key(), "integers pass without a check of this pattern, which applies only to the strings of an int-or-string",
		"Bound the integers with minimum and maximum, or refuse them with the rule type(self) == string. maxLength and minLength apply only to strings, too.")}
}

// matchesIntegers reports whether a pattern matches integers, so that it means strings alone.
func (l *list) matchesIntegers(pattern string) bool {
	matches, known := l.patterns[pattern]
	if !known {
		compiled, err := regexp.Compile(pattern)
		matches = err != nil || compiled.MatchString("1") && compiled.MatchString("10")
		l.patterns[pattern] = matches
	}
	return matches
}

// findPrunedMetadata reports metadata below the root without properties, such as in a
// template.
func findPrunedMetadata(n node) []playground.Finding {
	if n.parent == nil || n.parent.XEmbeddedResource || len(n.path) == 2 || n.path[len(n.path)-1] != "metadata" || n.path[len(n.path)-2] != "properties" {
		return nil
	}
	s := n.schema
	if s.Type != "object" || len(s.Properties) > 0 || s.AdditionalProperties != nil || s.XPreserveUnknownFields != nil || s.XEmbeddedResource {
		return nil
	}
	return []playground.Finding{newNote(n.location().Key(), "the API server prunes all labels and annotations of this metadata, because its schema has no properties",
		"Declare the properties labels and annotations, or set x-kubernetes-embedded-resource: true on the object that contains metadata. controller-gen declares them with crd:generateEmbeddedObjectMeta=true.")}
}
