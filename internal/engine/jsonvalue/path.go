package jsonvalue

import (
	"encoding/json"
	"fmt"
	"strings"
)

// AppendStep is a longer path that shares no memory with path.
func AppendStep(path []any, step any) []any {
	return append(path[:len(path):len(path)], step)
}

// PathString writes the path of a value as the API server's errors do:
// "spec.jobs[0].name". A key that is no plain name is put in brackets.
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

// At is the value at a path.
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
			if !ok || step >= len(list) {
				return nil, false
			}
			value = list[step]
		}
	}
	return value, true
}

func String(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return "null"
	}
	return string(encoded)
}
