package tolerant

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/lex"
	"github.com/crdlab/crdlab/internal/source/position"
)

// A Tree is the structure of a text that need not be valid: one that is
// being typed, with half a key, a quote that is not closed yet, or nothing
// behind a dash. On valid texts without anchors it agrees with the YAML parser.
type Tree struct {
	// Documents are the roots, of which those without content are of no Kind.
	Documents []*Node

	// starts are the offsets at which the documents begin.
	starts []int
	index  *position.Index
}

// A Node is a value with the key or the dash before it.
type Node struct {
	// Kind is yaml.ScalarNode, yaml.MappingNode or yaml.SequenceNode; zero if
	// nothing is there yet.
	Kind yaml.Kind
	// Key is the name in a mapping.
	Key string
	// Value is the decoded text of a scalar.
	Value string
	// Flow: a collection in brackets or braces.
	Flow bool
	// Quote is the character that begins a scalar: ", ', | or >; zero if it is
	// plain.
	Quote byte
	// Children are the entries of a mapping or the items of a sequence.
	Children []*Node

	// keyStart and keyEnd enclose the key with its quotes; -1 if there is none.
	keyStart, keyEnd int
	// afterIndicator is the offset behind the colon or the dash, -1 if there is none.
	afterIndicator int
	// start and end enclose the value.
	start, end int
	// column is that of the keys or dashes of a collection in block style.
	column int
}

// maxBytes is the length in bytes of the texts that are outlined.
const maxBytes = 4 << 20

// Parse reads a text. It never fails: what it does not understand it
// leaves out, and all of a text that is too long.
func Parse(text string) *Tree {
	if len(text) > maxBytes {
		text = ""
	}
	p := &parser{text: text}
	p.startDocument()
	for p.pos < len(text) {
		p.parseLine()
	}
	return &Tree{Documents: p.documents, starts: p.starts, index: position.New(text)}
}

// A parser goes through a text line by line.
type parser struct {
	text      string
	pos       int
	documents []*Node
	starts    []int
	// open are the collections in block style around pos, and the root below
	// them.
	open []*Node
	// lineFrom and lineTo enclose the line that was looked at last: all of a
	// text may be one line.
	lineFrom, lineTo int
}

// lineEnd is the offset of the line break at or after an offset.
func (p *parser) lineEnd(at int) int {
	if at < p.lineFrom || at > p.lineTo || p.lineTo == 0 {
		p.lineFrom, p.lineTo = at, lex.LineEnd(p.text, at)
	}
	return p.lineTo
}

func (p *parser) startDocument() {
	root := newNode(p.pos)
	p.documents = append(p.documents, root)
	p.starts = append(p.starts, p.pos)
	p.open = []*Node{root}
}

func newNode(at int) *Node {
	return &Node{keyStart: -1, keyEnd: -1, afterIndicator: -1, start: at, end: at, column: -1}
}

func (p *parser) innermost() *Node { return p.open[len(p.open)-1] }

// parseLine reads a line that does not begin within a scalar or brackets.
func (p *parser) parseLine() {
	start, end := p.pos, p.lineEnd(p.pos)
	next := end + lex.BreakWidth(p.text, end)
	at := start
	for at < end && p.text[at] == ' ' {
		at++
	}
	p.pos = next
	switch {
	case p.isComment(at) || strings.TrimSpace(p.text[at:end]) == "":
	case lex.IsDocumentMarker(p.text, start):
		p.pos = start + 3
		p.startDocument()
		p.parseValue(p.innermost(), -1, p.skipBlanks(p.pos))
		p.pos = max(p.pos, min(next, len(p.text)))
	case start == 0 && p.text[start] == '%':
	default:
		p.parseContent(at, at-start)
	}
}

// parseContent reads what begins at an offset, which has a column in its line.
func (p *parser) parseContent(at, column int) {
	dash := p.text[at] == '-' && lex.IsBlankOrEnd(p.text, at+1)
	parent := p.parent(column, dash)
	switch {
	case dash:
		p.parseItem(parent, at, column)
	case p.isKey(at) || parent.Kind == yaml.MappingNode && parent.column == column:
		p.parseEntry(parent, at, column)
	case parent.Kind == 0 || parent.Kind == yaml.ScalarNode && parent.Quote == 0:
		p.parseValue(parent, p.enclosing(parent), at)
	}
}

// parent closes the collections that end before a column and returns the node
// that gets what is there: a collection of that column or one without content.
func (p *parser) parent(column int, dash bool) *Node {
	for len(p.open) > 1 {
		top := p.innermost()
		isList := top.Kind == yaml.SequenceNode
		if top.column < column || top.column == column && (!isList || dash) {
			break
		}
		p.open = p.open[:len(p.open)-1]
	}
	top := p.innermost()
	isOpen := top.column < column || dash && top.Kind == yaml.MappingNode
	if last := lastChild(top); last != nil && isOpen {
		return last
	}
	return top
}

func lastChild(n *Node) *Node {
	if len(n.Children) == 0 {
		return nil
	}
	return n.Children[len(n.Children)-1]
}

// enclosing is the column that a value of n has to be indented more than.
func (p *parser) enclosing(n *Node) int {
	if top := p.innermost(); top != n {
		return top.column
	}
	return -1
}

