package witness

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/engine/crddiff"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/solve"
)

// unknownKey is the key of unknown fields.
const unknownKey = "unknownField"

// candidates returns the candidates for a difference at a version, the most promising
// ones first.
func (s *search) candidates(d crddiff.Difference, version string) []solve.Edit {
	if !strings.Contains(d.Field, ".openAPIV3Schema") {
		return settingOf(d.Field).candidates(s.root(s.old.CRD, version))
	}
	path := valuePath(d.Path)
	if d.Keyword == "required" {
		if name, ok := decode(d.After).(string); ok {
			return []solve.Edit{{Path: jsonvalue.AppendStep(path, name), Absent: true}}
		}
	}
	n := node{old: s.root(s.old.CRD, version).At(path), new: s.root(s.new.CRD, version).At(path), keyword: d.Keyword}
	if n.old.Schema == nil && n.new.Schema == nil {
		// The difference is in another version, through which the object passes.
		return []solve.Edit{{Path: path, Absent: true}}
	}
	var all []solve.Edit
	if d.Keyword == "x-kubernetes-validations" {
		all = append(all, solve.RuleEdits(s.root(s.old.CRD, version), path, ruleOf(d))...)
	}
	if len(path) > 0 && d.Keyword == "default" || n.old.Schema == nil && n.new.Schema != nil && n.new.Default != nil {
		all = append(all, solve.Edit{Path: path, Absent: true})
	}
	known := map[string]bool{}
	for _, value := range n.values() {
		if key := jsonvalue.String(value); !known[key] {
			known[key] = true
			all = append(all, solve.Edit{Path: path, Value: value})
		}
	}
	return all
}

// valuePath returns the path of a value that a schema node describes.
func valuePath(path crdschema.Path) []any {
	steps := []any{}
	for i := 0; i < len(path); i++ {
		switch path[i] {
		case "properties":
			i++
			steps = append(steps, path[i])
		case "items":
			steps = append(steps, 0)
		default:
			steps = append(steps, solve.ExampleKey)
		}
	}
	return steps
}

// A node is a schema node of both CRDs with a changed keyword. The Schema of one of them is
// nil if the CRD lacks the node.
type node struct {
	old, new crdschema.Schema
	keyword  string
}

// values returns values that the old node may accept and the new one reject or change.
func (n node) values() []any {
	schema := n.old
	if schema.Schema == nil {
		schema = n.new
	}
	sample := crdschema.Sample(schema)
	var values []any
	if n.old.Schema != nil && n.new.Schema != nil {
		values = n.targeted()
	}
	values = append(values, sample)
	if n.old.Schema == nil || n.new.Schema == nil || n.keyword == "" || n.keyword == "type" || n.keyword == "x-kubernetes-int-or-string" {
		values = append(values, solve.ExampleKey, int64(1), 1.5, "50%", true, map[string]any{unknownKey: solve.ExampleKey}, map[string]any{}, []any{}, nil)
	}
	if n.keyword == "default" || n.keyword == "nullable" {
		values = append(values, nil)
	}
	return append(values, n.varied(schema, sample)...)
}

