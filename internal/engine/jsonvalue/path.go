package jsonvalue

import (
	"fmt"
	"slices"
	"strings"
)

// AppendStep returns path with a further step. The result shares no memory with path.
func AppendStep(path []any, step any) []any {
	return append(slices.Clip(path), step)
}

// PathString formats the path of a value as in the API server's errors:
// "spec.jobs[0].name". A key with special characters is in brackets.
func PathString(path []any) string {
	var b strings.Builder
	for _, step := range path {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			if strings.ContainsAny(step, ".[]/ ") || step == "" {
				fmt.Fprintf(&b, "[%s]", step)
				continue
			}
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
	}
	return b.String()
}

// PathSteps returns the keys and indexes of a path as strings, never nil.
func PathSteps(path []any) []string {
	steps := make([]string, len(path))
	for i, step := range path {
		steps[i] = fmt.Sprint(step)
	}
	return steps
}

// At returns the value at a path. It reports false if there is none.
func At(value any, path []any) (any, bool) {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, ok := value.(map[string]any)
			if !ok {
				return nil, false
			}
			if value, ok = object[step]; !ok {
				return nil, false
			}
		case int:
			list, ok := value.([]any)
			if !ok || step < 0 || step >= len(list) {
				return nil, false
			}
			value = list[step]
		}
	}
	return value, true
}

// BeforeIndex returns the part of a path before its first index.
func BeforeIndex(path []any) []any {
	for i, step := range path {
		if _, isIndex := step.(int); isIndex {
			return path[:i]
		}
	}
	return path
}

// String returns the JSON of a value.
func String(value any) string { return string(Encode(value)) }
