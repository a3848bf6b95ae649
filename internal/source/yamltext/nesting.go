package yamltext

import (
	"math"
	"slices"
)

// A nestingScanner estimates the depth and the number of nodes of a YAML document in
// one pass without recursion. Documents that would exhaust the parser's stack
// or memory therefore never reach the parser. The scanner follows the parser's
// rules for the end of a scalar, but ignores syntax errors.
//
// For a document that the parser accepts, neither count is higher than the real
// one. The real depth is at most twice the estimate plus one.
type nestingScanner struct {
	text   string
	budget *Budget

	pos int
	// lineStart is the offset of the start of the line that contains pos.
	lineStart int
	// indents holds the columns of the open block collections.
	indents []int
	// flow holds the offsets of the open brackets and braces.
	flow []int
	// quote is the offset of an unclosed quote, or -1.
	quote int
	// key is the column of a possible key, or -1.
	key int
	// started is set at the first content of the document.
	started bool
	// empty is set after an indicator, an anchor or a tag, where an empty node
	// is possible.
	empty bool
}

// CheckNesting checks the depth, nodes and aliases of a document against a budget without spending it. The error is
// nil or an *Exceeded.
func CheckNesting(text string, b Budget) error {
	s := newNestingScanner(text, &b)
	return s.scan()
}

// unclosed returns the offsets of unclosed brackets and of an unclosed quote at
// the end of a source, innermost last.
func unclosed(text string) []int {
	s := newNestingScanner(text, &Budget{MaxDepth: math.MaxInt, MaxNodes: math.MaxInt, MaxAliases: math.MaxInt})
	if s.scan() != nil {
		return nil
	}
	if s.quote >= 0 {
		return append(s.flow, s.quote)
	}
	return s.flow
}

var closers = map[byte]byte{'[': ']', '{': '}', '"': '"', '\'': '\''}

// missingClosers returns the characters that close the open brackets and the
// open quote at the end of a source.
func missingClosers(text string) string {
	var missing []byte
	for _, at := range slices.Backward(unclosed(text)) {
		missing = append(missing, closers[text[at]])
	}
	return string(missing)
}

func newNestingScanner(text string, b *Budget) *nestingScanner {
	return &nestingScanner{text: text, budget: b, key: -1, quote: -1}
}

func (s *nestingScanner) scan() error {
	for s.pos < len(s.text) {
		if err := s.scanToken(); err != nil {
			return err
		}
	}
	return nil
}

func (s *nestingScanner) column() int { return s.pos - s.lineStart }

// indent returns the column of the innermost block collection, or -1.
func (s *nestingScanner) indent() int {
	if len(s.indents) == 0 {
		return -1
	}
	return s.indents[len(s.indents)-1]
}

func (s *nestingScanner) spend(nodes, aliases int) error {
	return s.budget.Spend(s.pos, len(s.indents)+len(s.flow), nodes, aliases)
}

func (s *nestingScanner) unroll(column int) {
	for len(s.flow) == 0 && s.indent() > column {
		s.indents = s.indents[:len(s.indents)-1]
	}
}

func (s *nestingScanner) roll(column int) error {
	if len(s.flow) > 0 || s.indent() >= column {
		return nil
	}
	s.indents = append(s.indents, column)
	return s.spend(1, 0)
}

// scanToken scans blanks, a comment, an indicator or a scalar.
func (s *nestingScanner) scanToken() error {
	c := s.text[s.pos]
	if IsBlank(c) {
		s.pos++
		return nil
	}
	if w := BreakWidth(s.text, s.pos); w > 0 {
		s.newLine(w)
		return nil
	}
	if c == '#' {
		s.skipLine()
		return nil
	}
	s.unroll(s.column())
	if s.column() == 0 && s.scanMarker() {
		return nil
	}
	s.started = true
	switch c {
	case '-', '?', ':':
		if IsBlankOrEnd(s.text, s.pos+1) || c != '-' && len(s.flow) > 0 {
			return s.scanIndicator(c)
		}
	case '[', '{', ']', '}', ',':
		return s.scanBracket(c)
	case '|', '>':
		if len(s.flow) == 0 {
			s.scanBlockScalar()
			return s.countNode(0)
		}
	}
	return s.scanScalar(c)
}

func (s *nestingScanner) newLine(width int) {
	s.pos += width
	s.lineStart = s.pos
	if len(s.flow) == 0 {
		s.key = -1
	}
}

func (s *nestingScanner) skipLine() {
	for s.pos < len(s.text) && BreakWidth(s.text, s.pos) == 0 {
		s.pos++
	}
}

// scanMarker scans a directive or a document marker. It skips all documents
// after the first, as the parser does.
func (s *nestingScanner) scanMarker() bool {
	switch {
	case s.text[s.pos] == '%' && len(s.flow) == 0 && !s.started:
		s.skipLine()
		return true
	case !IsDocumentMarker(s.text, s.pos):
		return false
	}
	if s.started || s.text[s.pos] == '.' {
		s.pos = len(s.text)
		return true
	}
	s.started = true
	s.pos += len(Separator)
	return true
}

func (s *nestingScanner) scanIndicator(c byte) error {
	column := s.column()
	if c == ':' && s.key >= 0 {
		column = s.key
	}
	s.key = -1
	depth := len(s.indents)
	err := s.roll(column)
	if len(s.indents) == depth {
		err = s.countEmptyNode()
	}
	s.empty = c != '?'
	s.pos++
	return err
}

// countEmptyNode counts a node without content, if one is possible here.
func (s *nestingScanner) countEmptyNode() error {
	if !s.empty {
		return nil
	}
	return s.countNode(0)
}

func (s *nestingScanner) scanBracket(c byte) error {
	var err error
	switch c {
	case '[', '{':
		s.markKey()
		s.flow = append(s.flow, s.pos)
		err = s.countNode(0)
	case ']', '}':
		err = s.countEmptyNode()
		s.flow = s.flow[:max(0, len(s.flow)-1)]
	case ',':
		err = s.countEmptyNode()
	}
	s.pos++
	return err
}

func (s *nestingScanner) markKey() {
	if len(s.flow) == 0 && s.key < 0 {
		s.key = s.column()
	}
}

// countNode counts a node.
func (s *nestingScanner) countNode(aliases int) error {
	s.empty = false
	return s.spend(1, aliases)
}

func (s *nestingScanner) scanScalar(c byte) error {
	s.markKey()
	switch c {
	case '&', '!':
		s.pos = PropertyEnd(s.text, s.pos)
		s.empty = true
		return nil
	case '*':
		s.pos = PropertyEnd(s.text, s.pos)
		return s.countNode(1)
	case '\'', '"':
		s.scanQuoted(c)
	default:
		s.scanPlain()
	}
	return s.countNode(0)
}
