package tolerant

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// Role is the syntactic role of a [Cursor].
type Role int

const (
	// Nowhere is a position without completions: in a comment or after a
	// value.
	Nowhere Role = iota
	// AtKey is a position in a key, or where a key may begin.
	AtKey
	// AtValue is a position in the scalar of a key or an item, or where a
	// scalar may begin in the line of its key.
	AtValue
	// AtStart is a position where any value may begin: after a dash, or in a
	// line below a key.
	AtStart
	// AtDash is a position where an item of a block sequence may begin.
	AtDash
)

// A Cursor is the syntactic context of a position in a [Tree].
type Cursor struct {
	Role Role
	// Path is the path of the mapping that contains the key, of the value, or
	// of the list that contains the item. It consists of mapping keys (string)
	// and list indexes (int).
	Path []any
	// Nodes holds the nodes on the path, starting with the root.
	Nodes []*Node
	// Entry is the key or the item at the cursor, or nil.
	Entry *Node
	// Above is the preceding mapping entry if the cursor is at no key and a
	// list item may continue the entry.
	Above *Node
	// Word is the range of the existing word, and Typed its part before the
	// cursor.
	Word  playground.Range
	Typed string
	// Before is the decoded part of a scalar before the cursor, and Text the
	// whole scalar.
	Before, Text string
	// Quoted is the quote at the start of Word, or 0.
	Quoted byte
	// HasColon is set if Word is a key with a colon.
	HasColon bool
	// NeedsBlank is set if a blank must separate Word from the colon or the
	// dash before it.
	NeedsBlank bool
	// Column is the column of the key in block style. Its value needs more
	// indentation.
	Column int
	// Flow is set within brackets or braces. JSON is set if all keys need
	// quotes.
	Flow, JSON bool
	// Document is the index of the document.
	Document int
}

// Nearest clamps a position to the source and to the end of its line.
func (t *Tree) Nearest(p playground.Position) playground.Position {
	return t.index.Position(t.index.Offset(p))
}

// Cursor returns the syntactic context of a position.
func (t *Tree) Cursor(p playground.Position) Cursor {
	offset := t.index.Offset(p)
	f := cursorFinder{tree: t, text: t.index.Text(), offset: offset}
	f.lineStart = offset - columnAt(f.text, offset)
	f.cursor.Word = t.index.Range(offset, offset)
	document := 0
	for i, start := range t.starts {
		if start <= offset {
			document = i
		}
	}
	f.cursor.Document = document
	if f.inComment() {
		return f.cursor
	}
	f.cursor.JSON = strings.HasPrefix(strings.TrimSpace(t.index.Text()), "{")
	f.node(t.Documents[document], -1)
	return f.cursor
}

type cursorFinder struct {
	tree              *Tree
	text              string
	offset, lineStart int
	cursor            Cursor
}

func (f *cursorFinder) column() int { return f.offset - f.lineStart }

// inComment reports whether the line up to the cursor is a comment.
func (f *cursorFinder) inComment() bool {
	return strings.HasPrefix(strings.TrimLeft(f.text[f.lineStart:f.offset], " \t"), "#")
}

// node descends into a value. outer is the column of the enclosing collection.
func (f *cursorFinder) node(n *Node, outer int) {
	f.cursor.Nodes = append(f.cursor.Nodes, n)
	f.cursor.Flow = f.cursor.Flow || n.Flow
	switch {
	case n.Kind == yaml.ScalarNode:
		f.scalar(n)
	case n.Kind == 0:
		f.missingValue(n, outer)
	case n.Flow:
		f.flow(n)
	case n.Kind == yaml.MappingNode:
		f.mapping(n)
	default:
		f.sequence(n)
	}
}

func (f *cursorFinder) setRole(role Role) { f.cursor.Role = role }

// setWord sets the word to the range between two offsets.
func (f *cursorFinder) setWord(start, end int) {
	f.cursor.Word = f.tree.Range(start, end)
	f.cursor.Typed = f.text[start:max(start, min(f.offset, end))]
	if start < len(f.text) && start < end && (f.text[start] == '"' || f.text[start] == '\'') {
		f.cursor.Quoted = f.text[start]
		f.cursor.Typed = strings.Trim(f.cursor.Typed, `"'`)
	}
}

func (f *cursorFinder) scalar(n *Node) {
	isBlock := n.Quote == '|' || n.Quote == '>'
	switch {
	case f.offset < n.start && isBlock:
	case f.offset < n.start:
		f.cursor.Entry = n
		if f.offset >= n.afterIndicator {
			f.setRole(AtValue)
		}
	case f.offset <= n.end && (!isBlock || f.offset < n.end || f.offset == len(f.text)):
		f.cursor.Entry = n
		f.setRole(AtValue)
		if f.startsValue(n) {
			f.setRole(AtStart)
		}
		f.cursor.Column = columnAt(f.text, n.start)
		f.setWord(n.start, n.end)
		f.cursor.Text = n.Value
		raw := f.text[n.start:min(f.offset, n.end)]
		if n.Quote == '"' || n.Quote == '\'' {
			raw = strings.TrimPrefix(raw, string(n.Quote))
		}
		f.cursor.Before = decodePartial(raw, n.Quote, n.column)
		if isBlock {
			f.cursor.Before = decodeBlock(raw, false, n.column)
		}
	}
}

