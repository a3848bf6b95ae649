package source

import (
	"sort"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
)

// Document returns the index of the document that contains a position. Between
// two documents, it returns the first one; before all documents, -1.
func (f *File) Document(p playground.Position) int {
	offset, found := f.index.Offset(p), -1
	for i, d := range f.Documents {
		if d.layout.Start <= offset {
			found = i
		}
	}
	return found
}

// PathAt returns the path of the value or key at a position, in the form that
// [Document.At] accepts. A position in blank space belongs to the preceding
// value with less indentation.
func (d *Document) PathAt(p playground.Position) []any {
	w := pathWalker{doc: d, offset: d.index.Offset(p)}
	w.column = w.offset - d.layout.LineStart(w.offset)
	path := []any{}
	for n := d.root; n != nil; {
		var step any
		if step, n = w.child(n); step != nil {
			path = append(path, step)
		}
	}
	return path
}

// A pathWalker descends to the node at an offset. column is the offset's column
// in bytes.
type pathWalker struct {
	doc            *Document
	offset, column int
}

// child returns the child of n at the offset, and the step that leads to it.
// Both are nil if n has no such child.
func (w pathWalker) child(n *yaml.Node) (step any, child *yaml.Node) {
	width := 1
	switch n.Kind {
	case yaml.MappingNode:
		width = 2
	case yaml.SequenceNode:
	default:
		return nil, nil
	}
	i := w.lastBefore(n, width)
	switch {
	case i < 0 || !w.contains(n, n.Content[i+width-1], w.entryStart(n, i)):
		return nil, nil
	case width == 1:
		return i, n.Content[i]
	}
	return n.Content[i].Value, w.descend(n.Content[i], n.Content[i+1])
}

// lastBefore returns the index in n.Content of the last entry that begins at the
// offset or before it, or a negative number. An entry has width nodes. The entries
// are in increasing order of their offsets.
func (w pathWalker) lastBefore(n *yaml.Node, width int) int {
	after := width * sort.Search(len(n.Content)/width, func(entry int) bool {
		return w.doc.layout.Offset(n.Content[entry*width]) > w.offset
	})
	if after < len(n.Content) && w.entryStart(n, after) <= w.offset { // the offset is between a dash and its item
		return after
	}
	return after - width
}

// entryStart returns the offset of a key, or of a list item with its dash.
func (w pathWalker) entryStart(parent *yaml.Node, i int) int {
	if parent.Kind == yaml.SequenceNode {
		if at, ok := w.doc.layout.Dash(parent, i); ok {
			return at
		}
	}
	return w.doc.layout.Offset(parent.Content[i])
}

// contains reports whether the offset belongs to a child that begins at start.
// The offset is either in the source of the child, or, in block style, after
// it with more indentation.
func (w pathWalker) contains(parent, child *yaml.Node, start int) bool {
	_, end := w.doc.layout.Extent(child)
	if w.offset <= end {
		return true
	}
	indent := start - w.doc.layout.LineStart(start)
	return parent.Style&yaml.FlowStyle == 0 && w.column > indent
}

// descend returns the node in which the search continues, or nil if the offset
// is in the key.
func (w pathWalker) descend(key, value *yaml.Node) *yaml.Node {
	if _, end := w.doc.layout.Extent(key); w.offset <= end && value.Kind != yaml.ScalarNode {
		return nil
	}
	return value
}
