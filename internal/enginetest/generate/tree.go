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

	"github.com/crdlab/crdlab/internal/playground"
)

// A tree is a decoded JSON object. Its numbers are [json.Number].
type tree = map[string]any

// parse decodes the first document of a YAML or JSON source. It returns nil unless
// the document is an object.
func parse(document string) tree {
	data, err := yaml.YAMLToJSON([]byte(document))
	if err != nil {
		return nil
	}
	var t tree
	if playground.DecodeJSON(data, &t) != nil {
		return nil
	}
	return t
}

// twin is the suffix of a key that duplicates another key; [render] removes it.
// Because of the colon, the YAML encoder quotes the key, so that YAML reads it as
// a string. For keys of different types, the conversion to JSON would keep a
// random one.
const twin = ": twin"

// render encodes a tree as JSON or YAML.
func render(t tree, asJSON bool) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(t); err != nil {
		panic(fmt.Sprintf("encode a document: %v", err))
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
		panic(fmt.Sprintf("encode a value: %v", err))
	}
	var out T
	if err := playground.DecodeJSON(data, &out); err != nil {
		panic(fmt.Sprintf("decode a value: %v", err))
	}
	return out
}

// A place is a value in a tree, with its parent.
type place struct {
	path []any // strings and ints
	in   any   // the parent: a tree or []any
	// put replaces the parent, because lists change their length.
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

// places returns all values of a tree, in a fixed order.
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

// at returns the value at a path of keys and decimal indexes, or nil.
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
