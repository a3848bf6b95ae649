package source

import (
	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
)

// Document is the index of the document that a position is in, the one before
// if it is between two, or -1.
func (f *File) Document(p playground.Position) int {
	offset, found := f.index.Offset(p), -1
	for i, d := range f.Documents {
		if d.layout.Start <= offset {
			found = i
		}
	}
	return found
}

// PathAt is the path of the value or key at a position, of mapping keys
// (string) and list indexes (int) as [Document.At] takes them. A position in
// blank space belongs to the value before it that is indented less.
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

// A pathWalker looks for what is at an offset, which has a column in bytes.
type pathWalker struct {
	doc            *Document
	offset, column int
}

// child is the child of n that the offset is in, and the step to it, or nil.
func (w pathWalker) child(n *yaml.Node) (step any, child *yaml.Node) {
	width := 1
	switch n.Kind {
	case yaml.MappingNode:
		width = 2
	case yaml.SequenceNode:
	default:
		return nil, nil
	}
	for i := len(n.Content) - width; i >= 0; i -= width {
		start := w.begin(n, i)
		if start > w.offset {
			continue
		}
		if !w.within(n, n.Content[i+width-1], start) {
			return nil, nil
		}
		if width == 1 {
			return i, n.Content[i]
		}
		return n.Content[i].Value, w.value(n.Content[i], n.Content[i+1])
	}
	return nil, nil
}

// begin is the offset at which a key, or a list item with its dash, begins.
func (w pathWalker) begin(parent *yaml.Node, i int) int {
	if parent.Kind == yaml.SequenceNode {
		if at, ok := w.doc.layout.Dash(parent, i); ok {
			return at
		}
	}
	return w.doc.layout.Offset(parent.Content[i])
}

// within reports whether the offset belongs to a child that begins at start:
// it is in its source, or behind it in block style and indented more.
func (w pathWalker) within(parent, child *yaml.Node, start int) bool {
	_, end := w.doc.layout.Extent(child)
	if w.offset <= end {
		return true
	}
	indent := start - w.doc.layout.LineStart(start)
	return parent.Style&yaml.FlowStyle == 0 && w.column > indent
}

// value is the value to look into: nil if the offset is in the key.
func (w pathWalker) value(key, value *yaml.Node) *yaml.Node {
	if _, end := w.doc.layout.Extent(key); w.offset <= end && value.Kind != yaml.ScalarNode {
		return nil
	}
	return value
}
