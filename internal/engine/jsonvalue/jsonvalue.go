// Package jsonvalue makes JSON, as reports have it, of what upstream's code holds.
package jsonvalue

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// Encode is a JSON value with sorted keys, as it stands in the report.
func Encode(value any) json.RawMessage {
	if object, ok := value.(interface{ UnstructuredContent() map[string]any }); ok && !reflect.ValueOf(object).IsNil() {
		value = object.UnstructuredContent()
	}
	data, err := json.Marshal(value)
	if err != nil {
		return json.RawMessage("null") // no value that came out of JSON
	}
	return data
}

// Decoded is an object as it comes back out of its JSON: floats without a
// fraction are integers there. An object without floats is returned as it is.
func Decoded(object map[string]any) map[string]any {
	if !hasFloat(object) {
		return object
	}
	decoded := map[string]any{}
	if err := utiljson.Unmarshal(Encode(object), &decoded); err != nil {
		return object // no value that came out of JSON
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

// Steps splits a simple JSONPath such as ".spec.replicas"; "." is the root.
func Steps(path string) []string {
	path = strings.TrimPrefix(path, ".")
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}
