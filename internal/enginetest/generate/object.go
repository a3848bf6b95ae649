package generate

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// A mutation is a random change of a document.
type mutation struct {
	name string
	// change reports false if the document has nothing to change.
	change func(r *rand.Rand, t tree) bool
}

// fieldMutations lists mutations for any document.
var fieldMutations = []mutation{
	{"drop", func(r *rand.Rand, t tree) bool { return changeAny(r, t, func(p place) { p.remove() }) }},
	{"null", func(r *rand.Rand, t tree) bool { return changeAny(r, t, func(p place) { p.set(nil) }) }},
	{"retype", func(r *rand.Rand, t tree) bool {
		return changeAny(r, t, func(p place) { p.set(clone(pick(r, oddValues))) })
	}},
	{"rename", rename},
	{"duplicate", duplicate},
	{"unknown", addUnknown},
	{"number", func(r *rand.Rand, t tree) bool {
		return changeAny(r, t, func(p place) { p.set(pick(r, extremes)) })
	}},
	{"odd name", func(r *rand.Rand, t tree) bool {
		return changeAnyField(r, t, func(_ place, object tree, _ string) {
			object[pick(r, oddNames)] = clone(pick(r, oddValues))
		})
	}},
}

// changeAny calls change with a random value of a document.
func changeAny(r *rand.Rand, t tree, change func(place)) bool {
	all := places(t)
	if len(all) == 0 {
		return false
	}
	change(pick(r, all))
	return true
}

// changeAnyField calls change with a random field of an object.
func changeAnyField(r *rand.Rand, t tree, change func(p place, object tree, key string)) bool {
	all := slices.DeleteFunc(places(t), func(p place) bool { _, ok := p.in.(tree); return !ok })
	if len(all) == 0 {
		return false
	}
	p := pick(r, all)
	change(p, p.in.(tree), p.last().(string))
	return true
}

// rename changes the key of a field.
func rename(r *rand.Rand, t tree) bool {
	return changeAnyField(r, t, func(p place, object tree, key string) {
		names := []string{key + "x", strings.ToUpper(key), strings.ToLower(key), "x-" + key, key + ".y", "$" + key}
		object[pick(r, names)] = p.value()
		delete(object, key)
	})
}

// duplicate repeats an item of a list or a key of an object, possibly with
// another value.
func duplicate(r *rand.Rand, t tree) bool {
	return changeAny(r, t, func(p place) {
		if list, ok := p.in.([]any); ok {
			p.put(append(slices.Clone(list), clone(p.value())))
			return
		}
		value := clone(p.value())
		if r.IntN(2) == 0 {
			value = clone(pick(r, oddValues))
		}
		p.in.(tree)[p.last().(string)+twin] = value
	})
}

// addUnknown adds a field that the schema probably does not know.
func addUnknown(r *rand.Rand, t tree) bool {
	return changeAnyField(r, t, func(_ place, object tree, _ string) {
		object[pick(r, []string{"unknown", "spec", "metadata", "a.b", "", "\u00e9"})] = clone(pick(r, oddValues))
	})
}

// objectMutations returns mutations that use the schema of an object.
func objectMutations(schema tree) []mutation {
	known := func(name string, value func(r *rand.Rand, schema tree) any) mutation {
		return mutation{name, func(r *rand.Rand, t tree) bool { return setKnownField(r, t, schema, value) }}
	}
	return []mutation{
		known("bounds", func(r *rand.Rand, s tree) any {
			if values := boundaryValues(s); len(values) > 0 {
				return pick(r, values)
			}
			return sample(r, s)
		}),
		known("sample", sample),
		known("known null", func(*rand.Rand, tree) any { return nil }),
		known("known retype", func(r *rand.Rand, _ tree) any { return clone(pick(r, oddValues)) }),
		{"metadata", changeMetadata},
		{"type", changeType},
	}
}

