// Package jsonvalue makes JSON, as reports have it, of what upstream's code holds.
package jsonvalue

import (
	"encoding/json"
	"reflect"
	"strings"
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

// Steps splits a simple JSONPath such as ".spec.replicas"; "." is the root.
func Steps(path string) []string {
	path = strings.TrimPrefix(path, ".")
	if path == "" {
		return nil
	}
	return strings.Split(path, ".")
}
