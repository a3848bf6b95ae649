package nesting

import (
	"math"
	"slices"

	"github.com/crdlab/crdlab/internal/source/lex"
	"github.com/crdlab/crdlab/internal/source/limits"
)

// A scanner finds out how deep a YAML text nests and about how many
// nodes it has, without recursion and in one pass, so that the parser is never
// called on a text that would exhaust its stack or the memory. It follows the
// parser's own rules for what ends a scalar; where the parser would stop with
// an error it does not care.
//
// On a text that the parser accepts, the depth found is never more than the
// real one, which is at most twice as much and one; the number of nodes found
// is never more than the real one either.
type scanner struct {
	text   string
	budget *limits.Budget

	pos int
	// lineStart is the offset at which the line of pos begins.
	lineStart int
	// indents are the columns at which the open block collections begin.
	indents []int
	// flow are the offsets of the open brackets and braces.
	flow []int
	// quote is the offset of a quote that is not closed, or -1.
	quote int
	// key is the column of what may turn out to be a key, or -1.
	key int
	// started says that the document has begun.
	started bool
	// empty says that an indicator, an anchor or a tag came last, so that a
	// node without content is possible.
	empty bool
}

// Check checks a document against what is left of the limits, which it
// does not reduce. The error is nil or a *limits.Exceeded.
func Check(text string, b limits.Budget) error {
	s := newScanner(text, &b)
	return s.scan()
}

// Unclosed are the offsets of the brackets, and of the quote, that are not
// closed at the end of a text, the innermost last.
func Unclosed(text string) []int {
	b := limits.NewBudget(limits.Limits{MaxBytes: math.MaxInt, MaxDocuments: math.MaxInt, MaxDepth: math.MaxInt, MaxNodes: math.MaxInt, MaxAliases: math.MaxInt})
	s := newScanner(text, b)
	if s.scan() != nil {
		return nil
	}
	if s.quote >= 0 {
		return append(s.flow, s.quote)
	}
	return s.flow
}

var closers = map[byte]byte{'[': ']', '{': '}', '"': '"', '\'': '\''}

// MissingClosers is what closes the brackets and the quote that are open at the
// end of a text.
func MissingClosers(text string) string {
	var missing []byte
	for _, at := range slices.Backward(Unclosed(text)) {
		missing = append(missing, closers[text[at]])
	}
	return string(missing)
}

func newScanner(text string, b *limits.Budget) *scanner {
	return &scanner{text: text, budget: b, key: -1, quote: -1}
}

func (s *scanner) scan() error {
	for s.pos < len(s.text) {
		if err := s.scanToken(); err != nil {
			return err
		}
	}
	return nil
}

func (s *scanner) column() int { return s.pos - s.lineStart }

// indent is the column of the innermost block collection, or -1.
func (s *scanner) indent() int {
	if len(s.indents) == 0 {
		return -1
	}
	return s.indents[len(s.indents)-1]
}

func (s *scanner) spend(nodes, aliases int) error {
	return s.budget.Spend(s.pos, len(s.indents)+len(s.flow), nodes, aliases)
}

func (s *scanner) unroll(column int) {
	for len(s.flow) == 0 && s.indent() > column {
		s.indents = s.indents[:len(s.indents)-1]
	}
}

func (s *scanner) roll(column int) error {
	if len(s.flow) > 0 || s.indent() >= column {
		return nil
	}
	s.indents = append(s.indents, column)
	return s.spend(1, 0)
}

// scanToken passes over blanks, a comment, an indicator or a scalar.
func (s *scanner) scanToken() error {
	c := s.text[s.pos]
	if lex.IsBlank(c) {
		s.pos++
		return nil
	}
	if w := lex.BreakWidth(s.text, s.pos); w > 0 {
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
		if lex.IsBlankOrEnd(s.text, s.pos+1) || c != '-' && len(s.flow) > 0 {
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

func (s *scanner) newLine(width int) {
	s.pos += width
	s.lineStart = s.pos
	if len(s.flow) == 0 {
		s.key = -1
	}
}

func (s *scanner) skipLine() {
	for s.pos < len(s.text) && lex.BreakWidth(s.text, s.pos) == 0 {
		s.pos++
	}
}

// scanMarker passes over a directive or a document marker. Of several documents
// the parser reads the first only.
func (s *scanner) scanMarker() bool {
	switch {
	case s.text[s.pos] == '%' && len(s.flow) == 0 && !s.started:
		s.skipLine()
		return true
	case !lex.IsDocumentMarker(s.text, s.pos):
		return false
	}
	if s.started || s.text[s.pos] == '.' {
		s.pos = len(s.text)
		return true
	}
	s.started = true
	s.pos += len(lex.Separator)
	return true
}

func (s *scanner) scanIndicator(c byte) error {
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

// countEmptyNode counts a node without content.
func (s *scanner) countEmptyNode() error {
	if !s.empty {
		return nil
	}
	return s.countNode(0)
}

func (s *scanner) scanBracket(c byte) error {
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

func (s *scanner) markKey() {
	if len(s.flow) == 0 && s.key < 0 {
		s.key = s.column()
	}
}

// countNode counts a node.
func (s *scanner) countNode(aliases int) error {
	s.empty = false
	return s.spend(1, aliases)
}

func (s *scanner) scanScalar(c byte) error {
	s.markKey()
	switch c {
	case '&', '!':
		s.pos = lex.PropertyEnd(s.text, s.pos)
		s.empty = true
		return nil
	case '*':
		s.pos = lex.PropertyEnd(s.text, s.pos)
		return s.countNode(1)
	case '\'', '"':
		s.scanQuoted(c)
	default:
		s.scanPlain()
	}
	return s.countNode(0)
}
