package yamltext

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// scalarEnd returns the end of the scalar n, whose content begins at start. ok is
// false if the source does not match the value.
func scalarEnd(text string, start int, n *yaml.Node) (end int, ok bool) {
	s := scanner{text: text, pos: start, value: n.Value}
	ok = s.scan(n.Style)
	return s.pos, ok
}

// CodePoints returns the start and end offsets of the source of each code point
// of the scalar n. ok is false if the source does not match the value.
func CodePoints(text string, start int, n *yaml.Node) (starts, ends []int32, ok bool) {
	s := scanner{text: text, pos: start, value: n.Value, record: true}
	ok = s.scan(n.Style)
	return s.starts, s.ends, ok
}

// A scanner walks through the source of a scalar and its decoded value in
// parallel, and so maps each code point of the value to its source. If a step
// does not produce the next code point of the value, the scanner and the YAML
// parser disagree. The scan then fails instead of reporting a wrong position.
type scanner struct {
	text string
	pos  int
	// value is the rest of the decoded value.
	value string
	// starts and ends hold the source offsets of each code point, if record is
	// set.
	record       bool
	starts, ends []int32
	failed       bool
}

// scan scans the scalar from its content, after anchor and tag, and leaves pos
// at its end. It reports whether the source matches the value.
func (s *scanner) scan(style yaml.Style) bool {
	switch {
	case style&yaml.DoubleQuotedStyle != 0:
		s.scanQuoted('"')
	case style&yaml.SingleQuotedStyle != 0:
		s.scanQuoted('\'')
	case style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		s.scanBlock(style&yaml.LiteralStyle != 0)
	default:
		s.scanPlain()
	}
	return !s.failed && s.value == ""
}

// emit removes decoded, which the source from start to end represents, from the
// value.
func (s *scanner) emit(decoded string, start, end int) {
	rest, ok := strings.CutPrefix(s.value, decoded)
	if !ok {
		s.failed = true
		return
	}
	s.value = rest
	if !s.record {
		return
	}
	for range decoded {
		s.starts = append(s.starts, int32(start))
		s.ends = append(s.ends, int32(end))
	}
}

// copyCodePoint emits the code point at pos unchanged.
func (s *scanner) copyCodePoint() {
	_, size := utf8.DecodeRuneInString(s.text[s.pos:])
	s.emit(s.text[s.pos:s.pos+size], s.pos, s.pos+size)
	s.pos += size
}

func (s *scanner) scanPlain() {
	for s.value != "" && !s.failed && s.pos < len(s.text) {
		if IsBlankOrEnd(s.text, s.pos) {
			s.scanFold(false)
		} else {
			s.copyCodePoint()
		}
	}
}

func (s *scanner) scanQuoted(quote byte) {
	if s.pos >= len(s.text) || s.text[s.pos] != quote {
		s.failed = true
		return
	}
	for s.pos++; !s.failed && s.pos < len(s.text); {
		c := s.text[s.pos]
		switch {
		case c == quote && quote == '\'' && strings.HasPrefix(s.text[s.pos+1:], "'"):
			s.emit("'", s.pos, s.pos+2)
			s.pos += 2
		case c == quote:
			s.pos++
			return
		case c == '\\' && quote == '"':
			s.scanEscape()
		case IsBlankOrEnd(s.text, s.pos):
			s.scanFold(false)
		default:
			s.copyCodePoint()
		}
	}
	s.failed = true
}

// scanFold scans blanks and line breaks in a plain or quoted scalar. Blanks
// without a line break are literal. A single line break becomes a space; of
// several, the first is dropped. After an escaped line break, every break
// counts.
func (s *scanner) scanFold(escaped bool) {
	start := s.pos
	var breaks []int
	for s.pos < len(s.text) && IsBlankOrEnd(s.text, s.pos) {
		w := BreakWidth(s.text, s.pos)
		if w > 0 {
			breaks = append(breaks, s.pos)
		}
		s.pos += max(1, w)
	}
	switch {
	case escaped:
	case len(breaks) == 0:
		for i := start; i < s.pos; i++ {
			s.emit(s.text[i:i+1], i, i+1)
		}
		return
	case !isFoldable(s.text, breaks[0]):
		s.emitBreak(breaks[0])
		breaks = breaks[1:]
	case len(breaks) == 1:
		s.emit(" ", breaks[0], breaks[0]+BreakWidth(s.text, breaks[0]))
		return
	default:
		breaks = breaks[1:]
	}
	for _, at := range breaks {
		s.emitBreak(at)
	}
}

// isFoldable reports whether folding turns the line break at i into a space. LS
// and PS remain unchanged.
func isFoldable(text string, i int) bool { return text[i] != 0xE2 }

// emitBreak emits the line break at an offset.
func (s *scanner) emitBreak(at int) {
	w := BreakWidth(s.text, at)
	if isFoldable(s.text, at) {
		s.emit("\n", at, at+w)
	} else {
		s.emit(s.text[at:at+w], at, at+w)
	}
}

var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n",
	'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b", ' ': " ", '"': "\"",
	'\'': "'", '\\': "\\", '/': "/", 'N': "\u0085", '_': "\u00a0",
	'L': "\u2028", 'P': "\u2029",
}

var hexEscapes = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// scanEscape scans the escape sequence at pos.
func (s *scanner) scanEscape() {
	start := s.pos
	s.pos++
	if w := BreakWidth(s.text, s.pos); w > 0 {
		s.pos += w
		s.scanFold(true)
		return
	}
	if s.pos >= len(s.text) {
		s.failed = true
		return
	}
	c := s.text[s.pos]
	s.pos++
	if digits := hexEscapes[c]; digits > 0 {
		r := s.scanHex(digits)
		if utf16High(r) && strings.HasPrefix(s.text[s.pos:], `\u`) {
			s.pos += 2
			r = utf16Pair(r, s.scanHex(4))
		}
		s.emit(string(r), start, s.pos)
		return
	}
	decoded, ok := escapes[c]
	s.failed = s.failed || !ok
	s.emit(decoded, start, s.pos)
}

func utf16High(r rune) bool { return r >= 0xD800 && r < 0xDC00 }

func utf16Pair(high, low rune) rune { return (high-0xD800)<<10 | (low - 0xDC00) + 0x10000 }

// scanHex scans a number of hexadecimal digits.
func (s *scanner) scanHex(digits int) rune {
	if s.pos+digits > len(s.text) {
		s.failed = true
		return 0
	}
	n, err := strconv.ParseUint(s.text[s.pos:s.pos+digits], 16, 32)
	s.failed = s.failed || err != nil
	s.pos += digits
	return rune(n)
}
