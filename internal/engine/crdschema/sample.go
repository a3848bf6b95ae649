package crdschema

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

const (
	// maxSampleDepth ends the recursion in schemas of Kubernetes types. Schemas of CRDs
	// are not recursive.
	maxSampleDepth = 60
	// maxSampleItems limits the items or entries of a sample.
	maxSampleItems = 50
)

// Sample returns a small value that schema accepts, if it finds one.
func Sample(schema Schema) any { return (&sampler{}).value(schema, 0) }

// SampleObject returns an object with the required fields of schema that have no
// default, and further fields if minProperties requires them.
func SampleObject(schema Schema) map[string]any { return (&sampler{}).object(schema, 0) }

// SampleItem returns an item for a list.
func SampleItem(list Schema) any { return (&sampler{}).item(list, 0, 0) }

// SampleItems returns a number of different items for a list.
func SampleItems(list Schema, count int) []any {
	items := make([]any, count)
	for i := range items {
		items[i] = (&sampler{}).item(list, i, 0)
	}
	return items
}

// SampleEdits returns values that differ from value in a single edit: one or all
// missing scalar fields added, one item added, or a scalar replaced.
func SampleEdits(schema Schema, value any) []any { return (&sampler{}).edits(schema, value) }

// A sampler creates values that a schema accepts.
type sampler struct {
	// variant varies strings and numbers, for lists without duplicates.
	variant int
}

func (s *sampler) value(schema Schema, depth int) any {
	if schema.Schema == nil || depth > maxSampleDepth {
		return map[string]any{}
	}
	plain := s.plainValue(merge(schema, schema.AllOf), depth)
	if len(schema.AnyOf) == 0 && len(schema.OneOf) == 0 && schema.Not == nil {
		return plain
	}
	for _, candidate := range s.alternatives(schema) {
		value := s.plainValue(candidate, depth)
		if accepts(schema, value) {
			return value
		}
	}
	return plain
}

// alternatives returns schema merged with each combination of its anyOf and oneOf
// branches.
func (s *sampler) alternatives(schema Schema) []Schema {
	base := merge(schema, schema.AllOf)
	out := []Schema{base}
	for _, branch := range slices.Concat(schema.OneOf, schema.AnyOf) {
		out = append(out, merge(base, []spec.Schema{branch}))
	}
	for _, one := range schema.OneOf {
		for _, anyOf := range schema.AnyOf {
			out = append(out, merge(base, []spec.Schema{one, anyOf}))
		}
	}
	return out
}

func accepts(schema Schema, value any) bool {
	return len(validation.ValidateCustomResource(nil, value, validation.NewSchemaValidatorFromOpenAPI(schema.Schema))) == 0
}

// merge returns a schema with the constraints of schema and of others.
func merge(schema Schema, others []spec.Schema) Schema {
	if len(others) == 0 {
		return schema
	}
	out := *schema.Schema
	out.Properties = maps.Clone(out.Properties)
	for _, other := range others {
		mergeInto(&out, other)
		if len(other.AllOf) > 0 {
			out = *merge(Schema{Schema: &out}, other.AllOf).Schema
		}
	}
	return Schema{Schema: &out, Name: schema.Name, Types: schema.Types}
}

func mergeInto(out *spec.Schema, other spec.Schema) {
	out.Required = append(slices.Clone(out.Required), other.Required...)
	if len(out.Type) != 1 && len(other.Type) > 0 {
		out.Type = other.Type
	}
	if len(other.Enum) > 0 {
		out.Enum = other.Enum
	}
	if other.Pattern != "" {
		out.Pattern = other.Pattern
	}
	if other.Format != "" {
		out.Format = other.Format
	}
	out.Minimum, out.Maximum = greater(out.Minimum, other.Minimum), less(out.Maximum, other.Maximum)
	out.ExclusiveMinimum = out.ExclusiveMinimum || other.ExclusiveMinimum
	out.ExclusiveMaximum = out.ExclusiveMaximum || other.ExclusiveMaximum
	out.MinLength, out.MaxLength = greater(out.MinLength, other.MinLength), less(out.MaxLength, other.MaxLength)
	out.MinItems, out.MaxItems = greater(out.MinItems, other.MinItems), less(out.MaxItems, other.MaxItems)
	out.MinProperties, out.MaxProperties = greater(out.MinProperties, other.MinProperties), less(out.MaxProperties, other.MaxProperties)
	for name, property := range other.Properties {
		if own, ok := out.Properties[name]; ok {
			property = *merge(Schema{Schema: &own}, []spec.Schema{property}).Schema
			property.Default = nil
		}
		if out.Properties == nil {
			out.Properties = map[string]spec.Schema{}
		}
		out.Properties[name] = property
	}
	if other.Items != nil && other.Items.Schema != nil && out.Items != nil && out.Items.Schema != nil {
		out.Items = &spec.SchemaOrArray{Schema: merge(Schema{Schema: out.Items.Schema}, []spec.Schema{*other.Items.Schema}).Schema}
	}
}

