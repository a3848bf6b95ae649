package tolerant

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// A Tree is the structure of a source that may be invalid, such as a document
// with an incomplete key, an unclosed quote or nothing after a dash. For valid
// sources without anchors, it agrees with the YAML parser.
type Tree struct {
	// Documents holds the root of each document. The Kind of an empty root is
	// 0.
	Documents []*Node

	// starts holds the start offset of each document.
	starts []int
	index  *yamltext.Index
}

// Range returns the range between two byte offsets.
func (t *Tree) Range(start, end int) playground.Range { return t.index.Range(start, end) }

// Key returns the range of the key or the dash of a node. If it has neither,
// the range is empty and at the start of the value.
func (t *Tree) Key(n *Node) playground.Range {
	switch {
	case n.keyStart >= 0:
		return t.Range(n.keyStart, n.keyEnd)
	case n.afterIndicator >= 0:
		return t.Range(n.afterIndicator-1, n.afterIndicator)
	}
	return t.Range(n.start, n.start)
}

// maxBytes is the maximum length of a parsed source.
const maxBytes = 4 << 20

// Parse parses a source. It never fails, but skips content that it does not
// understand. A source that is too long yields an empty tree.
func Parse(text string) *Tree {
	if len(text) > maxBytes {
		text = ""
	}
	p := &parser{text: text}
	p.startDocument()
	for p.pos < len(text) {
		p.parseLine()
	}
	return &Tree{Documents: p.documents, starts: p.starts, index: yamltext.NewIndex(text)}
}

// A parser reads a source line by line.
type parser struct {
	text      string
	pos       int
	documents []*Node
	starts    []int
	// open holds the root and the open block collections.
	open []*Node
	// lineFrom and lineTo are the extent of the last line that lineEnd looked
	// up. The cache keeps sources that consist of one long line fast.
	lineFrom, lineTo int
}

// lineEnd returns the offset of the line break at or after an offset.
func (p *parser) lineEnd(at int) int {
	if at < p.lineFrom || at > p.lineTo || p.lineTo == 0 {
		p.lineFrom, p.lineTo = at, yamltext.LineEnd(p.text, at)
	}
	return p.lineTo
}

func (p *parser) startDocument() {
	root := newNode(p.pos)
	p.documents = append(p.documents, root)
	p.starts = append(p.starts, p.pos)
	p.open = []*Node{root}
}

func (p *parser) innermost() *Node { return p.open[len(p.open)-1] }

// parseLine parses a line that does not begin within a scalar or brackets.
func (p *parser) parseLine() {
	start, end := p.pos, p.lineEnd(p.pos)
	next := end + yamltext.BreakWidth(p.text, end)
	at := start
	for at < end && p.text[at] == ' ' {
		at++
	}
	p.pos = next
	switch {
	case p.isComment(at) || strings.TrimSpace(p.text[at:end]) == "":
	case yamltext.IsDocumentMarker(p.text, start):
		p.pos = start + 3
		p.startDocument()
		p.parseValue(p.innermost(), -1, p.skipBlanks(p.pos))
		p.pos = max(p.pos, min(next, len(p.text)))
	case start == 0 && p.text[start] == '%':
	default:
		p.parseContent(at, at-start)
	}
}

// parseContent parses the content at an offset and its column.
func (p *parser) parseContent(at, column int) {
	dash := p.text[at] == '-' && yamltext.IsBlankOrEnd(p.text, at+1)
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

// parent closes the collections that end before a column. It returns the node
// that receives the content at that column: an open collection or a node
// without content.
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

// enclosing returns the column that the value of n must exceed.
func (p *parser) enclosing(n *Node) int {
	if top := p.innermost(); top != n {
		return top.column
	}
	return -1
}

// openCollection turns n into an open collection of a kind, unless it is one.
func (p *parser) openCollection(n *Node, kind yaml.Kind, at, column int) *Node {
	if n.Kind == kind && !n.Flow && n.column == column {
		return n
	}
	partial := *n
	n.Kind, n.start, n.end, n.column, n.Children, n.Value, n.Quote, n.Flow = kind, at, at, column, nil, "", 0, false
	// The parser reads an incomplete key as a value until another key follows.
	if kind == yaml.MappingNode && partial.Kind == yaml.ScalarNode && partial.Quote == 0 && columnAt(p.text, partial.start) == column {
		key := newNode(partial.end)
		key.Key, key.keyStart, key.keyEnd = partial.Value, partial.start, partial.end
		n.start, n.Children = partial.start, []*Node{key}
	}
	p.open = append(p.open, n)
	return n
}

// columnAt returns the zero-based column of an offset in bytes.
func columnAt(text string, offset int) int {
	return offset - (strings.LastIndexByte(text[:offset], '\n') + 1)
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

// parseAfterDash parses the rest of the line after a dash, which may begin with
// another dash or a key.
func (p *parser) parseAfterDash(item *Node, column int) {
	at := p.skipBlanks(item.afterIndicator)
	if p.isLineEnd(at) {
		p.pos = p.nextLine(at)
		return
	}
	inner := column + at - item.afterIndicator + 1
	switch {
	case p.text[at] == '-' && yamltext.IsBlankOrEnd(p.text, at+1):
		p.parseItem(item, at, inner)
	case p.isKey(at):
		p.parseEntry(item, at, inner)
	default:
		p.parseValue(item, column, at)
	}
}

func (p *parser) isComment(at int) bool { return at < len(p.text) && p.text[at] == '#' }

// isLineEnd reports whether the rest of the line is at most a comment.
func (p *parser) isLineEnd(at int) bool {
	return at >= len(p.text) || yamltext.BreakWidth(p.text, at) > 0 || p.isComment(at)
}

func (p *parser) nextLine(at int) int {
	end := p.lineEnd(at)
	return end + yamltext.BreakWidth(p.text, end)
}

func (p *parser) skipBlanks(at int) int {
	for at < len(p.text) && yamltext.IsBlank(p.text[at]) {
		at++
	}
	return at
}

// isKey reports whether a key with a colon begins at an offset.
func (p *parser) isKey(at int) bool {
	end, ok := p.keyEnd(at, false)
	return ok && end < len(p.text)
}

// keyEnd returns the end of a key with its quotes. ok reports whether a colon
// follows.
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
		case c == ':' && (yamltext.IsBlankOrEnd(p.text, end+1) || flow && strings.IndexByte(",]}[{\"", p.text[end+1]) >= 0):
			return end, true
		case c == '#' && end > at && yamltext.IsBlank(p.text[end-1]):
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

// parseKey parses a key and its colon, if present.
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

// quotedEnd returns the offset after the closing quote of the scalar at an
// offset, or the end of the source.
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
