package source

import (
	"fmt"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
)

// A DuplicateKey is a mapping key that stands in its mapping before.
type DuplicateKey struct {
	// Key is the key's name.
	Key string
	// Range is the place of the later key, First that of the first one.
	Range, First playground.Range

	// line is the line of the key's value within the document, from 1: the one
	// that the decoder names.
	line int
	path string
}

// DuplicateKeys are all duplicate keys of the document, in its order.
func (d *Document) DuplicateKeys() []DuplicateKey {
	var found []DuplicateKey
	d.walkDuplicates(d.root, "", &found)
	return found
}

func (d *Document) walkDuplicates(n *yaml.Node, path string, found *[]DuplicateKey) {
	if n == nil {
		return
	}
	switch n.Kind {
	case yaml.SequenceNode:
		for i, item := range n.Content {
			d.walkDuplicates(item, fmt.Sprintf("%s[%d]", path, i), found)
		}
	case yaml.MappingNode:
		first := make(map[string]*yaml.Node, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			name := joinKey(path, key.Value)
			if before := first[key.Value]; before != nil && key.Tag != mergeTag {
				*found = append(*found, DuplicateKey{
					Key: key.Value, Range: d.nodeRange(key), First: d.nodeRange(before),
					line: value.Line, path: name,
				})
			} else if key.Kind == yaml.ScalarNode {
				first[key.Value] = key
			}
			d.walkDuplicates(value, name, found)
		}
	}
}

func joinKey(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

var (
	unknownField   = regexp.MustCompile(`^unknown field (".*")$`)
	duplicateField = regexp.MustCompile(`^duplicate field (".*")$`)
	duplicateKey   = regexp.MustCompile(`(?:^|\s)line (\d+): key (.*) already set in map$`)
	decoderLine    = regexp.MustCompile(`\bline (\d+)\b`)
)

// ResolveStrict finds the place of a message of a strict decoder: the key in
//
//	unknown field "spec.foo"
//	duplicate field "spec.foo"
//	line 5: key "foo" already set in map
//
// and the line of any other message that names one. ok is false if the message
// says nothing about a place.
func (d *Document) ResolveStrict(message string) (r playground.Range, ok bool) {
	if m := unknownField.FindStringSubmatch(message); m != nil {
		l, ok := d.Resolve(unquote(m[1]))
		return l.Key(), ok
	}
	if m := duplicateField.FindStringSubmatch(message); m != nil {
		return d.duplicate(func(k DuplicateKey) bool { return k.path == unquote(m[1]) })
	}
	if m := duplicateKey.FindStringSubmatch(message); m != nil {
		line, _ := strconv.Atoi(m[1])
		r, ok := d.duplicate(func(k DuplicateKey) bool { return k.line == line && k.Key == unquote(m[2]) })
		if ok {
			return r, true
		}
	}
	if m := decoderLine.FindStringSubmatch(message); m != nil {
		line, _ := strconv.Atoi(m[1])
		return d.Line(line), true
	}
	return playground.Range{}, false
}

func (d *Document) duplicate(matches func(DuplicateKey) bool) (playground.Range, bool) {
	for _, k := range d.DuplicateKeys() {
		if matches(k) {
			return k.Range, true
		}
	}
	return playground.Range{}, false
}

func unquote(s string) string {
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return s
}
