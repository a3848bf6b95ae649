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

// A DuplicateKey is a mapping key that repeats an earlier key of the mapping.
type DuplicateKey struct {
	// Key is the name of the key.
	Key string
	// Path is the field of the key, such as spec.list[0].name.
	Path string
	// Range is the range of the repeated key, and First the range of the first
	// key.
	Range, First playground.Range

	// line is the one-based line of the value, which YAML decoders report.
	line int
	// decoded is the key in the spelling of decoder messages.
	decoded string
}

// DuplicateKeys returns all duplicate keys in document order.
func DuplicateKeys(d *source.Document) []DuplicateKey {
	w := duplicateWalker{doc: d}
	if root := d.Root().Node(); root != nil {
		w.node(root)
	}
	return w.found
}

// A duplicateWalker collects duplicate keys. path is the path of the current
// node.
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

// decodedKey returns a key in Go syntax, as in decoder messages.
func decodedKey(key *yaml.Node) string {
	if name := mapping.JSONName(key); name != "" {
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
