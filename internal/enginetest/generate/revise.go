package generate

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
)

// schemaRevisions lists changes of a schema node that usually keep the CRD valid.
// Duplicates raise the probability.
var schemaRevisions = []mutation{
	{"limit", reviseLimit},
	{"limit", reviseLimit},
	{"enum", reviseEnum},
	{"field", reviseProperty},
	{"field", reviseProperty},
	{"drop field", dropProperty},
	{"required", reviseRequired},
	{"required", reviseRequired},
	{"default", reviseDefault},
	{"default", reviseDefault},
	{"type", reviseType},
	{"pattern", forType("string", func(r *rand.Rand, schema tree) bool {
		return toggle(schema, "pattern", pick(r, []string{"^[a-z]+$", "^[a-z0-9-]*$", "a", "^.{1,5}$"}))
	})},
	{"format", reviseFormat},
	{"nullable", func(_ *rand.Rand, schema tree) bool { return schema["type"] != nil && toggle(schema, "nullable", true) }},
	{"pruning", forType("object", func(_ *rand.Rand, schema tree) bool {
		return schema["additionalProperties"] == nil && toggle(schema, "x-kubernetes-preserve-unknown-fields", true)
	})},
	{"additional", forType("object", func(r *rand.Rand, schema tree) bool {
		return schema["properties"] == nil && toggle(schema, "additionalProperties", pick(r, []any{true, tree{"type": "string"}, tree{"type": "integer", "nullable": true}}))
	})},
	{"embedded", forType("object", func(_ *rand.Rand, schema tree) bool {
		return schema["properties"] != nil && toggle(schema, "x-kubernetes-embedded-resource", true)
	})},
	{"rule", reviseRule},
	{"rule", reviseRule},
	{"list type", forType("array", reviseListType)},
	{"map type", forType("object", func(_ *rand.Rand, schema tree) bool { return toggle(schema, "x-kubernetes-map-type", "atomic") })},
	{"junctor", reviseJunctor},
	{"description", func(_ *rand.Rand, schema tree) bool { return toggle(schema, "description", "A description.") }},
}

// crdRevisions lists changes outside of schemas.
var crdRevisions = []mutation{
	{"names", func(r *rand.Rand, crd tree) bool {
		names, ok := at(crd, "spec", "names").(tree)
		return ok && toggle(names, pick(r, []string{"shortNames", "categories"}), []any{"all"})
	}},
	{"status", forVersion(func(r *rand.Rand, version tree) bool { return toggle(version, "subresources", tree{"status": tree{}}) })},
	{"columns", forVersion(func(r *rand.Rand, version tree) bool {
		return toggle(version, "additionalPrinterColumns", []any{tree{"name": "A", "type": "string", "jsonPath": ".spec.a"}})
	})},
	{"deprecated", forVersion(func(r *rand.Rand, version tree) bool { return toggle(version, "deprecated", true) })},
	{"served", forVersion(func(r *rand.Rand, version tree) bool {
		version["served"] = version["served"] != true
		return true
	})},
	{"storage", moveStorage},
	{"version", addRevisedVersion},
}

// forType returns a change of the nodes of a type.
func forType(name string, change func(*rand.Rand, tree) bool) func(*rand.Rand, tree) bool {
	return func(r *rand.Rand, schema tree) bool { return schema["type"] == name && change(r, schema) }
}

// forVersion returns a change of a version of a CRD.
func forVersion(change func(*rand.Rand, tree) bool) func(*rand.Rand, tree) bool {
	return func(r *rand.Rand, crd tree) bool {
		versions, _ := at(crd, "spec", "versions").([]any)
		if len(versions) == 0 {
			return false
		}
		version, ok := pick(r, versions).(tree)
		return ok && change(r, version)
	}
}

// toggle removes a keyword if the schema has it, and sets it otherwise.
func toggle(schema tree, keyword string, value any) bool {
	if _, has := schema[keyword]; has {
		delete(schema, keyword)
	} else {
		schema[keyword] = value
	}
	return true
}

// limits maps types to the keywords that limit their values.
var limits = map[string][]string{
	"integer": {"minimum", "maximum", "multipleOf"}, "number": {"minimum", "maximum"}, "string": {"minLength", "maxLength"},
	"array": {"minItems", "maxItems"}, "object": {"minProperties", "maxProperties"},
}

