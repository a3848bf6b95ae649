package source

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
)

// A DuplicateKey is a mapping key that repeats an earlier key of the mapping.
type DuplicateKey struct {
	// Key is the name of the key.
	Key string
	// Path is the field of the key, such as spec.list[0].name.
	Path string
	// Range is the range of the repeated key, and First the range of the first
	// key.
	Range, First playground.Range

	// Line is the one-based line of the value in the document, which YAML decoders
	// report.
	Line int
	// Decoded is the key in the spelling of decoder messages.
	Decoded string
}

// duplicates holds the duplicate keys of a document, and indexes by what decoders
// report of them.
type duplicates struct {
	keys   []DuplicateKey
	byPath map[string]*DuplicateKey
	byLine map[lineKey]*DuplicateKey
}

// A lineKey is the line and the spelling of a key in a message of a YAML decoder.
type lineKey struct {
	line    int
	decoded string
}

// maxDuplicates limits the duplicate keys of a document. The path of each of them can
// be almost as long as the document.
const maxDuplicates = 1000

// DuplicateKeys returns the first 1,000 duplicate keys in document order. The caller
// must not change them.
func (d *Document) DuplicateKeys() []DuplicateKey { return d.duplicates().keys }

// DuplicateAt returns the first duplicate key with a path, or nil.
func (d *Document) DuplicateAt(path string) *DuplicateKey { return d.duplicates().byPath[path] }

// DuplicateOnLine returns the first duplicate key with a line and a decoded key, or
// nil.
func (d *Document) DuplicateOnLine(line int, decoded string) *DuplicateKey {
	return d.duplicates().byLine[lineKey{line, decoded}]
}

// HasUniqueKeys reports whether every key is a string that all decoders read alike, and no mapping repeats one. It is
// faster than a search for duplicate keys.
func (d *Document) HasUniqueKeys() bool {
	root := d.Root().Node()
	return root != nil && hasUniqueKeys(root)
}

// fewKeys is the number of keys up to which comparing them is faster than a map.
const fewKeys = 16

func hasUniqueKeys(n *yaml.Node) bool {
	if n.Kind == yaml.AliasNode {
		return false
	}
	if n.Kind == yaml.MappingNode {
		var seen map[string]bool
		if len(n.Content) > 2*fewKeys {
			seen = make(map[string]bool, len(n.Content)/2)
		}
		for i := 0; i < len(n.Content); i += 2 {
			key := n.Content[i]
			if !isCertainKey(key) || seen[key.Value] {
				return false
			}
			if seen != nil {
				seen[key.Value] = true
				continue
			}
			for k := 0; k < i; k += 2 {
				if n.Content[k].Value == key.Value {
					return false
				}
			}
		}
	}
	for _, child := range n.Content {
		if len(child.Content) > 0 || child.Kind == yaml.AliasNode {
			if !hasUniqueKeys(child) {
				return false
			}
		}
	}
	return true
}

// isCertainKey reports whether all decoders read a key as the same string.
func isCertainKey(key *yaml.Node) bool {
	if key.Kind != yaml.ScalarNode || key.Tag != "!!str" || JSONName(key) != "" {
		return false
	}
	first, _ := utf8.DecodeRuneInString(key.Value)
	return key.Style != 0 || unicode.IsLetter(first)
}

// findDuplicates returns the duplicate keys of d with their indexes.
func findDuplicates(d *Document) *duplicates {
	w := duplicateWalker{doc: d}
	if root := d.Root().Node(); root != nil {
		w.node(root)
	}
	found := duplicates{w.found, map[string]*DuplicateKey{}, map[lineKey]*DuplicateKey{}}
	for i := range slices.Backward(found.keys) {
		key := &found.keys[i]
		found.byPath[key.Path] = key
		found.byLine[lineKey{key.Line, key.Decoded}] = key
	}
	return &found
}

// A duplicateWalker collects duplicate keys. path is the path of the current
// node.
type duplicateWalker struct {
	doc   *Document
	path  []any
	found []DuplicateKey
}

func (w *duplicateWalker) node(n *yaml.Node) {
	switch n.Kind {
	case yaml.SequenceNode:
		for i, item := range n.Content {
			w.step(i, item)
		}
	case yaml.MappingNode:
		w.mapping(n)
	}
}

func (w *duplicateWalker) step(step any, n *yaml.Node) {
	if n.Kind != yaml.MappingNode && n.Kind != yaml.SequenceNode {
		return
	}
	w.path = append(w.path, step)
	w.node(n)
	w.path = w.path[:len(w.path)-1]
}

func (w *duplicateWalker) mapping(n *yaml.Node) {
	seen := make(map[string]*yaml.Node, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.ScalarNode && key.Tag != mergeTag {
			name := decodedKey(key)
			if first := seen[name]; first != nil && len(w.found) < maxDuplicates {
				w.add(first, key, value)
			} else if first == nil {
				seen[name] = key
			}
		}
		w.step(key.Value, value)
	}
}

func (w *duplicateWalker) add(first, key, value *yaml.Node) {
	w.found = append(w.found, DuplicateKey{
		Key:     key.Value,
		Path:    fieldOf(append(w.path, key.Value)),
		Range:   w.doc.Layout().NodeRange(key),
		First:   w.doc.Layout().NodeRange(first),
		Line:    value.Line,
		Decoded: decodedKey(key),
	})
}

// decodedKey returns a key in Go syntax, as in decoder messages.
func decodedKey(key *yaml.Node) string {
	if name := JSONName(key); name != "" {
		return name
	}
	return strconv.Quote(key.Value)
}

// fieldOf formats a path like the strict decoders.
func fieldOf(path []any) string {
	var b strings.Builder
	for _, step := range path {
		if i, ok := step.(int); ok {
			fmt.Fprintf(&b, "[%d]", i)
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		fmt.Fprint(&b, step)
	}
	return b.String()
}
