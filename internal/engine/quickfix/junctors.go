package quickfix

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
)

// junctorError captures the keyword in an error of allOf, anyOf, oneOf or not.
var junctorError = pattern(`must (?:not )?validate .*\((allOf|anyOf|oneOf|not)\)`)

// explainJunctor adds the place of the keyword, and says which alternatives the value matches and
// what it lacks for the others.
func (p *problem) explainJunctor() {
	keyword := junctorError.find(p.Message)[1]
	version := p.requestedVersion()
	if p.schema == nil || version == nil {
		return
	}
	_, path := crdschema.NodeAt(p.schema, p.path)
	schema := crd.SchemaAt(p.crd.VersionSchema(version.Kind.Version), path)
	value, ok := p.valueAt(p.path)
	if schema == nil || !ok {
		return
	}
	if location, ok := p.crd.Doc.At(append(p.crd.SchemaPath(version.Index, path), keyword)...); ok {
		p.Related = append(p.Related, playground.Related{Document: playground.DocumentCRD, Range: location.Key(), Message: "Keyword: " + keyword})
	}
	alternatives := map[string][]apiextensions.JSONSchemaProps{"allOf": schema.AllOf, "anyOf": schema.AnyOf, "oneOf": schema.OneOf}[keyword]
	if keyword == "not" && schema.Not != nil {
		p.Hint = "The value must not match the schema of not: " + describeSchema(*schema.Not) + "."
		for _, name := range schema.Not.Required {
			p.Fixes = append(p.Fixes, p.removeProperties([]string{name})...)
		}
		return
	}
	var matching []apiextensions.JSONSchemaProps
	var matched, missed []string
	for i, alternative := range alternatives {
		name := fmt.Sprintf("%d (%s)", i+1, describeSchema(alternative))
		if errs := violations(&alternative, value); len(errs) > 0 {
			missed = append(missed, name+": "+errs[0])
		} else {
			matching, matched = append(matching, alternative), append(matched, name)
		}
	}
	switch {
	case keyword == "oneOf" && len(matched) > 1:
		p.Hint = fmt.Sprintf("Exactly one alternative of oneOf may match, but %s match.", strings.Join(matched, " and "))
		if lacksProperties(matching, value) {
			p.Hint += " An alternative without required also matches objects that have none of its properties."
		}
		p.Fixes = append(p.Fixes, p.leaveOne(matching)...)
	case len(missed) > 0:
		needs := map[string]string{"oneOf": "Exactly one alternative of oneOf must match.", "anyOf": "One alternative of anyOf must match.", "allOf": "All schemas of allOf must match."}[keyword]
		p.Hint = needs + " Alternative " + strings.Join(missed, "; alternative ") + "."
	}
}

// lacksProperties reports whether a value lacks all properties of an alternative, which
// requires none.
func lacksProperties(alternatives []apiextensions.JSONSchemaProps, value any) bool {
	object, isObject := value.(map[string]any)
	return isObject && slices.ContainsFunc(alternatives, func(s apiextensions.JSONSchemaProps) bool {
		for name := range s.Properties {
			if _, ok := object[name]; ok {
				return false
			}
		}
		return len(s.Properties) > 0 && len(s.Required) == 0
	})
}

// valueAt returns the value at a path of the document as the API server reads it.
func (p *problem) valueAt(path []any) (value any, ok bool) {
	n := p.nodeAt(path...)
	if n == nil {
		return nil, false
	}
	var decoded any
	if n.Decode(&decoded) != nil {
		return nil, false
	}
	encoded, err := yaml.Marshal(decoded)
	if err != nil {
		return nil, false
	}
	asJSON, err := yaml.YAMLToJSON(encoded)
	return value, err == nil && utiljson.Unmarshal(asJSON, &value) == nil
}

// violations returns the errors of a value under a schema in the words of the API server.
func violations(schema *apiextensions.JSONSchemaProps, value any) []string {
	validator, _, err := validation.NewSchemaValidator(schema)
	if err != nil {
		return nil
	}
	var all []string
	for _, e := range validation.ValidateCustomResource(nil, value, validator) {
		all = append(all, strings.TrimPrefix(strings.TrimPrefix(e.Error(), "<nil>"), ": "))
	}
	return all
}

// describeSchema names the required properties of an alternative, or its keywords.
func describeSchema(s apiextensions.JSONSchemaProps) string {
	var parts []string
	if len(s.Required) > 0 {
		parts = append(parts, "required: ["+strings.Join(s.Required, ", ")+"]")
	}
	for name, isSet := range map[string]bool{
		"properties": len(s.Properties) > 0, "enum": len(s.Enum) > 0, "pattern": s.Pattern != "", "format": s.Format != "", "minimum": s.Minimum != nil, "maximum": s.Maximum != nil,
		"minLength": s.MinLength != nil, "maxLength": s.MaxLength != nil, "minItems": s.MinItems != nil, "maxItems": s.MaxItems != nil,
		"minProperties": s.MinProperties != nil, "maxProperties": s.MaxProperties != nil, "not": s.Not != nil,
		"anyOf": len(s.AnyOf) > 0, "allOf": len(s.AllOf) > 0, "oneOf": len(s.OneOf) > 0, "items": s.Items != nil,
	} {
		if isSet {
			parts = append(parts, name)
		}
	}
	if len(parts) == 0 {
		return "any value"
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// leaveOne removes, for each matching alternative, the properties that only the others require.
func (p *problem) leaveOne(matching []apiextensions.JSONSchemaProps) []playground.Fix {
	var fixes []playground.Fix
	for i, kept := range matching {
		var removed []string
		for j, other := range matching {
			own := slices.DeleteFunc(slices.Clone(other.Required), func(name string) bool { return slices.Contains(kept.Required, name) })
			switch {
			case i == j:
			case len(own) == 0:
				return nil // Only another value would end the match.
			default:
				removed = append(removed, own[0])
			}
		}
		fixes = append(fixes, p.removeProperties(slices.Compact(removed))...)
	}
	return fixes
}

func (p *problem) removeProperties(names []string) []playground.Fix {
	var changes []change
	for _, name := range names {
		changes = append(changes, p.deleteAt(append(slices.Clip(p.path), name)...))
	}
	return p.newFix("Remove "+strings.Join(names, " and "), changes...)
}
