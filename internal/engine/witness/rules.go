package witness

import (
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/engine/celvalue"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
)

// ruleCandidates returns candidates for a new rule: each value that the rule reads, near each
// literal of the rule, and absent. path is the path of the value that the rule is for.
func ruleCandidates(root crdschema.Schema, path []any, rule string) []candidate {
	reads, literals := celvalue.Operands(rule)
	var near, absent []candidate
	for _, steps := range reads {
		read := readPath(root, path, steps)
		for _, value := range valuesNear(root.At(read), literals) {
			near = append(near, candidate{path: read, value: value})
		}
		if len(steps) > 0 && steps[len(steps)-1] != celvalue.Each {
			absent = append(absent, candidate{path: read, absent: true})
		}
	}
	return append(near, absent...)
}

// readPath returns the path of a value that a rule reads: the first item of lists, and an
// example entry of maps.
func readPath(root crdschema.Schema, path []any, steps []string) []any {
	read := slices.Clone(path)
	for _, name := range steps {
		var step any = name
		switch isEach := name == celvalue.Each; {
		case isEach && root.At(read).Is("array"):
			step = 0
		case isEach:
			step = exampleKey
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
	case schema.Is("string") && size >= 0 && size <= maxLength:
		return []any{strings.Repeat("e", int(size))}
	case schema.Is("array") && size >= 0 && size <= maxCount:
		return []any{crdschema.SampleItems(schema, int(size))}
	case schema.Is("object") && size >= 0 && size <= maxCount:
		object, _ := crdschema.Sample(schema).(map[string]any)
		return []any{fill(schema, object, int(size))}
	}
	return nil
}
