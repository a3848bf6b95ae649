package source

import (
	"iter"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// A Location is the location of a value in a [Document]. It computes positions
// on request only.
type Location struct {
	// Exact is false if the requested field does not exist. The location is
	// then its nearest ancestor's.
	Exact bool
	// Missing is the part of the field that does not exist. It is empty if
	// Exact.
	Missing string

	doc *Document
	// node is the value, with aliases followed. It is nil in an empty document.
	node *yaml.Node
	// key is the mapping key. It is nil for list items and the root.
	key *yaml.Node
	// list is the sequence that contains the value, or nil.
	list *yaml.Node
	item int
}

// Root returns the location of the whole content of the document.
func (d *Document) Root() Location {
	return Location{Exact: true, doc: d, node: follow(d.root)}
}

// At returns the location at a path of mapping keys (string) and list indexes
// (int). ok is false if the path does not exist.
func (d *Document) At(path ...any) (l Location, ok bool) {
	return d.Root().At(path...)
}

// At returns the location at a path below l, see [Document.At].
func (l Location) At(path ...any) (Location, bool) {
	doc := l.doc
	for _, step := range path {
		ok := false
		switch step := step.(type) {
		case string:
			l, ok = l.field(step)
		case int:
			l, ok = l.element(step)
		}
		if !ok {
			return Location{doc: doc}, false
		}
	}
	return l, true
}

func (l Location) field(name string) (Location, bool) {
	key, value := l.doc.keys.find(l.node, name)
	if value == nil {
		return Location{}, false
	}
	return Location{Exact: true, doc: l.doc, node: follow(value), key: key}, true
}

func (l Location) element(i int) (Location, bool) {
	if l.node == nil || l.node.Kind != yaml.SequenceNode || i < 0 || i >= len(l.node.Content) {
		return Location{}, false
	}
	value := follow(l.node.Content[i])
	return Location{Exact: true, doc: l.doc, node: value, list: l.node, item: i}, true
}

// Node returns the YAML node, with aliases followed. It is nil in an empty
// document.
func (l Location) Node() *yaml.Node { return l.node }

// Key returns the range of the mapping key or of the dash of a list item. If
// there is no key or dash, it returns the kind of an object, or the first line of another value.
func (l Location) Key() playground.Range {
	switch {
	case l.node == nil:
		return l.doc.layout.Line(1)
	case l.key != nil:
		return l.doc.layout.NodeRange(l.key)
	case l.list != nil:
		if at, ok := l.doc.layout.Dash(l.list, l.item); ok {
			return l.doc.layout.Range(at, at+1)
		}
	case l.node == follow(l.doc.root):
		if kind, ok := l.field("kind"); ok && kind.node.Kind == yaml.ScalarNode && kind.node.Tag != "!!null" {
			return kind.Value()
		}
	}
	start, end := l.doc.layout.Extent(l.node)
	return l.doc.layout.TrimmedRange(start, yamltext.LineEnd(l.doc.layout.Text[:end], start))
}

// Value returns the range of the value. The range of a scalar includes its
// quotes, and the range of a mapping or list ends with its last value. For an
// alias, it is the range of the anchored value. For a key without a value, it
// is the empty range after the colon.
func (l Location) Value() playground.Range {
	if l.node == nil {
		return l.doc.layout.Line(1)
	}
	return l.doc.layout.NodeRange(l.node)
}

// Entries yields the keys of a mapping with the locations of their values, in
// the order of [pairs].
func (l Location) Entries() iter.Seq2[*yaml.Node, Location] {
	return l.locate(pairs(l.node))
}

// locate yields the keys of entries with the locations of their values.
func (l Location) locate(entries iter.Seq2[*yaml.Node, *yaml.Node]) iter.Seq2[*yaml.Node, Location] {
	return func(yield func(*yaml.Node, Location) bool) {
		for key, value := range entries {
			if !yield(key, Location{Exact: true, doc: l.doc, node: follow(value), key: key}) {
				return
			}
		}
	}
}

// EntriesNamed yields all entries of a mapping with one of the names, and possibly
// others, see [keyIndex.named].
func (l Location) EntriesNamed(names iter.Seq[string]) iter.Seq2[*yaml.Node, Location] {
	return l.locate(l.doc.keys.named(l.node, names))
}

// Len returns the number of items of a list or keys of a mapping, otherwise 0.
func (l Location) Len() int {
	switch {
	case l.node == nil:
		return 0
	case l.node.Kind == yaml.SequenceNode:
		return len(l.node.Content)
	case l.node.Kind == yaml.MappingNode:
		return len(l.node.Content) / 2
	}
	return 0
}
