package source

import (
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/celtoken"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// A Scalar maps offsets in the decoded value of a scalar to its source.
type Scalar struct {
	doc  *Document
	node *yaml.Node
	// starts and ends hold the source offsets of each code point of the value.
	// They are nil if unknown.
	starts, ends []int32
}

// Scalar scans the source of a scalar. ok is false if the value is not a
// scalar. If the scan fails, every offset maps to the whole scalar.
func (l Location) Scalar() (s Scalar, ok bool) {
	if l.node == nil || l.node.Kind != yaml.ScalarNode {
		return Scalar{}, false
	}
	s = Scalar{doc: l.doc, node: l.node}
	x := l.doc.layout
	if starts, ends, ok := yamltext.CodePoints(x.Text[:x.End], x.Content(l.node), l.node); ok {
		s.starts, s.ends = starts, ends
	}
	return s, true
}

// Range returns the source of the code points in the half-open interval from
// start to end, clamped to the value. The range is empty only if the value is.
func (s Scalar) Range(start, end int) playground.Range {
	if len(s.starts) == 0 {
		return s.doc.layout.NodeRange(s.node)
	}
	start = max(0, min(start, len(s.starts)-1))
	end = max(start+1, min(end, len(s.ends)))
	return s.doc.layout.Range(int(s.starts[start]), int(s.ends[end-1]))
}

// RangeAt returns the source of the CEL token at a line and column of the
// value, by the rules of [celtoken.At]. If there is no token, it returns the
// whole scalar.
func (s Scalar) RangeAt(line, column int) playground.Range {
	value := s.node.Value
	if start, end, ok := celtoken.At(value, line, column); ok {
		return s.Range(utf8.RuneCountInString(value[:start]), utf8.RuneCountInString(value[:end]))
	}
	return s.doc.layout.NodeRange(s.node)
}

// RangeAt returns [Scalar.RangeAt] of a scalar, otherwise the whole value.
func (l Location) RangeAt(line, column int) playground.Range {
	if s, ok := l.Scalar(); ok {
		return s.RangeAt(line, column)
	}
	return l.Value()
}
