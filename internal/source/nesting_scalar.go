package source

import "strings"

// propertyEnd is the offset at which the anchor, alias or tag at i ends.
func propertyEnd(text string, i int) int {
	tag := text[i] == '!'
	verbatim := strings.HasPrefix(text[i:], "!<")
	i++
	for !blankOrEnd(text, i) {
		c := text[i]
		if verbatim && c == '>' {
			return i + 1
		}
		if !isWord(c) && (!tag || !verbatim && strings.IndexByte("{}\"`|<>\\^#", c) >= 0) {
			return i
		}
		i++
	}
	return i
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == '-'
}

func (s *nestingScanner) quoted(quote byte) {
	start := s.pos
	for s.pos++; s.pos < len(s.text); {
		c := s.text[s.pos]
		switch {
		case c == '\\' && quote == '"':
			s.pos++
			if w := breakWidth(s.text, s.pos); w > 0 {
				s.wrap(w)
			} else {
				s.pos++
			}
		case c == quote && quote == '\'' && strings.HasPrefix(s.text[s.pos+1:], "'"):
			s.pos += 2
		case c == quote:
			s.pos++
			return
		case c == '\n' || c == '\r' || c == 0xC2 || c == 0xE2:
			s.wrap(max(1, breakWidth(s.text, s.pos)))
		default:
			s.pos++
		}
	}
	s.pos, s.quote = len(s.text), start
}

// wrap passes over width bytes, and keeps lineStart right if they are a break.
func (s *nestingScanner) wrap(width int) {
	isBreak := breakWidth(s.text, s.pos) > 0
	s.pos += width
	if isBreak {
		s.lineStart = s.pos
	}
}

// plain passes over a plain scalar with all lines that continue it.
func (s *nestingScanner) plain() {
	for s.pos++; ; {
		s.plainLine()
		next, column := s.nextLine()
		if next == len(s.text) || next == s.pos || s.text[next] == '#' ||
			len(s.flow) == 0 && column <= s.indent() ||
			column == 0 && documentMarker(s.text, next) {
			return
		}
		s.pos, s.lineStart = next, next-column
	}
}

// plainLine passes over the part of a plain scalar that is in this line.
func (s *nestingScanner) plainLine() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case '\n', '\r':
			return
		case 0xC2, 0xE2:
			if breakWidth(s.text, s.pos) > 0 {
				return
			}
		case ':':
			if blankOrEnd(s.text, s.pos+1) {
				return
			}
		case '#':
			if isBlank(s.text[s.pos-1]) {
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

// nextLine is the offset of the first character after blanks and line breaks,
// and its column. Without a line break it is the current offset.
func (s *nestingScanner) nextLine() (offset, column int) {
	i, start := s.pos, -1
	for i < len(s.text) {
		if w := breakWidth(s.text, i); w > 0 {
			i += w
			start = i
		} else if isBlank(s.text[i]) {
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

// blockScalar passes over a literal or folded scalar up to the line after it.
func (s *nestingScanner) blockScalar() {
	s.key = -1
	indent := 0
	for s.pos++; s.pos < len(s.text) && strings.IndexByte("+-0123456789", s.text[s.pos]) >= 0; s.pos++ {
		if c := s.text[s.pos]; c >= '1' {
			indent = max(s.indent(), 0) + int(c-'0')
		}
	}
	s.skipLine()
	s.pos += breakWidth(s.text, s.pos)
	for {
		s.lineStart = s.pos
		for s.pos < len(s.text) && s.text[s.pos] == ' ' && (indent == 0 || s.column() < indent) {
			s.pos++
		}
		if w := breakWidth(s.text, s.pos); w > 0 {
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
		s.pos += breakWidth(s.text, s.pos)
	}
}
