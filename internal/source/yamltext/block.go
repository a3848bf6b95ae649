package yamltext

import (
	"math"
	"strings"
)

// scanBlock scans a literal or folded scalar whose indicator is at pos.
func (s *scanner) scanBlock(literal bool) {
	s.pos = BreakAt(s.text, s.pos)
	header := s.pos
	s.pos += BreakWidth(s.text, s.pos)
	indent, ok := blockIndent(s.text[s.pos:], s.value)
	if !ok {
		s.failed = true
		s.pos = header
		return
	}
	b := blockScanner{scanner: s, indent: indent, literal: literal, last: -1, end: header}
	b.scanLines()
	s.pos = b.end
}

// blockIndent derives the indentation of a block scalar: the indentation of its
// first line with content, less the leading spaces of the value. The result is
// arbitrary if all lines are empty. ok is false if the value consists of blanks
// only.
func blockIndent(lines, value string) (indent int, ok bool) {
	if strings.Trim(value, "\n\u2028\u2029") == "" {
		return math.MaxInt, true
	}
	content := strings.TrimLeft(value, "\n \u2028\u2029")
	own := value[:len(value)-len(content)]
	indented := len(own) - len(strings.TrimRight(own, " "))
	for i := 0; i < len(lines) && content != ""; {
		start := i
		for i < len(lines) && lines[i] == ' ' {
			i++
		}
		if w := BreakWidth(lines, i); w > 0 {
			i += w
			continue
		}
		return i - start - indented, i-start >= indented
	}
	return 0, false
}

// A blockScanner scans the lines of a block scalar.
type blockScanner struct {
	*scanner
	indent  int
	literal bool
	// last is the offset of the line break after the last line with content, or
	// -1. empty holds the breaks of the empty lines since then.
	last  int
	empty []int
	// moreIndented is set if the last line with content began with a blank.
	// YAML does not fold the line breaks around such a line.
	moreIndented bool
	// end is the end of the last line with content.
	end int
}

func (b *blockScanner) scanLines() {
	for !b.failed && b.value != "" && b.pos < len(b.text) {
		eaten := b.skipIndent()
		if w := BreakWidth(b.text, b.pos); w > 0 {
			b.empty = append(b.empty, b.pos)
			b.pos += w
			continue
		}
		if eaten < b.indent || b.pos == len(b.text) {
			break
		}
		b.scanLine()
	}
	b.emitBreaks(false)
}

// skipIndent skips up to indent spaces.
func (b *blockScanner) skipIndent() (eaten int) {
	for eaten < b.indent && b.pos < len(b.text) && b.text[b.pos] == ' ' {
		b.pos++
		eaten++
	}
	return eaten
}

// scanLine scans a line with content after its indentation.
func (b *blockScanner) scanLine() {
	moreIndented := IsBlank(b.text[b.pos])
	b.emitBreaks(!b.literal && !moreIndented && !b.moreIndented)
	b.moreIndented = moreIndented
	for b.pos < len(b.text) && BreakWidth(b.text, b.pos) == 0 && !b.failed {
		b.copyCodePoint()
	}
	b.end, b.last = b.pos, -1
	if w := BreakWidth(b.text, b.pos); w > 0 {
		b.last = b.pos
		b.pos += w
	}
}

// emitBreaks emits the line breaks since the last line with content. At the end
// of the scalar, it emits only the breaks that remain in the value.
func (b *blockScanner) emitBreaks(fold bool) {
	switch {
	case b.last < 0 || b.value == "":
	case fold && isFoldable(b.text, b.last):
		if len(b.empty) == 0 {
			b.emit(" ", b.last, b.last+BreakWidth(b.text, b.last))
		}
	default:
		b.emitBreak(b.last)
	}
	for _, at := range b.empty {
		if b.value != "" {
			b.emitBreak(at)
		}
	}
	b.last, b.empty = -1, b.empty[:0]
}
