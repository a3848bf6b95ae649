package solve

import (
	"maps"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/engine/celvalue"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
)

// MaxLength limits the length of a string in an edit, and MaxCount the number of its
// items or entries.
const (
	MaxLength = 100_000
	MaxCount  = 1000
)

// RuleEdits returns the edits that may change the result of a rule: each value that the rule reads, near each
// literal of the rule, and absent. path is the path of the value that the rule is for.
func RuleEdits(root crdschema.Schema, path []any, rule string) []Edit {
	if rule == "" {
		return nil
	}
	reads, literals := celvalue.Operands(rule)
	var near, absent []Edit
	for _, steps := range reads {
		read := ReadPath(root, path, steps)
		for _, value := range valuesNear(root.At(read), literals) {
			near = append(near, Edit{Path: read, Value: value})
		}
		if len(steps) > 0 && steps[len(steps)-1] != celvalue.Each {
			absent = append(absent, Edit{Path: read, Absent: true})
		}
	}
	return append(near, absent...)
}

// ReadPath returns the path of a value that a rule reads: the first item of lists, and an
// example entry of maps.
func ReadPath(root crdschema.Schema, path []any, steps []string) []any {
	read := slices.Clone(path)
	for _, name := range steps {
		var step any = name
		switch isEach := name == celvalue.Each; {
		case isEach && root.At(read).Is("array"):
			step = 0
		case isEach:
			step = ExampleKey
		}
		read = append(read, step)
	}
	return read
}

// valuesNear returns values of a schema node that equal a literal, or that have its size, or
// that are next to it.
func valuesNear(schema crdschema.Schema, literals []any) []any {
	if schema.Schema == nil {
		return nil
	}
	var values []any
	if schema.Is("boolean") {
		values = append(values, true, false)
	}
	for _, literal := range literals {
		switch literal := literal.(type) {
		case string:
			if schema.Is("string") {
				values = append(values, literal, literal+"x")
			}
		case int64:
			for _, number := range []int64{literal, literal + 1, literal - 1} {
				values = append(values, valuesOfSize(schema, number)...)
			}
		case float64:
			if schema.Is("number") {
				values = append(values, literal, literal+0.5, literal-0.5)
			}
		}
	}
	return values
}

// valuesOfSize returns a number, or a string, list or map of a size.
func valuesOfSize(schema crdschema.Schema, size int64) []any {
	switch {
	case schema.Is("integer"), schema.Is("number"), crdschema.BoolExtension(schema.Schema, "x-kubernetes-int-or-string"):
		return []any{size}
	case schema.Is("string") && size >= 0 && size <= MaxLength:
		return []any{strings.Repeat("e", int(size))}
	case schema.Is("array") && size >= 0 && size <= MaxCount:
		return []any{crdschema.SampleItems(schema, int(size))}
	case schema.Is("object") && size >= 0 && size <= MaxCount:
		object, _ := crdschema.Sample(schema).(map[string]any)
		return []any{Fill(schema, object, int(size))}
	}
	return nil
}

// Fill returns a copy of an object with further fields.
func Fill(schema crdschema.Schema, object map[string]any, count int) map[string]any {
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
		filled[jsonvalue.String(len(filled))+"-"+ExampleKey] = item
	}
	return filled
}
