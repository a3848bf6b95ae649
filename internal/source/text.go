package source

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
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
	s := l.doc.scanner(l.node)
	s.record = true
	if s.scan(l.node.Style) {
		t.starts, t.ends = s.starts, s.ends
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
		return t.doc.nodeRange(t.node)
	}
	start = max(0, min(start, len(t.starts)-1))
	end = max(start+1, min(end, len(t.ends)))
	return t.doc.index.span(int(t.starts[start]), int(t.ends[end-1]))
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
	if start, end, ok := celTokenAt(t.value, line, column); ok {
		return t.Range(start, end)
	}
	return t.doc.nodeRange(t.node)
}

// celTokenAt is where the CEL token at a line and column begins and ends, as
// [Text.RangeAt] has it.
func celTokenAt(value []rune, line, column int) (start, end int, ok bool) {
	offset, ok := runeOffset(value, line, column)
	if !ok {
		return 0, 0, false
	}
	if offset < len(value) && !isSpace(value[offset]) {
		start, end = celToken(value, offset)
		return start, end, true
	}
	for offset > 0 && isSpace(value[offset-1]) {
		offset--
	}
	if offset == 0 {
		return 0, 0, false
	}
	start, end = celTokenBefore(value, offset)
	return start, end, true
}

// runeOffset is the place in a value of a line and column.
func runeOffset(value []rune, line, column int) (offset int, ok bool) {
	for ; line > 1; line-- {
		n := slices.Index(value[offset:], '\n')
		if n < 0 {
			return 0, false
		}
		offset += n + 1
	}
	offset += column - 1
	return offset, line == 1 && column >= 1 && offset <= len(value)
}

func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// operators are those of CEL that are longer than a character.
var operators = []string{"==", "!=", "<=", ">=", "&&", "||"}

// celToken is where the CEL token at an offset begins and ends.
func celToken(value []rune, offset int) (start, end int) {
	switch {
	case value[offset] == '.' && wordEnd(value, offset+1) > offset+1:
		return offset + 1, wordEnd(value, offset+1)
	case value[offset] == '(' && wordStart(value, offset) < offset:
		return wordStart(value, offset), offset
	case isWordRune(value[offset]):
		return offset, wordEnd(value, offset)
	case offset+2 <= len(value) && slices.Contains(operators, string(value[offset:offset+2])):
		return offset, offset + 2
	}
	return offset, max(offset+1, stringEnd(value, offset))
}

// celTokenBefore is where the CEL token that ends at an offset begins and ends.
func celTokenBefore(value []rune, offset int) (start, end int) {
	start = wordStart(value, offset)
	switch {
	case start < offset:
		return start, offset
	case offset >= 2 && slices.Contains(operators, string(value[offset-2:offset])):
		return offset - 2, offset
	}
	return offset - 1, offset
}

func wordStart(value []rune, end int) int {
	for end > 0 && isWordRune(value[end-1]) {
		end--
	}
	return end
}

func wordEnd(value []rune, start int) int {
	for start < len(value) && isWordRune(value[start]) {
		start++
	}
	return start
}

func isWordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '_'
}

// stringEnd is the end of the string literal that begins at offset, or 0.
func stringEnd(value []rune, offset int) int {
	quote := value[offset]
	if !strings.ContainsRune(`"'`, quote) {
		return 0
	}
	for i := offset + 1; i < len(value) && value[i] != '\n'; i++ {
		switch value[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return 0
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
