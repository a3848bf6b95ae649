package openapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// A fragment is a schema or a part of one, as decoded from JSON.
type fragment = map[string]any

// JSONSchema converts the published schema of a kind to JSON Schema draft-07. It refuses only
// objects that the API server refuses, which validates an object after it has set defaults and
// pruned nulls and unknown fields. If strict, the schema refuses unknown fields, too.
func JSONSchema(crd playground.CRD, published playground.Schema, strict bool) json.RawMessage {
	var root fragment
	if err := playground.DecodeJSON(published.Kind, &root); err != nil {
		return published.Kind // the libraries encoded it
	}
	out := specified(root, strict)
	properties, old := at(out, "properties"), at(root, "properties")
	for name, value := range map[string]string{"apiVersion": crd.Group + "/" + published.Version, "kind": crd.Names.Kind} {
		properties[name] = described(fragment{"type": "string", "enum": []any{value}}, at(old, name))
	}
	properties["metadata"] = described(fragment{"type": "object"}, at(old, "metadata"))
	if old["status"] != nil && bytes.Contains(published.OpenAPIV3, []byte(`/{name}/status":`)) { // ignored by a create
		properties["status"] = described(fragment{}, at(old, "status"))
	}
	out["required"] = distinct(append(list(out["required"]), "apiVersion", "kind", "metadata"))
	out["$schema"] = "http://json-schema.org/draft-07/schema#"
	text, err := playground.EncodeJSON(out)
	if err != nil {
		return published.Kind // only values that were decoded
	}
	return text
}

// FileName returns the name of the file with the JSON Schema of a version, as in the CRDs catalog.
func FileName(crd playground.CRD, version string) string {
	return strings.ToLower(crd.Group + "/" + crd.Names.Kind + "_" + version + ".json")
}

// described copies the description of a schema.
func described(out, schema fragment) fragment {
	if description, ok := schema["description"]; ok {
		out["description"] = description
	}
	return out
}

// at returns the fragment at a path, or nil.
func at(f fragment, path ...string) fragment {
	for _, key := range path {
		f, _ = f[key].(fragment)
	}
	return f
}

func list(value any) []any {
	all, _ := value.([]any)
	return all
}

// distinct returns a list without its repetitions, which JSON Schema forbids.
func distinct(values []any) []any {
	var all []any
	for _, value := range values {
		if !slices.ContainsFunc(all, func(v any) bool { return reflect.DeepEqual(v, value) }) {
			all = append(all, value)
		}
	}
	return all
}

// specified converts a schema that specifies fields.
func specified(node fragment, strict bool) fragment {
	if all := list(node["allOf"]); len(all) == 1 && all[0].(fragment)["$ref"] != nil {
		return described(fragment{"type": "object"}, node)
	}
	out, _ := validated(node, node)
	properties := fragment{}
	for name, p := range at(node, "properties") {
		optional := !slices.Contains(list(node["required"]), any(name))
		properties[name] = orNull(specified(p.(fragment), strict), p.(fragment), optional)
	}
	delete(out, "properties")
	if len(properties) > 0 {
		out["properties"] = properties
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if p := at(node, key); p != nil {
			out[key] = orNull(specified(p, strict), p, key != "items")
		}
	}
	if node["x-kubernetes-int-or-string"] == true {
		out["type"] = []any{"integer", "string"}
		delete(out, "anyOf") // the same types
	}
	if strict && node["type"] == "object" && node["additionalProperties"] == nil && node["x-kubernetes-preserve-unknown-fields"] != true {
		out["additionalProperties"] = false
	}
	return out
}

// orNull permits null in a converted schema if the API server accepts null, prunes it or sets
// the default.
func orNull(out, node fragment, pruned bool) fragment {
	enum, isEnum := out["enum"].([]any)
	accepted := pruned || node["default"] != nil
	if node["nullable"] == true {
		accepted = !isEnum // upstream finds no null in an enum
	}
	switch types, several := out["type"].([]any); {
	case !accepted:
	case out["type"] == nil || out["allOf"] != nil || out["anyOf"] != nil || out["oneOf"] != nil || out["not"] != nil:
		return fragment{"anyOf": []any{fragment{"type": "null"}, out}}
	default:
		if !several {
			types = []any{out["type"]}
		}
		out["type"] = append(types, "null")
		if isEnum {
			out["enum"] = distinct(append(slices.Clone(enum), nil))
		}
	}
	return out
}

// validated converts the validations v of the values that node specifies, except for their
// fields and items. Unless the result is exact, it refuses less than v.
func validated(v, node fragment) (out fragment, exact bool) {
	out, exact = maps.Clone(v), true
	dropped := []string{"properties", "items", "minProperties", "maxProperties"}
	switch node["type"] {
	case "object", "array":
		dropped = append(dropped, "enum")
	case "string", nil:
		dropped = append(dropped, "format") // JSON Schema has other definitions, such as of durations
	}
	for _, key := range dropped {
		exact = exact && out[key] == nil
		delete(out, key)
	}
	delete(out, "nullable")
	if enum := list(out["enum"]); enum != nil {
		out["enum"] = distinct(enum)
	}
	for exclusive, bound := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		excludes := out[exclusive] == true && out[bound] != nil
		delete(out, exclusive)
		if excludes { // a number in JSON Schema
			out[exclusive] = out[bound]
			delete(out, bound)
		}
	}
	required, present := []any{}, fragment{}
	for _, name := range list(v["required"]) {
		if p := at(node, "properties", name.(string)); p["default"] == nil {
			required = append(required, name)
			if p["nullable"] != true { // null is pruned
				present[name.(string)] = fragment{"not": fragment{"type": "null"}}
			}
		}
	}
	delete(out, "required")
	if len(required) > 0 {
		out["required"] = distinct(required)
	}
	if len(present) > 0 {
		out["properties"] = present
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		every, all := true, []any{}
		for _, sub := range list(v[key]) {
			converted, ok := validated(sub.(fragment), node)
			all, every = append(all, converted), every && ok
		}
		exact = exact && every
		if out[key] = all; len(all) == 0 || key == "oneOf" && !every {
			delete(out, key)
		}
	}
	if sub := at(v, "not"); sub != nil {
		converted, ok := validated(sub, node)
		exact = exact && ok
		if out["not"] = converted; !ok {
			delete(out, "not")
		}
	}
	return out, exact
}