// setKnownField sets a random field that the schema knows, at a random depth. It
// creates missing parent objects.
func setKnownField(r *rand.Rand, t, schema tree, value func(*rand.Rand, tree) any) bool {
	node, object := schema, t
	for depth := 0; ; depth++ {
		properties, _ := node["properties"].(tree)
		names := slices.Sorted(maps.Keys(properties))
		if depth == 0 {
			names = slices.DeleteFunc(names, func(name string) bool { return name == "apiVersion" || name == "kind" || name == "metadata" })
		}
		if len(names) == 0 {
			return false
		}
		name := pick(r, names)
		child, _ := properties[name].(tree)
		if list, ok := object[name].([]any); ok && r.IntN(3) > 0 {
			if item, items := firstObject(list), at(child, "items"); item != nil && items != nil {
				object, node = item, items.(tree)
				continue
			}
		}
		if child["properties"] == nil || r.IntN(4) == 0 {
			object[name] = value(r, child)
			return true
		}
		below, ok := object[name].(tree)
		if !ok {
			below = tree{}
			object[name] = below
		}
		object, node = below, child
	}
}

func firstObject(list []any) tree {
	for _, item := range list {
		if object, ok := item.(tree); ok {
			return object
		}
	}
	return nil
}

// metadataFields maps fields of metadata to values. Most values are invalid.
var metadataFields = map[string][]any{
	"name":                       {"A", "a.b", "a/b", "..", "", "a b", strings.Repeat("a", 254), strings.Repeat("a", 253), "a%", nil},
	"generateName":               {"gen-", "Gen-", strings.Repeat("a", 254), "x.", nil},
	"namespace":                  {"other", "Other", "", "a.b", nil},
	"labels":                     {tree{"a": "b"}, tree{"a b": "c"}, tree{"a": "b c"}, tree{"": ""}, tree{"a/b/c": "d"}, tree{"x": tree{}}, "x", tree{"a": nil}},
	"annotations":                {tree{"a": "b"}, tree{"A B": "c"}, tree{"a": strings.Repeat("x", 300000)}, tree{"x": []any{}}},
	"finalizers":                 {[]any{"a"}, []any{"example.com/a"}, []any{"a b"}, []any{"example.com/a", "example.com/a"}, []any{"orphan", "foregroundDeletion"}},
	"ownerReferences":            {[]any{tree{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}}, []any{tree{"apiVersion": "v1"}}, []any{tree{"apiVersion": "v1", "kind": "Event", "name": "p", "uid": "u"}}, []any{tree{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u", "controller": true}, tree{"apiVersion": "v1", "kind": "Pod", "name": "q", "uid": "v", "controller": true}}, []any{tree{"apiVersion": "a/b/c", "kind": "", "name": "", "uid": ""}}},
	"uid":                        {"x", "", nil},
	"resourceVersion":            {"1", "", "x"},
	"generation":                 {"x", nil},
	"creationTimestamp":          {"2020-01-01T00:00:00Z", "yesterday", nil},
	"deletionTimestamp":          {"2020-01-01T00:00:00Z"},
	"deletionGracePeriodSeconds": {"x", nil},
	"selfLink":                   {"/x"},
	"managedFields":              {[]any{}, []any{tree{}}, []any{tree{"manager": "m", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": tree{}}}, "x"},
	"clusterName":                {"x"},
	"unknown":                    {"x"},
}

// changeMetadata sets a field of metadata.
func changeMetadata(r *rand.Rand, t tree) bool {
	fields, ok := t["metadata"].(tree)
	if !ok {
		return false
	}
	name := pick(r, slices.Sorted(maps.Keys(metadataFields)))
	fields[name] = clone(pick(r, metadataFields[name]))
	return true
}

// changeType sets apiVersion or kind.
func changeType(r *rand.Rand, t tree) bool {
	name := pick(r, []string{"apiVersion", "kind"})
	current, _ := t[name].(string)
	t[name] = pick(r, []any{"", current + "x", "v1", "a/b/c", nil, true, "/", current + "/"})
	return true
}
