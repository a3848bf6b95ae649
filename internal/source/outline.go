package source

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
)

// An Outline is the structure of a text that need not be valid: one that is
// being typed, with half a key, a quote that is not closed yet, or nothing
// behind a dash. On valid texts without anchors it agrees with the YAML parser.
type Outline struct {
	// Documents are the roots, of which those without content are of no Kind.
	Documents []*OutlineNode

	// starts are the offsets at which the documents begin.
	starts []int
	index  *index
}

// An OutlineNode is a value with the key or the dash before it.
type OutlineNode struct {
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
	Children []*OutlineNode

	// keyStart and keyEnd enclose the key with its quotes; -1 if there is none.
	keyStart, keyEnd int
	// behind is the offset behind the colon or the dash, -1 if there is none.
	behind int
	// start and end enclose the value.
	start, end int
	// column is that of the keys or dashes of a collection in block style.
	column int
}

// maxOutline is the length in bytes of the texts that are outlined.
const maxOutline = 4 << 20

// NewOutline reads a text. It never fails: what it does not understand it
// leaves out, and all of a text that is too long.
func NewOutline(text string) *Outline {
	if len(text) > maxOutline {
		text = ""
	}
	o := &outliner{text: text}
	o.document()
	for o.pos < len(text) {
		o.line()
	}
	return &Outline{Documents: o.documents, starts: o.starts, index: newIndex(text)}
}

// An outliner goes through a text line by line.
type outliner struct {
	text      string
	pos       int
	documents []*OutlineNode
	starts    []int
	// open are the collections in block style around pos, and the root below
	// them.
	open []*OutlineNode
	// lineFrom and lineTo enclose the line that was looked at last: all of a
	// text may be one line.
	lineFrom, lineTo int
}

// lineEnd is the offset of the line break at or after an offset.
func (o *outliner) lineEnd(at int) int {
	if at < o.lineFrom || at > o.lineTo || o.lineTo == 0 {
		o.lineFrom, o.lineTo = at, lineEnd(o.text, at)
	}
	return o.lineTo
}

func (o *outliner) document() {
	root := newOutlineNode(o.pos)
	o.documents = append(o.documents, root)
	o.starts = append(o.starts, o.pos)
	o.open = []*OutlineNode{root}
}

func newOutlineNode(at int) *OutlineNode {
	return &OutlineNode{keyStart: -1, keyEnd: -1, behind: -1, start: at, end: at, column: -1}
}

func (o *outliner) top() *OutlineNode { return o.open[len(o.open)-1] }

// line reads a line that does not begin within a scalar or brackets.
func (o *outliner) line() {
	start, end := o.pos, o.lineEnd(o.pos)
	next := end + breakWidth(o.text, end)
	at := start
	for at < end && o.text[at] == ' ' {
		at++
	}
	o.pos = next
	switch {
	case o.comment(at) || strings.TrimSpace(o.text[at:end]) == "":
	case documentMarker(o.text, start):
		o.pos = start + 3
		o.document()
		o.value(o.top(), -1, o.skipBlanks(o.pos))
		o.pos = max(o.pos, min(next, len(o.text)))
	case start == 0 && o.text[start] == '%':
	default:
		o.content(at, at-start)
	}
}

// content reads what begins at an offset, which has a column in its line.
func (o *outliner) content(at, column int) {
	dash := o.text[at] == '-' && blankOrEnd(o.text, at+1)
	parent := o.parent(column, dash)
	switch {
	case dash:
		o.item(parent, at, column)
	case o.isKey(at) || parent.Kind == yaml.MappingNode && parent.column == column:
		o.entry(parent, at, column)
	case parent.Kind == 0 || parent.Kind == yaml.ScalarNode && parent.Quote == 0:
		o.value(parent, o.enclosing(parent), at)
	}
}

// parent closes the collections that end before a column and returns the node
// that gets what is there: a collection of that column or one without content.
func (o *outliner) parent(column int, dash bool) *OutlineNode {
	for len(o.open) > 1 {
		top := o.top()
		isList := top.Kind == yaml.SequenceNode
		if top.column < column || top.column == column && (!isList || dash) {
			break
		}
		o.open = o.open[:len(o.open)-1]
	}
	top := o.top()
	isOpen := top.column < column || dash && top.Kind == yaml.MappingNode
	if last := lastChild(top); last != nil && isOpen {
		return last
	}
	return top
}

func lastChild(n *OutlineNode) *OutlineNode {
	if len(n.Children) == 0 {
		return nil
	}
	return n.Children[len(n.Children)-1]
}

// enclosing is the column that a value of n has to be indented more than.
func (o *outliner) enclosing(n *OutlineNode) int {
	if top := o.top(); top != n {
		return top.column
	}
	return -1
}

