package yamltext

import (
	"strings"
)

func (s *nestingScanner) scanQuoted(quote byte) {
	start := s.pos
	for s.pos++; s.pos < len(s.text); {
		c := s.text[s.pos]
		switch {
		case c == '\\' && quote == '"':
			s.pos++
			if w := BreakWidth(s.text, s.pos); w > 0 {
				s.advance(w)
			} else {
				s.pos++
			}
		case c == quote && quote == '\'' && strings.HasPrefix(s.text[s.pos+1:], "'"):
			s.pos += 2
		case c == quote:
			s.pos++
			return
		case c == '\n' || c == '\r' || c == 0xC2 || c == 0xE2:
			s.advance(max(1, BreakWidth(s.text, s.pos)))
		default:
			s.pos++
		}
	}
	s.pos, s.quote = len(s.text), start
}

// advance moves forward by width bytes and updates lineStart at a line break.
func (s *nestingScanner) advance(width int) {
	isBreak := BreakWidth(s.text, s.pos) > 0
	s.pos += width
	if isBreak {
		s.lineStart = s.pos
	}
}

// scanPlain scans a plain scalar with its continuation lines.
func (s *nestingScanner) scanPlain() {
	for s.pos++; ; {
		s.scanPlainLine()
		next, column := s.nextLine()
		if next == len(s.text) || next == s.pos || s.text[next] == '#' ||
			len(s.flow) == 0 && column <= s.indent() ||
			column == 0 && IsDocumentMarker(s.text, next) {
			return
		}
		s.pos, s.lineStart = next, next-column
	}
}

// scanPlainLine scans the rest of a plain scalar in the current line.
func (s *nestingScanner) scanPlainLine() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case '\n', '\r':
			return
		case 0xC2, 0xE2:
			if BreakWidth(s.text, s.pos) > 0 {
				return
			}
		case ':':
			if IsBlankOrEnd(s.text, s.pos+1) {
				return
			}
		case '#':
			if IsBlank(s.text[s.pos-1]) {
				return
			}
		case ',', '?', '[', ']', '{', '}':
			if len(s.flow) > 0 {
				return
			}
		}
		s.pos++
	}
}

// nextLine returns the offset and column of the next character after blanks and
// line breaks. If no line break follows, it returns the current offset.
func (s *nestingScanner) nextLine() (offset, column int) {
	i, start := s.pos, -1
	for i < len(s.text) {
		if w := BreakWidth(s.text, i); w > 0 {
			i += w
			start = i
		} else if IsBlank(s.text[i]) {
			i++
		} else {
			break
		}
	}
	if start < 0 {
		return s.pos, s.column()
	}
	return i, i - start
}

// scanBlockScalar scans a literal or folded scalar up to the line after it.
func (s *nestingScanner) scanBlockScalar() {
	s.key = -1
	indent := 0
	for s.pos++; s.pos < len(s.text) && strings.IndexByte("+-0123456789", s.text[s.pos]) >= 0; s.pos++ {
		if c := s.text[s.pos]; c >= '1' {
			indent = max(s.indent(), 0) + int(c-'0')
		}
	}
	s.skipLine()
	s.pos += BreakWidth(s.text, s.pos)
	for {
		s.lineStart = s.pos
		for s.pos < len(s.text) && s.text[s.pos] == ' ' && (indent == 0 || s.column() < indent) {
			s.pos++
		}
		if w := BreakWidth(s.text, s.pos); w > 0 {
			s.pos += w
			continue
		}
		if indent == 0 {
			indent = max(s.column(), s.indent()+1, 1)
		}
		if s.column() < indent || s.pos >= len(s.text) {
			return
		}
		s.skipLine()
		s.pos += BreakWidth(s.text, s.pos)
	}
}
