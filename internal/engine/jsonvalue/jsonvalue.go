// Package jsonvalue converts upstream's values to the JSON of a report.
package jsonvalue

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Encode returns the JSON of a value for the report, with sorted keys and without escapes for
// HTML.
func Encode(value any) json.RawMessage {
	if object, ok := value.(interface{ UnstructuredContent() map[string]any }); ok && !reflect.ValueOf(object).IsNil() {
		value = object.UnstructuredContent()
	}
	data, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage("null") // not a value decoded from JSON
	}
	return Unescaped(data)
}

// htmlEscapes replaces the escapes that package json writes for HTML. An escaped backslash
// remains.
var htmlEscapes = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// Unescaped returns JSON without escapes for HTML. People read it, and upstream's types always
// write them.
func Unescaped(data json.RawMessage) json.RawMessage {
	if !bytes.Contains(data, []byte(`\u00`)) {
		return data
	}
	return json.RawMessage(htmlEscapes.Replace(string(data)))
}

// NormalizeNumbers encodes and decodes an object, which converts floats without a
// fraction to integers. It returns an object without floats unchanged.
func NormalizeNumbers(object map[string]any) map[string]any {
	if !hasFloat(object) {
		return object
	}
	decoded := map[string]any{}
	if err := utiljson.Unmarshal(Encode(object), &decoded); err != nil {
		return object // not a value decoded from JSON
	}
	return decoded
}

func hasFloat(value any) bool {
	switch value := value.(type) {
	case float64:
		return true
	case []any:
		return slices.ContainsFunc(value, hasFloat)
	case map[string]any:
		for _, v := range value {
			if hasFloat(v) {
				return true
			}
		}
	}
	return false
}

// SplitJSONPath splits a simple JSONPath such as ".spec.replicas". The path "." is the root.
func SplitJSONPath(path string) []string {
	path = strings.TrimPrefix(path, ".")
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}