// collection makes n one of the kind, unless it is.
func (o *outliner) collection(n *OutlineNode, kind yaml.Kind, at, column int) *OutlineNode {
	if n.Kind == kind && !n.Flow && n.column == column {
		return n
	}
	half := *n
	n.Kind, n.start, n.end, n.column, n.Children, n.Value, n.Quote, n.Flow = kind, at, at, column, nil, "", 0, false
	// Half a key was taken for a value as long as no other key followed.
	if kind == yaml.MappingNode && half.Kind == yaml.ScalarNode && half.Quote == 0 && o.columnOf(half.start) == column {
		key := newOutlineNode(half.end)
		key.Key, key.keyStart, key.keyEnd = half.Value, half.start, half.end
		n.start, n.Children = half.start, []*OutlineNode{key}
	}
	o.open = append(o.open, n)
	return n
}

func (o *outliner) columnOf(at int) int {
	return at - (strings.LastIndexByte(o.text[:at], '\n') + 1)
}

func (o *outliner) item(parent *OutlineNode, at, column int) {
	list := o.collection(parent, yaml.SequenceNode, at, column)
	item := newOutlineNode(at + 1)
	item.behind = at + 1
	list.Children = append(list.Children, item)
	o.after(item, column)
}

func (o *outliner) entry(parent *OutlineNode, at, column int) {
	mapping := o.collection(parent, yaml.MappingNode, at, column)
	entry := newOutlineNode(at)
	mapping.Children = append(mapping.Children, entry)
	o.key(entry, at, false)
	if entry.behind < 0 {
		return
	}
	if rest := o.skipBlanks(entry.behind); o.lineEnds(rest) {
		o.pos = o.nextLine(rest)
		return
	}
	o.value(entry, column, o.skipBlanks(entry.behind))
}

// after reads what follows a dash in its line, which may be another dash or a
// key.
func (o *outliner) after(item *OutlineNode, column int) {
	at := o.skipBlanks(item.behind)
	if o.lineEnds(at) {
		o.pos = o.nextLine(at)
		return
	}
	inner := column + at - item.behind + 1
	switch {
	case o.text[at] == '-' && blankOrEnd(o.text, at+1):
		o.item(item, at, inner)
	case o.isKey(at):
		o.entry(item, at, inner)
	default:
		o.value(item, column, at)
	}
}

func (o *outliner) comment(at int) bool { return at < len(o.text) && o.text[at] == '#' }

// lineEnds says whether only a comment is left in the line.
func (o *outliner) lineEnds(at int) bool {
	return at >= len(o.text) || breakWidth(o.text, at) > 0 || o.comment(at)
}

func (o *outliner) nextLine(at int) int {
	end := o.lineEnd(at)
	return end + breakWidth(o.text, end)
}

func (o *outliner) skipBlanks(at int) int {
	for at < len(o.text) && isBlank(o.text[at]) {
		at++
	}
	return at
}

// isKey says whether what begins at an offset is a key with its colon.
func (o *outliner) isKey(at int) bool {
	end, ok := o.keyEnd(at, false)
	return ok && end < len(o.text)
}

// keyEnd is the end of a key, with its quotes. ok says that a colon follows.
func (o *outliner) keyEnd(at int, flow bool) (end int, ok bool) {
	limit := o.lineEnd(at)
	if c := o.text[at]; c == '"' || c == '\'' {
		end = quotedEnd(o.text[:limit], at)
		colon := o.skipBlanks(end)
		return end, colon < limit && o.text[colon] == ':'
	}
	if strings.IndexByte("{[|>#&*!%@`", o.text[at]) >= 0 && !flow {
		return limit, false
	}
	for end = at; end < limit; end++ {
		switch c := o.text[end]; {
		case c == ':' && (blankOrEnd(o.text, end+1) || flow && strings.IndexByte(",]}[{\"", o.text[end+1]) >= 0):
			return end, true
		case c == '#' && end > at && isBlank(o.text[end-1]):
			return o.trimmedEnd(at, end), false
		case flow && strings.IndexByte(",]}", c) >= 0:
			return o.trimmedEnd(at, end), false
		}
	}
	return o.trimmedEnd(at, limit), false
}

func (o *outliner) trimmedEnd(start, end int) int {
	return start + len(strings.TrimRight(o.text[start:end], " \t"))
}

// key reads a key and its colon, if that is there.
func (o *outliner) key(n *OutlineNode, at int, flow bool) {
	end, ok := o.keyEnd(at, flow)
	n.keyStart, n.keyEnd = at, end
	n.Key = decodeKey(strings.TrimRight(o.text[at:end], " \t"))
	n.start, n.end = end, end
	if ok {
		n.behind = o.skipBlanks(end) + 1
		n.start, n.end = n.behind, n.behind
	}
}

func decodeKey(raw string) string {
	if raw == "" || raw[0] != '"' && raw[0] != '\'' {
		return raw
	}
	return decodeDraft(strings.TrimSuffix(raw[1:], raw[:1]), raw[0], 0)
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
func (o *Outline) Range(start, end int) playground.Range { return o.index.span(start, end) }