func reviseLimit(r *rand.Rand, schema tree) bool {
	kind, _ := schema["type"].(string)
	names := limits[kind]
	if len(names) == 0 {
		return false
	}
	name := pick(r, names)
	current, has := number(schema[name])
	switch {
	case has && r.IntN(3) == 0:
		delete(schema, name)
		delete(schema, "exclusiveMinimum")
		delete(schema, "exclusiveMaximum")
	case schema["minimum"] != nil && r.IntN(4) == 0:
		toggle(schema, "exclusiveMinimum", true)
	case has && current > 1:
		schema[name] = num(strconv.Itoa(int(current) + pick(r, []int{-1, 1, 2})))
	default:
		schema[name] = num(strconv.Itoa(pick(r, []int{0, 1, 2, 5, 20})))
	}
	return true
}

func reviseEnum(r *rand.Rand, schema tree) bool {
	values, _ := schema["enum"].([]any)
	switch {
	case schema["type"] != "string":
		return false
	case len(values) > 1 && r.IntN(2) == 0:
		schema["enum"] = slices.Clone(values[1:])
	case len(values) > 0 && r.IntN(4) == 0:
		delete(schema, "enum")
	case len(values) > 0:
		schema["enum"] = append(slices.Clone(values), "another")
	default:
		schema["enum"] = []any{"a", "abc"}
	}
	return true
}

// addedProperties lists schemas of new fields.
var addedProperties = []tree{
	{"type": "string"}, {"type": "integer", "default": num("1")}, {"type": "array", "items": tree{"type": "string"}},
	{"type": "object", "properties": tree{"inner": tree{"type": "string", "default": "x"}}},
	{"type": "object", "default": tree{}, "properties": tree{"inner": tree{"type": "string", "default": "x"}}},
	{"type": "object", "x-kubernetes-preserve-unknown-fields": true}, {"x-kubernetes-int-or-string": true},
}

// reviseProperty adds the field "added", or removes it.
func reviseProperty(r *rand.Rand, schema tree) bool {
	if schema["type"] != "object" || schema["additionalProperties"] != nil {
		return false
	}
	properties, _ := schema["properties"].(tree)
	if properties == nil {
		properties = tree{}
		schema["properties"] = properties
	}
	return toggle(properties, "added", clone(pick(r, addedProperties)))
}

// dropProperty removes a field that is not required.
func dropProperty(r *rand.Rand, schema tree) bool {
	properties, _ := schema["properties"].(tree)
	if len(properties) < 2 {
		return false
	}
	name := pick(r, slices.Sorted(maps.Keys(properties)))
	required, _ := schema["required"].([]any)
	if slices.Contains(required, any(name)) {
		return false
	}
	delete(properties, name)
	return true
}

func reviseRequired(r *rand.Rand, schema tree) bool {
	properties, _ := schema["properties"].(tree)
	required, _ := schema["required"].([]any)
	if len(properties) == 0 {
		return false
	}
	if len(required) > 0 && r.IntN(2) == 0 {
		schema["required"] = slices.Clone(required[1:])
		if len(required) == 1 {
			delete(schema, "required")
		}
		return true
	}
	name := pick(r, slices.Sorted(maps.Keys(properties)))
	if slices.Contains(required, any(name)) {
		return false
	}
	schema["required"] = append(slices.Clone(required), name)
	return true
}

// defaults maps types to default values.
var defaults = map[string][]any{
	"integer": {num("1"), num("2")}, "number": {num("1.5")}, "boolean": {true, false}, "string": {"a", "abc"},
	"array": {[]any{}}, "object": {tree{}},
}

func reviseDefault(r *rand.Rand, schema tree) bool {
	kind, _ := schema["type"].(string)
	return len(defaults[kind]) > 0 && toggle(schema, "default", clone(pick(r, defaults[kind])))
}

// reviseType gives a scalar a wider type, or another one.
func reviseType(r *rand.Rand, schema tree) bool {
	switch schema["type"] {
	case "integer":
		schema["type"] = pick(r, []string{"number", "number", "string"})
	case "number":
		schema["type"] = "integer"
	case "string":
		if r.IntN(2) == 0 {
			schema["type"] = "integer"
			return true
		}
		delete(schema, "type")
		schema["x-kubernetes-int-or-string"] = true
	case "object":
		if schema["properties"] != nil || schema["additionalProperties"] != nil || r.IntN(3) > 0 {
			return false
		}
		delete(schema, "type")
		schema["x-kubernetes-preserve-unknown-fields"] = true
	default:
		return false
	}
	return true
}

