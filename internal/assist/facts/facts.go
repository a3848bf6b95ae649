// Package facts lists the constraints of a schema for hovers and for the comments of
// samples.
package facts

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// A List collects facts in the order in which they are displayed.
type List []playground.Fact

// Add appends a fact.
func (l *List) Add(name, value string) { *l = append(*l, playground.Fact{Name: name, Text: value}) }

// maxValues limits the listed values of an enum.
const maxValues = 20

// AddValues adds the values of an enum as JSON.
func (l *List) AddValues(schema crdschema.Schema) {
	if len(schema.Enum) == 0 {
		return
	}
	var values []string
	for i, value := range schema.Enum {
		if i == maxValues {
			values = append(values, fmt.Sprintf("and %d more", len(schema.Enum)-i))
			break
		}
		values = append(values, jsonvalue.String(value))
	}
	l.Add("enum", strings.Join(values, ", "))
}

// AddBounds adds the format, the pattern and the limits of numbers, lengths and counts.
func (l *List) AddBounds(schema crdschema.Schema) {
	if schema.Format != "" {
		l.Add("format", schema.Format)
	}
	if schema.Pattern != "" {
		l.Add("pattern", schema.Pattern)
	}
	number := func(name string, value *float64, exclusive bool) {
		if value != nil && exclusive {
			l.Add(name, fmt.Sprintf("%v, exclusive", *value))
		} else if value != nil {
			l.Add(name, fmt.Sprint(*value))
		}
	}
	count := func(name string, value *int64) {
		if value != nil {
			l.Add(name, fmt.Sprint(*value))
		}
	}
	number("minimum", schema.Minimum, schema.ExclusiveMinimum)
	number("maximum", schema.Maximum, schema.ExclusiveMaximum)
	number("multipleOf", schema.MultipleOf, false)
	count("minLength", schema.MinLength)
	count("maxLength", schema.MaxLength)
	count("minItems", schema.MinItems)
	count("maxItems", schema.MaxItems)
	count("minProperties", schema.MinProperties)
	count("maxProperties", schema.MaxProperties)
}

// AddExtensions adds nullable and Kubernetes' extensions of list, map and unknown fields.
func (l *List) AddExtensions(schema crdschema.Schema) {
	if schema.Nullable {
		l.Add("nullable", "yes")
	}
	if kind, ok := schema.Extensions.GetString("x-kubernetes-list-type"); ok {
		if keys := schema.ListKeys(); len(keys) > 0 {
			kind += " by " + strings.Join(keys, ", ")
		}
		l.Add("list", kind)
	}
	if kind, ok := schema.Extensions.GetString("x-kubernetes-map-type"); ok {
		l.Add("map", kind)
	}
	if crdschema.BoolExtension(schema.Schema, "x-kubernetes-preserve-unknown-fields") {
		l.Add("unknown fields", "preserved")
	}
}

// AddRules adds the validation rules with their messages.
func (l *List) AddRules(schema crdschema.Schema) {
	rules, _ := schema.Extensions["x-kubernetes-validations"].([]any)
	for _, each := range rules {
		rule, ok := each.(apiextensionsv1.ValidationRule)
		if !ok {
			continue
		}
		description := strings.TrimSpace(rule.Rule)
		if rule.Message != "" {
			description += "\n" + strings.TrimSpace(rule.Message)
		}
		l.Add("rule", description)
	}
}

// maxAlternative limits the length of the JSON of an alternative.
const maxAlternative = 300

// AddAlternatives adds the schemas of oneOf, anyOf, allOf and not as JSON.
func (l *List) AddAlternatives(schema crdschema.Schema) {
	for _, junctor := range []struct {
		name    string
		schemas []spec.Schema
	}{{"oneOf", schema.OneOf}, {"anyOf", schema.AnyOf}, {"allOf", schema.AllOf}} {
		for _, alternative := range junctor.schemas {
			l.addAlternative(junctor.name, alternative)
		}
	}
	if schema.Not != nil {
		l.addAlternative("not", *schema.Not)
	}
}

func (l *List) addAlternative(name string, schema spec.Schema) {
	text := jsonvalue.String(schema)
	if runes := []rune(text); len(runes) > maxAlternative {
		text = string(runes[:maxAlternative]) + "…"
	}
	l.Add(name, text)
}