func greater[N int64 | float64](a, b *N) *N {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

func less[N int64 | float64](a, b *N) *N {
	if a == nil || b != nil && *b < *a {
		return b
	}
	return a
}

// plainValue returns a value for a schema, without regard to anyOf, oneOf and not.
func (s *sampler) plainValue(schema Schema, depth int) any {
	switch {
	case len(schema.Enum) > 0:
		return schema.Enum[s.variant%len(schema.Enum)]
	case schema.Is("integer"), BoolExtension(schema.Schema, "x-kubernetes-int-or-string"):
		return int64(s.number(schema, 1))
	case schema.Is("object"):
		return s.object(schema, depth)
	case schema.Is("array"):
		return s.list(schema, depth)
	case schema.Is("number"):
		return s.number(schema, 0)
	case schema.Is("boolean"):
		return s.variant%2 == 1
	case schema.Is("string"):
		return s.stringValue(schema)
	}
	return map[string]any{}
}

// number returns a number within the bounds. step is 1 for integers and 0 for other
// numbers.
func (s *sampler) number(schema Schema, step float64) float64 {
	value := float64(s.variant)
	if schema.Minimum != nil {
		value += *schema.Minimum
		if schema.ExclusiveMinimum {
			value += max(step, 0.5)
		}
	} else {
		value++
	}
	if schema.Maximum != nil && (value > *schema.Maximum || schema.ExclusiveMaximum && value == *schema.Maximum) {
		value = *schema.Maximum - float64(s.variant)
		if schema.ExclusiveMaximum {
			value -= max(step, 0.5)
		}
	}
	if step == 1 {
		value = math.Ceil(value)
	}
	if schema.MultipleOf != nil && *schema.MultipleOf > 0 {
		value = math.Ceil(value / *schema.MultipleOf) * *schema.MultipleOf
	}
	return value
}

// object returns an object with the required fields that have no default, and with
// minProperties fields.
func (s *sampler) object(schema Schema, depth int) map[string]any {
	object := map[string]any{}
	for _, name := range schema.Required {
		property := schema.Child(name)
		switch {
		case property.Schema == nil:
			object[name] = "example"
		case property.Default == nil:
			object[name] = s.value(property, depth+1)
		}
	}
	if schema.MinProperties != nil {
		s.fill(object, schema, int(min(*schema.MinProperties, maxSampleItems)), depth)
	}
	return object
}

// fill adds fields to an object until it has the given number of fields.
func (s *sampler) fill(object map[string]any, schema Schema, count, depth int) {
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		if _, ok := object[name]; !ok && len(object) < count {
			object[name] = s.value(schema.Child(name), depth+1)
		}
	}
	for i := 1; len(object) < count; i++ {
		value := any("example")
		if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
			value = s.value(schema.Child(""), depth+1)
		}
		object[fmt.Sprintf("key%d", i)] = value
	}
}

func (s *sampler) list(schema Schema, depth int) []any {
	list := []any{}
	if schema.MinItems == nil {
		return list
	}
	for i := range int(min(*schema.MinItems, maxSampleItems)) {
		list = append(list, s.item(schema, i, depth))
	}
	return list
}

// item returns the item of a list at an index. Items at different indexes differ.
func (s *sampler) item(list Schema, index, depth int) any {
	varied := *s
	varied.variant += index
	schema := list.Child(0)
	value := varied.value(schema, depth+1)
	if object, ok := value.(map[string]any); ok {
		for _, key := range list.ListKeys() {
			if property := schema.Child(key); property.Schema != nil && (index > 0 || property.Default == nil) {
				object[key] = varied.value(property, depth+1)
			}
		}
	}
	return value
}

// maxEdits limits the result of [SampleEdits].
const maxEdits = 40

func (s *sampler) edits(schema Schema, value any) []any {
	var edits []any
	if schema.Schema == nil {
		return nil
	}
	switch value := value.(type) {
	case map[string]any:
		edits = s.objectEdits(schema, value)
	case []any:
		if len(value) < maxSampleItems && schema.Is("array") {
			edits = append(edits, append(slices.Clone(value), s.item(schema, len(value), 0)))
		}
	default:
		for variant := 1; variant < 8; variant++ {
			varied := sampler{variant}
			if other := varied.value(schema, 0); other != value {
				edits = append(edits, other)
			}
		}
	}
	if len(edits) > maxEdits {
		edits = append(edits[:maxEdits-1], edits[len(edits)-1])
	}
	return edits
}

func (s *sampler) objectEdits(schema Schema, object map[string]any) []any {
	var edits []any
	with := func(name string, value any) {
		changed := maps.Clone(object)
		changed[name] = value
		edits = append(edits, changed)
	}
	scalars := maps.Clone(object)
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		property := schema.Child(name)
		if _, has := object[name]; has || name == "status" {
			continue
		}
		value := s.value(property, 0)
		with(name, value)
		if !property.Is("object") && !property.Is("array") {
			scalars[name] = value
		}
		if list, isList := value.([]any); isList && len(list) == 0 && property.Is("array") {
			with(name, []any{s.item(property, 0, 0)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		for _, inner := range s.scalarEdits(schema.Child(name), object[name]) {
			with(name, inner)
		}
	}
	return append(edits, scalars)
}

// scalarEdits returns the other values of an enum or a Boolean.
func (s *sampler) scalarEdits(schema Schema, value any) []any {
	if schema.Schema == nil {
		return nil
	}
	if _, isBoolean := value.(bool); !isBoolean && len(schema.Enum) == 0 {
		return nil
	}
	return s.edits(schema, value)
}

// ListOf returns the schema of a list of values.
func ListOf(items *spec.Schema) *spec.Schema {
	return &spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"array"}, Items: &spec.SchemaOrArray{Schema: items}}}
}