// targeted returns values beyond the limits of the new node.
func (n node) targeted() []any {
	switch n.keyword {
	case "nullable":
		return []any{nil}
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return n.numbers()
	case "minLength", "maxLength":
		return n.strings()
	case "minItems", "maxItems", "x-kubernetes-list-type", "x-kubernetes-list-map-keys":
		return n.lists()
	case "minProperties", "maxProperties":
		return n.objects()
	case "enum":
		return slices.DeleteFunc(slices.Clone(n.old.Enum), func(value any) bool {
			return slices.ContainsFunc(n.new.Enum, func(other any) bool { return jsonvalue.Equal(value, other) })
		})
	case "x-kubernetes-preserve-unknown-fields", "additionalProperties":
		with := map[string]any{unknownKey: solve.ExampleKey}
		if object, ok := crdschema.Sample(n.old).(map[string]any); ok {
			maps.Copy(with, object)
		}
		return []any{with, map[string]any{unknownKey: map[string]any{unknownKey: solve.ExampleKey}}, solve.ExampleKey, int64(1), []any{map[string]any{unknownKey: solve.ExampleKey}}}
	case "format", "x-kubernetes-int-or-string":
		return []any{[]any{}}
	case "x-kubernetes-embedded-resource":
		return []any{map[string]any{}, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": solve.ExampleKey, unknownKey: solve.ExampleKey}}}
	}
	return nil
}

// numbers returns numbers at the limits of both nodes, and next to them.
func (n node) numbers() []any {
	var numbers []float64
	near := func(limit *float64) {
		if limit != nil {
			numbers = append(numbers, math.Ceil(*limit)-1, math.Floor(*limit)+1, *limit, *limit-0.5, *limit+0.5)
		}
	}
	near(n.new.Minimum)
	near(n.new.Maximum)
	near(n.old.Minimum)
	near(n.old.Maximum)
	if step := n.new.MultipleOf; step != nil {
		base := 1.0
		if n.old.MultipleOf != nil {
			base = *n.old.MultipleOf
		}
		start := 0.0
		if n.old.Minimum != nil {
			start = math.Ceil(*n.old.Minimum/base) * base
		}
		for i := range 8 {
			numbers = append(numbers, start+float64(i)*base, start-float64(i)*base)
		}
		numbers = append(numbers, *step/2, *step+0.5)
	}
	var values []any
	for _, number := range numbers {
		switch whole := number == math.Trunc(number) && math.Abs(number) < 1<<53; {
		case whole:
			values = append(values, int64(number))
		case !n.old.Is("integer"):
			values = append(values, number)
		}
	}
	return values
}

// with returns the old schema with other limits.
func (n node) with(limit func(schema *crdschema.Schema)) crdschema.Schema {
	copied := *n.old.Schema
	limited := crdschema.Schema{Schema: &copied, Name: n.old.Name, Types: n.old.Types}
	limit(&limited)
	return limited
}

// strings returns strings beyond the limits of the new node.
func (n node) strings() []any {
	var values []any
	if n.new.MaxLength != nil {
		beyond := *n.new.MaxLength + 1
		values = append(values, crdschema.Sample(n.with(func(schema *crdschema.Schema) { schema.MinLength = &beyond })))
		values = append(values, n.ofLength(beyond)...)
	}
	if n.new.MinLength != nil {
		below := *n.new.MinLength - 1
		values = append(values, crdschema.Sample(n.with(func(schema *crdschema.Schema) { schema.MaxLength = &below })))
		values = append(values, n.ofLength(below)...)
	}
	return values
}

// ofLength returns strings of a length, some of which begin as those that match the pattern.
func (n node) ofLength(length int64) []any {
	count := int(min(max(length, 0), solve.MaxLength))
	values := []any{strings.Repeat("e", count)}
	if n.old.Pattern == "" {
		return values
	}
	for _, sample := range crdschema.StringSamples(n.old) {
		if missing := count - len(sample); sample != "" && missing > 0 && len(values) < 4 {
			values = append(values, sample+strings.Repeat("e", missing), sample+strings.Repeat(sample[len(sample)-1:], missing))
		}
	}
	return values
}

func (n node) lists() []any {
	var values []any
	count := func(items int64) {
		if items >= 0 && items <= solve.MaxCount {
			values = append(values, crdschema.SampleItems(n.old, int(items)))
		}
	}
	if n.new.MaxItems != nil {
		count(*n.new.MaxItems + 1)
	}
	if n.new.MinItems != nil {
		count(*n.new.MinItems - 1)
	}
	one := crdschema.SampleItems(n.old, 1)[0]
	values = append(values, []any{one, one})
	return append(values, n.twins()...)
}

// twins returns lists of two items that differ, but have the same keys in the new list.
func (n node) twins() []any {
	var values []any
	items := crdschema.SampleItems(n.old, 2)
	first, isObject := items[0].(map[string]any)
	second, _ := items[1].(map[string]any)
	if !isObject {
		return nil
	}
	first, second = maps.Clone(first), maps.Clone(second)
	for _, key := range n.new.ListKeys() {
		value := crdschema.Sample(n.old.Child(0).Child(key))
		first[key], second[key] = value, value
	}
	values = append(values, []any{first, second})
	for _, edit := range crdschema.SampleEdits(n.old.Child(0), first) {
		values = append(values, []any{first, edit})
	}
	return values
}

func (n node) objects() []any {
	var values []any
	count := func(fields int64) {
		if fields >= 0 && fields <= solve.MaxCount {
			object, _ := crdschema.Sample(n.old).(map[string]any)
			values = append(values, solve.Fill(n.old, object, int(fields)))
		}
	}
	if n.new.MaxProperties != nil {
		count(*n.new.MaxProperties + 1)
	}
	if n.new.MinProperties != nil {
		count(*n.new.MinProperties - 1)
	}
	return values
}

// varied returns different values for changes that only an evaluation can judge, such as
// of rules and patterns.
func (n node) varied(schema crdschema.Schema, sample any) []any {
	var values []any
	switch {
	case schema.Is("string"):
		for _, s := range crdschema.StringSamples(schema) {
			values = append(values, s)
		}
	case schema.Is("integer"), schema.Is("number"), crdschema.BoolExtension(schema.Schema, "x-kubernetes-int-or-string"):
		values = append(values, int64(0), int64(-1), int64(1), int64(100), int64(1_000_000), int64(1<<40), "0", "100%", solve.ExampleKey)
		values = append(values, n.numbersOf(schema)...)
	case schema.Is("array"):
		for _, count := range []int{1, 2, 3, 10} {
			values = append(values, crdschema.SampleItems(schema, count))
		}
		values = append(values, []any{})
	case schema.Is("object"):
		values = append(values, map[string]any{})
		for _, count := range []int{1, 2, 3, 10} {
			object, _ := sample.(map[string]any)
			values = append(values, solve.Fill(schema, object, count))
		}
	case schema.Is("boolean"):
		values = append(values, true, false)
	}
	return append(values, crdschema.SampleEdits(schema, sample)...)
}

// numbersOf returns numbers at the limits of a schema.
func (n node) numbersOf(schema crdschema.Schema) []any {
	return node{old: schema, new: schema}.numbers()
}