// startsValue reports whether a scalar may become a key. Such a scalar is plain
// and has only dashes before it in its line.
func (f *cursorFinder) startsValue(n *Node) bool {
	line := strings.TrimLeft(f.text[n.start-columnAt(f.text, n.start):n.start], " -")
	return n.Quote == 0 && line == ""
}

// missingValue sets the context for a value that does not exist yet.
func (f *cursorFinder) missingValue(n *Node, outer int) {
	inLine := n.afterIndicator >= f.lineStart
	f.cursor.NeedsBlank = n.afterIndicator == f.offset
	f.cursor.Column = f.column()
	switch {
	case inLine && n.keyEnd >= 0:
		f.cursor.Entry = n
		f.setRole(AtValue)
	case inLine:
		f.cursor.Entry = n
		f.setRole(AtStart)
		if f.cursor.NeedsBlank {
			f.cursor.Column++
		}
	case f.column() > outer || n.keyEnd < 0:
		f.setRole(AtStart)
	case n.keyEnd >= 0 && f.column() == outer:
		f.setRole(AtDash)
	}
}

func (f *cursorFinder) appendStep(step any) { f.cursor.Path = append(f.cursor.Path, step) }

func (f *cursorFinder) mapping(n *Node) {
	entry := f.lastBefore(n.Children)
	switch {
	case entry == nil:
		f.cursor.Column = f.column()
		if f.column() == n.column {
			f.setRole(AtKey)
		}
	case f.inKey(entry):
		f.key(entry)
	case entry.afterIndicator >= f.lineStart && entry.start > f.offset && strings.Contains(f.text[f.offset:entry.start], "\n"):
	case entry.afterIndicator >= f.lineStart || f.offset <= entry.end && entry.Kind != 0:
		f.appendStep(entry.Key)
		f.node(entry, n.column)
	case f.column() > n.column:
		f.appendStep(entry.Key)
		f.node(entry, n.column)
	case f.column() == n.column:
		f.cursor.Column = n.column
		f.setRole(AtKey)
		if isList := entry.Kind == yaml.SequenceNode && entry.column == n.column; entry.Kind == 0 || isList {
			f.cursor.Above = entry
		}
	}
}

// lastBefore returns the last child that begins before the cursor.
func (f *cursorFinder) lastBefore(children []*Node) *Node {
	var found *Node
	for _, child := range children {
		begin := child.start
		if child.keyStart >= 0 {
			begin = child.keyStart
		} else if child.afterIndicator >= 0 {
			begin = child.afterIndicator - 1
		}
		if begin > f.offset || begin == f.offset && child.keyStart < 0 && child.afterIndicator >= 0 {
			break
		}
		found = child
	}
	return found
}

func (f *cursorFinder) inKey(entry *Node) bool {
	return entry.keyStart >= 0 && f.offset >= entry.keyStart && f.offset <= entry.keyEnd
}

func (f *cursorFinder) key(entry *Node) {
	f.cursor.Entry = entry
	f.cursor.HasColon = entry.afterIndicator >= 0
	f.cursor.Column = columnAt(f.text, entry.keyStart)
	f.setWord(entry.keyStart, entry.keyEnd)
	f.setRole(AtKey)
}

func (f *cursorFinder) sequence(n *Node) {
	for i, item := range slices.Backward(n.Children) {

		if item.afterIndicator > f.offset {
			continue
		}
		inLine := item.afterIndicator >= f.lineStart
		switch {
		case inLine || f.column() > n.column || f.offset <= item.end && item.Kind != 0:
			f.appendStep(i)
			f.node(item, n.column)
		case f.column() == n.column:
			f.cursor.Column = n.column
			f.setRole(AtDash)
		}
		return
	}
	if f.column() == n.column {
		f.setRole(AtDash)
	}
}

func (f *cursorFinder) flow(n *Node) {
	if f.offset <= n.start || f.offset >= n.end && n.end > n.start+1 && strings.IndexByte("]}", f.text[n.end-1]) >= 0 {
		return
	}
	for i, child := range n.Children {
		begin := child.start
		if child.keyStart >= 0 {
			begin = child.keyStart
		}
		if f.offset < begin || f.offset > f.flowEnd(n, i) {
			continue
		}
		if f.inKey(child) {
			f.key(child)
			return
		}
		if n.Kind == yaml.MappingNode {
			if child.afterIndicator < 0 {
				continue
			}
			f.appendStep(child.Key)
		} else {
			f.appendStep(i)
		}
		f.node(child, -1)
		if child.Kind == 0 {
			f.cursor.Entry = child
			f.setRole(AtValue)
		}
		return
	}
	f.cursor.Column = f.column()
	f.setRole(AtKey)
	if n.Kind == yaml.SequenceNode {
		f.appendStep(len(n.Children))
		f.setRole(AtValue)
	}
}

// flowEnd returns the end of an entry in flow style, up to its comma.
func (f *cursorFinder) flowEnd(n *Node, i int) int {
	child := n.Children[i]
	end := max(child.end, child.keyEnd)
	if child.Kind == 0 && child.afterIndicator >= 0 {
		for end < n.end && yamltext.IsBlank(f.text[end]) {
			end++
		}
	}
	return end
}
