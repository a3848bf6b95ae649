package resolve

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/mapping"
)

// A DuplicateKey is a mapping key that stands in the same mapping before.
type DuplicateKey struct {
	// Key is the key's name.
	Key string
	// Path is the field that the key names: spec.list[0].name.
	Path string
	// Range is the place of the later key, First that of the first one.
	Range, First playground.Range

	// line is the line of the key's value in Text, from 1: the one that the
	// YAML decoder names.
	line int
	// decoded is the key as the decoder writes it.
	decoded string
}

// DuplicateKeys are all duplicate keys of the document, in its order.
func DuplicateKeys(d *source.Document) []DuplicateKey {
	w := duplicateWalker{doc: d}
	if root := d.Root().Node(); root != nil {
		w.node(root)
	}
	return w.found
}

// A duplicateWalker looks for duplicate keys below the steps of path.
type duplicateWalker struct {
	doc   *source.Document
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
		if key.Kind == yaml.ScalarNode && key.Tag != mapping.MergeTag {
			name := decodedKey(key)
			if first := seen[name]; first != nil {
				w.add(first, key, value)
			} else {
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
		line:    value.Line,
		decoded: decodedKey(key),
	})
}

// decodedKey is a key in the syntax of Go, as the decoder has it in messages.
func decodedKey(key *yaml.Node) string {
	if name := mapping.JSONName(key); name != "" {
		return name
	}
	return strconv.Quote(key.Value)
}

// fieldOf writes a path as the strict decoders do.
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