func reviseFormat(r *rand.Rand, schema tree) bool {
	switch schema["type"] {
	case "string":
		return toggle(schema, "format", pick(r, []string{"date-time", "date", "duration", "uri", "ipv4", "byte", "int32", "password", "unknown"}))
	case "integer", "number":
		return toggle(schema, "format", pick(r, []string{"int32", "int64", "double", "unknown"}))
	}
	return r.IntN(5) == 0 && schema["type"] != nil && toggle(schema, "format", pick(r, []string{"date", "unknown"}))
}

// revisedRules maps types to rules.
var revisedRules = map[string][]tree{
	"string":  {{"rule": "self != 'a'"}, {"rule": "self.size() < 4"}, {"rule": "self.startsWith('a')"}, {"rule": "self == oldSelf"}},
	"integer": {{"rule": "self < 5"}, {"rule": "self >= oldSelf"}, {"rule": "self > 0", "message": "positive"}},
	"object":  {{"rule": "self == oldSelf"}, {"rule": "oldSelf.orValue(self) == self", "optionalOldSelf": true}, {"rule": "true"}},
}

func reviseRule(r *rand.Rand, schema tree) bool {
	kind, _ := schema["type"].(string)
	return len(revisedRules[kind]) > 0 && toggle(schema, "x-kubernetes-validations", []any{clone(pick(r, revisedRules[kind]))})
}

func reviseListType(r *rand.Rand, schema tree) bool {
	items, _ := schema["items"].(tree)
	if schema["x-kubernetes-list-type"] == "map" {
		delete(schema, "x-kubernetes-list-map-keys")
		delete(schema, "x-kubernetes-list-type")
		return true
	}
	if items["type"] == "string" && items["nullable"] == nil {
		return toggle(schema, "x-kubernetes-list-type", pick(r, []string{"set", "atomic"}))
	}
	for _, name := range slices.Sorted(maps.Keys(properties(items))) {
		if at(properties(items), name, "type") == "string" {
			required, _ := items["required"].([]any)
			items["required"] = append(slices.Clone(required), name)
			schema["x-kubernetes-list-type"], schema["x-kubernetes-list-map-keys"] = "map", []any{name}
			return true
		}
	}
	return false
}

func properties(schema tree) tree {
	all, _ := schema["properties"].(tree)
	return all
}

// junctors maps types to value validations.
var junctors = map[string][]tree{
	"integer": {{"minimum": num("5")}, {"maximum": num("0")}, {"enum": []any{num("1"), num("7")}}},
	"string":  {{"maxLength": num("3")}, {"pattern": "^a"}, {"format": "date"}, {"enum": []any{"a", "10"}}},
	"array":   {{"maxItems": num("1")}, {"minItems": num("1")}},
	"object":  {{"maxProperties": num("1")}, {"minProperties": num("2")}, {"required": []any{"added"}}},
}

func reviseJunctor(r *rand.Rand, schema tree) bool {
	kind, _ := schema["type"].(string)
	if len(junctors[kind]) == 0 {
		return false
	}
	one, other := clone(pick(r, junctors[kind])), clone(pick(r, junctors[kind]))
	name := pick(r, []string{"anyOf", "oneOf", "allOf", "not"})
	list, has := schema[name].([]any)
	switch {
	case has && r.IntN(2) == 0:
		schema[name] = append(slices.Clone(list), one)
		return true
	case name == "not":
		return toggle(schema, name, one)
	}
	return toggle(schema, name, []any{one, other})
}

// moveStorage makes another version the storage version.
func moveStorage(r *rand.Rand, crd tree) bool {
	versions, _ := at(crd, "spec", "versions").([]any)
	if len(versions) < 2 {
		return false
	}
	chosen := r.IntN(len(versions))
	for i, version := range versions {
		version.(tree)["storage"] = i == chosen
	}
	return true
}

// addRevisedVersion adds a copy of a version.
func addRevisedVersion(r *rand.Rand, crd tree) bool {
	versions, _ := at(crd, "spec", "versions").([]any)
	if len(versions) == 0 {
		return false
	}
	added, ok := clone(pick(r, versions)).(tree)
	if !ok {
		return false
	}
	added["name"], added["served"], added["storage"] = "v9", true, false
	crd["spec"].(tree)["versions"] = append(slices.Clone(versions), added)
	return true
}

// encode returns a value as JSON.
func encode(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		panic("encode a value: " + err.Error())
	}
	return string(data)
}
