package generate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// tree is a document as decoded from JSON, numbers as they are spelled.
type tree = map[string]any

// parse is the first document of a YAML or JSON text; nil if it is no object.
func parse(text string) tree {
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var t tree
	if decoder.Decode(&t) != nil {
		return nil
	}
	return t
}

// twin marks the key of a field that is rendered under the name of another, in
// quotes: of a key that YAML takes for a string and its twin that it takes for
// something else, any may survive the conversion to JSON.
const twin = ": twin"

// render is the text of a tree, as JSON or YAML.
func render(t tree, asJSON bool) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(t); err != nil {
		panic(fmt.Sprintf("a tree is JSON: %v", err))
	}
	data := out.Bytes()
	if !asJSON {
		if converted, err := yaml.JSONToYAML(data); err == nil {
			data = converted
		}
	}
	return strings.ReplaceAll(string(data), twin, "")
}

func clone[T any](value T) T {
	data, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("a tree is JSON: %v", err))
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var out T
	if err := decoder.Decode(&out); err != nil {
		panic(fmt.Sprintf("a tree is JSON: %v", err))
	}
	return out
}

// place is a value within a tree and what holds it.
type place struct {
	path []any // of string and int
	in   any   // tree or []any
	// put replaces in, which a list needs to grow or shrink.
	put func(any)
}

func (p place) last() any { return p.path[len(p.path)-1] }

func (p place) value() any {
	if list, ok := p.in.([]any); ok {
		return list[p.last().(int)]
	}
	return p.in.(tree)[p.last().(string)]
}

func (p place) set(value any) {
	if list, ok := p.in.([]any); ok {
		list[p.last().(int)] = value
		return
	}
	p.in.(tree)[p.last().(string)] = value
}

func (p place) remove() {
	if list, ok := p.in.([]any); ok {
		i := p.last().(int)
		p.put(slices.Delete(slices.Clone(list), i, i+1))
		return
	}
	delete(p.in.(tree), p.last().(string))
}

// places are all values of a tree, in a fixed order.
func places(t tree) []place {
	var all []place
	var walk func(value any, path []any, put func(any))
	walk = func(value any, path []any, put func(any)) {
		switch value := value.(type) {
		case tree:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				p := place{append(slices.Clone(path), key), value, put}
				all = append(all, p)
				walk(value[key], p.path, p.set)
			}
		case []any:
			for i := range value {
				p := place{append(slices.Clone(path), i), value, put}
				all = append(all, p)
				walk(value[i], p.path, p.set)
			}
		}
	}
	walk(t, nil, nil)
	return all
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

var digits = regexp.MustCompile(`^\d+$`)

// at is the value at a path of keys and, as digits, of indexes.
func at(value any, path ...string) any {
	for _, step := range path {
		switch v := value.(type) {
		case tree:
			value = v[step]
		case []any:
			var i int
			if !digits.MatchString(step) {
				return nil
			}
			if _, err := fmt.Sscan(step, &i); err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}
