package source

import (
	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/celtoken"
	"github.com/crdlab/crdlab/internal/source/scalar"
)

// A Text maps places in the decoded value of a scalar to its source.
type Text struct {
	doc   *Document
	node  *yaml.Node
	value []rune
	// starts and ends are the source of each code point of value; nil if it
	// is not known.
	starts, ends []int32
}

// Text returns the mapping for a scalar, made anew by reading through its
// source. ok is false if the value is not a scalar. If the source cannot be
// understood every place in the value is mapped to the whole scalar.
func (l Location) Text() (t Text, ok bool) {
	if l.node == nil || l.node.Kind != yaml.ScalarNode {
		return Text{}, false
	}
	t = Text{doc: l.doc, node: l.node, value: []rune(l.node.Value)}
	x := l.doc.layout
	if starts, ends, ok := scalar.CodePoints(x.Text[:x.End], x.Content(l.node), l.node); ok {
		t.starts, t.ends = starts, ends
	}
	return t, true
}

// Len is the length of the decoded value in code points.
func (t Text) Len() int { return len(t.value) }

// Range is the source of the code points from start up to but without end,
// which are cut to the value's length. The range is empty only if the value
// is.
func (t Text) Range(start, end int) playground.Range {
	if len(t.starts) == 0 {
		return t.doc.layout.NodeRange(t.node)
	}
	start = max(0, min(start, len(t.starts)-1))
	end = max(start+1, min(end, len(t.ends)))
	return t.doc.layout.Range(int(t.starts[start]), int(t.ends[end-1]))
}

// Position is where the code point at an offset of the value stands; for the
// value's length, or more, it is behind the last one.
func (t Text) Position(offset int) playground.Position {
	if offset >= len(t.value) {
		return t.Range(len(t.value), len(t.value)).End
	}
	return t.Range(offset, offset+1).Start
}

// RangeAt is the source of the identifier, number, string or operator at a line
// and column of the value, as CEL's compiler reports them: both from 1, the
// column in code points. The compiler puts the selection of a field at its dot
// and a call at its parenthesis; the range then is the name's. Where there is
// only blank space, as at an unexpected end, it is that of the token before. A line or column that does not exist gives the whole scalar.
func (t Text) RangeAt(line, column int) playground.Range {
	if start, end, ok := celtoken.At(t.value, line, column); ok {
		return t.Range(start, end)
	}
	return t.doc.layout.NodeRange(t.node)
}

// Position is that of [Text.Position] if the value is a scalar, otherwise the
// start of the value.
func (l Location) Position(offset int) playground.Position {
	if t, ok := l.Text(); ok {
		return t.Position(offset)
	}
	return l.Value().Start
}

// RangeAt is that of [Text.RangeAt] if the value is a scalar, otherwise the
// whole value.
func (l Location) RangeAt(line, column int) playground.Range {
	if t, ok := l.Text(); ok {
		return t.RangeAt(line, column)
	}
	return l.Value()
}
