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

// exampleKey is the key of map entries, and unknownKey the key of unknown fields.
const (
	exampleKey = "example"
	unknownKey = "unknownField"
)

// A candidate is a change of an object that may lead to a witness.
type candidate struct {
	path  []any
	value any
	// absent removes the value.
	absent bool
}

// candidates returns the candidates for a difference at a version, the most promising
// ones first.
func (s *search) candidates(d crddiff.Difference, version string) []candidate {
	if !strings.Contains(d.Field, ".openAPIV3Schema") {
		return settingOf(d.Field).candidates(s.root(s.old.CRD, version))
	}
	path := valuePath(d.Path)
	if d.Keyword == "required" {
		if name, ok := decode(d.After).(string); ok {
			return []candidate{{path: jsonvalue.AppendStep(path, name), absent: true}}
		}
	}
	n := node{old: s.root(s.old.CRD, version).At(path), new: s.root(s.new.CRD, version).At(path), keyword: d.Keyword}
	if n.old.Schema == nil && n.new.Schema == nil {
		// The difference is in another version, through which the object passes.
		return []candidate{{path: path, absent: true}}
	}
	var all []candidate
	if d.Keyword == "x-kubernetes-validations" {
		all = append(all, ruleCandidates(s.root(s.old.CRD, version), path, ruleOf(d))...)
	}
	if len(path) > 0 && d.Keyword == "default" || n.old.Schema == nil && n.new.Schema != nil && n.new.Default != nil {
		all = append(all, candidate{path: path, absent: true})
	}
	known := map[string]bool{}
	for _, value := range n.values() {
		if key := jsonvalue.String(value); !known[key] {
			known[key] = true
			all = append(all, candidate{path: path, value: value})
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
			steps = append(steps, exampleKey)
		}
	}
	return steps
}

// place returns a copy of an object with the candidate. It adds the values that contain
// it. ok is false if the object cannot contain the candidate.
func (c candidate) place(root crdschema.Schema, base map[string]any) (object map[string]any, ok bool) {
	value, ok := c.placeBelow(root, base, c.path)
	object, isObject := value.(map[string]any)
	return object, ok && isObject
}

func (c candidate) placeBelow(schema crdschema.Schema, value any, path []any) (any, bool) {
	if len(path) == 0 {
		return c.overlay(value), true
	}
	step := path[0]
	parent := contain(schema, value, step)
	if parent == nil {
		return nil, false
	}
	name, isKey := step.(string)
	if c.absent && len(path) == 1 && isKey {
		delete(parent.(map[string]any), name)
		return parent, true
	}
	child, _ := jsonvalue.At(parent, []any{step})
	placed, ok := c.placeBelow(schema.Child(step), child, path[1:])
	return solve.Replace(parent, []any{step}, placed), ok
}

// overlay returns the value of the candidate. At the root, it keeps the fields of all
// resources.
func (c candidate) overlay(value any) any {
	object, isObject := c.value.(map[string]any)
	root, isRoot := value.(map[string]any)
	if !isObject || !isRoot || len(c.path) > 0 {
		return c.value
	}
	out := maps.Clone(root)
	maps.Copy(out, object)
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		out[name] = root[name]
	}
	return out
}

// contain returns a copy of a value, or a new one, that can have a child. It returns nil
// if the schema permits no such value.
func contain(schema crdschema.Schema, value, step any) any {
	if _, isKey := step.(string); isKey {
		object, isObject := value.(map[string]any)
		if !isObject {
			object, isObject = crdschema.Sample(schema).(map[string]any)
		}
		if !isObject {
			return nil
		}
		return maps.Clone(object)
	}
	list, isList := value.([]any)
	if !isList || len(list) == 0 {
		if !schema.Is("array") {
			return nil
		}
		list, _ = crdschema.Sample(schema).([]any)
		if len(list) == 0 {
			list = crdschema.SampleItems(schema, 1)
		}
	}
	return slices.Clone(list)
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
		values = append(values, exampleKey, int64(1), 1.5, "50%", true, map[string]any{unknownKey: exampleKey}, map[string]any{}, []any{}, nil)
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
		with := map[string]any{unknownKey: exampleKey}
		if object, ok := crdschema.Sample(n.old).(map[string]any); ok {
			maps.Copy(with, object)
		}
		return []any{with, map[string]any{unknownKey: map[string]any{unknownKey: exampleKey}}, exampleKey, int64(1), []any{map[string]any{unknownKey: exampleKey}}}
	case "format", "x-kubernetes-int-or-string":
		return []any{[]any{}}
	case "x-kubernetes-embedded-resource":
		return []any{map[string]any{}, map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": exampleKey, unknownKey: exampleKey}}}
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

func (n node) strings() []any {
	var values []any
	if n.new.MaxLength != nil {
		beyond := *n.new.MaxLength + 1
		values = append(values, crdschema.Sample(n.with(func(schema *crdschema.Schema) { schema.MinLength = &beyond })), strings.Repeat("e", int(min(beyond, maxLength))))
	}
	if n.new.MinLength != nil {
		below := *n.new.MinLength - 1
		values = append(values, crdschema.Sample(n.with(func(schema *crdschema.Schema) { schema.MaxLength = &below })), strings.Repeat("e", int(min(max(below, 0), maxLength))))
	}
	return values
}

// maxLength limits the length of a string in a candidate, and maxCount the number of its
// items or entries.
const (
	maxLength = 100_000
	maxCount  = 1000
)

func (n node) lists() []any {
	var values []any
	count := func(items int64) {
		if items >= 0 && items <= maxCount {
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
		if fields >= 0 && fields <= maxCount {
			object, _ := crdschema.Sample(n.old).(map[string]any)
			values = append(values, fill(n.old, object, int(fields)))
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

// fill returns a copy of an object with further fields.
func fill(schema crdschema.Schema, object map[string]any, count int) map[string]any {
	filled := maps.Clone(object)
	if filled == nil {
		filled = map[string]any{}
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if _, ok := filled[name]; !ok && len(filled) < count {
			filled[name] = crdschema.Sample(schema.Child(name))
		}
	}
	if schema.AdditionalProperties == nil || schema.AdditionalProperties.Schema == nil {
		return filled
	}
	for _, item := range crdschema.SampleItems(crdschema.Schema{Schema: crdschema.ListOf(schema.AdditionalProperties.Schema), Types: schema.Types}, count) {
		if len(filled) >= count {
			break
		}
		filled[jsonvalue.String(len(filled))+"-"+exampleKey] = item
	}
	return filled
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
		values = append(values, int64(0), int64(-1), int64(1), int64(100), int64(1_000_000), int64(1<<40), "0", "100%", exampleKey)
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
			values = append(values, fill(schema, object, count))
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