// openCollection makes n one of the kind, unless it is.
func (p *parser) openCollection(n *Node, kind yaml.Kind, at, column int) *Node {
	if n.Kind == kind && !n.Flow && n.column == column {
		return n
	}
	half := *n
	n.Kind, n.start, n.end, n.column, n.Children, n.Value, n.Quote, n.Flow = kind, at, at, column, nil, "", 0, false
	// Half a key was taken for a value as long as no other key followed.
	if kind == yaml.MappingNode && half.Kind == yaml.ScalarNode && half.Quote == 0 && p.columnOf(half.start) == column {
		key := newNode(half.end)
		key.Key, key.keyStart, key.keyEnd = half.Value, half.start, half.end
		n.start, n.Children = half.start, []*Node{key}
	}
	p.open = append(p.open, n)
	return n
}

func (p *parser) columnOf(at int) int {
	return at - (strings.LastIndexByte(p.text[:at], '\n') + 1)
}

func (p *parser) parseItem(parent *Node, at, column int) {
	list := p.openCollection(parent, yaml.SequenceNode, at, column)
	item := newNode(at + 1)
	item.afterIndicator = at + 1
	list.Children = append(list.Children, item)
	p.parseAfterDash(item, column)
}

func (p *parser) parseEntry(parent *Node, at, column int) {
	mapping := p.openCollection(parent, yaml.MappingNode, at, column)
	entry := newNode(at)
	mapping.Children = append(mapping.Children, entry)
	p.parseKey(entry, at, false)
	if entry.afterIndicator < 0 {
		return
	}
	if rest := p.skipBlanks(entry.afterIndicator); p.isLineEnd(rest) {
		p.pos = p.nextLine(rest)
		return
	}
	p.parseValue(entry, column, p.skipBlanks(entry.afterIndicator))
}

// parseAfterDash reads what follows a dash in its line, which may be another dash or a
// key.
func (p *parser) parseAfterDash(item *Node, column int) {
	at := p.skipBlanks(item.afterIndicator)
	if p.isLineEnd(at) {
		p.pos = p.nextLine(at)
		return
	}
	inner := column + at - item.afterIndicator + 1
	switch {
	case p.text[at] == '-' && lex.IsBlankOrEnd(p.text, at+1):
		p.parseItem(item, at, inner)
	case p.isKey(at):
		p.parseEntry(item, at, inner)
	default:
		p.parseValue(item, column, at)
	}
}

func (p *parser) isComment(at int) bool { return at < len(p.text) && p.text[at] == '#' }

// isLineEnd says whether only a comment is left in the line.
func (p *parser) isLineEnd(at int) bool {
	return at >= len(p.text) || lex.BreakWidth(p.text, at) > 0 || p.isComment(at)
}

func (p *parser) nextLine(at int) int {
	end := p.lineEnd(at)
	return end + lex.BreakWidth(p.text, end)
}

func (p *parser) skipBlanks(at int) int {
	for at < len(p.text) && lex.IsBlank(p.text[at]) {
		at++
	}
	return at
}

// isKey says whether what begins at an offset is a key with its colon.
func (p *parser) isKey(at int) bool {
	end, ok := p.keyEnd(at, false)
	return ok && end < len(p.text)
}

// keyEnd is the end of a key, with its quotes. ok says that a colon follows.
func (p *parser) keyEnd(at int, flow bool) (end int, ok bool) {
	limit := p.lineEnd(at)
	if c := p.text[at]; c == '"' || c == '\'' {
		end = quotedEnd(p.text[:limit], at)
		colon := p.skipBlanks(end)
		return end, colon < limit && p.text[colon] == ':'
	}
	if strings.IndexByte("{[|>#&*!%@`", p.text[at]) >= 0 && !flow {
		return limit, false
	}
	for end = at; end < limit; end++ {
		switch c := p.text[end]; {
		case c == ':' && (lex.IsBlankOrEnd(p.text, end+1) || flow && strings.IndexByte(",]}[{\"", p.text[end+1]) >= 0):
			return end, true
		case c == '#' && end > at && lex.IsBlank(p.text[end-1]):
			return p.trimmedEnd(at, end), false
		case flow && strings.IndexByte(",]}", c) >= 0:
			return p.trimmedEnd(at, end), false
		}
	}
	return p.trimmedEnd(at, limit), false
}

func (p *parser) trimmedEnd(start, end int) int {
	return start + len(strings.TrimRight(p.text[start:end], " \t"))
}

// key reads a key and its colon, if that is there.
func (p *parser) parseKey(n *Node, at int, flow bool) {
	end, ok := p.keyEnd(at, flow)
	n.keyStart, n.keyEnd = at, end
	n.Key = decodeKey(strings.TrimRight(p.text[at:end], " \t"))
	n.start, n.end = end, end
	if ok {
		n.afterIndicator = p.skipBlanks(end) + 1
		n.start, n.end = n.afterIndicator, n.afterIndicator
	}
}

func decodeKey(raw string) string {
	if raw == "" || raw[0] != '"' && raw[0] != '\'' {
		return raw
	}
	return decodePartial(strings.TrimSuffix(raw[1:], raw[:1]), raw[0], 0)
}

// quotedEnd is the offset behind the closing quote of the scalar at an offset,
// or the end of the text.
func quotedEnd(text string, at int) int {
	quote := text[at]
	for i := at + 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quote == '"':
			i++
		case c == quote && quote == '\'' && strings.HasPrefix(text[i+1:], "'"):
			i++
		case c == quote:
			return i + 1
		}
	}
	return len(text)
}

// Range is the range between two byte offsets of the text.
func (t *Tree) Range(start, end int) playground.Range { return t.index.Range(start, end) }
