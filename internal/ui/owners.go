package ui

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v2"
)

// An owner is a manager with the fields that it owns below a value. They are nested as in
// fieldsV1: by "f:name" for fields, and by "k:{…}", "v:…" or "i:…" for the items of a list. A
// manager without nested fields owns the value as a whole; "." means the value itself.
type owner struct {
	name   string
	fields map[string]any
}

// ownersOf returns the owners in the managedFields of a decoded object.
func ownersOf(object any) []owner {
	entries, _ := descend(descend(object, "metadata"), "managedFields").([]any)
	var owners []owner
	for _, entry := range entries {
		word := func(name string) string { text, _ := descend(entry, name).(string); return text }
		name := word("manager")
		if subresource := word("subresource"); subresource != "" {
			name += " /" + subresource
		}
		fields, _ := descend(entry, "fieldsV1").(map[string]any)
		owners = append(owners, owner{name, fields})
	}
	return owners
}

// ownersBelow returns the owners of a part of a value. stepOf returns the step of fieldsV1 that
// leads to the part, among the steps of an owner.
func ownersBelow(owners []owner, stepOf func(steps map[string]any) string) []owner {
	var below []owner
	for _, o := range owners {
		if len(o.fields) == 0 {
			below = append(below, o)
		} else if nested, ok := o.fields[stepOf(o.fields)].(map[string]any); ok {
			below = append(below, owner{o.name, nested})
		}
	}
	return below
}

// stepOfItem returns the step that leads to an item of a list, which is a YAML value. All steps
// of a list are of one kind.
func stepOfItem(steps map[string]any, index int, item any) string {
	for step := range steps {
		kind, text, _ := strings.Cut(step, ":")
		switch kind {
		case "i":
			return "i:" + strconv.Itoa(index)
		case "v":
			value, _ := json.Marshal(item)
			return "v:" + string(value)
		case "k":
			mapping, _ := item.(yaml.MapSlice)
			return "k:" + keysLike(text, mapping)
		}
	}
	return ""
}

// keysLike returns the keys of a list item as JSON, with the names of the given keys.
func keysLike(text string, item yaml.MapSlice) string {
	var keys map[string]any
	if json.Unmarshal([]byte(text), &keys) != nil {
		return ""
	}
	for _, entry := range item {
		if name, ok := entry.Key.(string); ok && keys[name] != nil {
			keys[name] = entry.Value
		}
	}
	own, _ := json.Marshal(keys)
	return string(own)
}

// ownerNames returns the managers that own a value itself: "gitops, operator /status".
func ownerNames(owners []owner) string {
	var names []string
	for _, o := range owners {
		if _, isItself := o.fields["."]; (isItself || len(o.fields) == 0) && !slices.Contains(names, o.name) {
			names = append(names, o.name)
		}
	}
	return strings.Join(names, ", ")
}
