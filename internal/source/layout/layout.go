package layout

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/lex"
	"github.com/crdlab/crdlab/internal/source/position"
	"github.com/crdlab/crdlab/internal/source/scalar"
)

// A Layout finds the nodes of one document in the text that it is part of.
type Layout struct {
	// Text is the whole text, of which the document reaches from Start to End.
	Text       string
	Start, End int
	// JSON: the lines of the nodes are those of JSON.
	JSON bool

	index *position.Index
	// lines are the line starts of the whole text by which the nodes count,
	// first is the line in which the document begins.
	lines []int32
	first int
}

// ForYAML is the layout of a document whose nodes the YAML parser made.
func ForYAML(x *position.Index, start, end int) *Layout {
	return &Layout{Text: x.Text(), Start: start, End: end, index: x, lines: x.YAMLLines(), first: x.YAMLLine(start)}
}

// ForJSON is the layout of a document whose nodes the JSON parser made.
func ForJSON(x *position.Index, start, end int) *Layout {
	return &Layout{Text: x.Text(), Start: start, End: end, JSON: true, index: x, lines: x.Lines(), first: x.Position(start).Line}
}

// Range is the range between two offsets.
func (l *Layout) Range(start, end int) playground.Range { return l.index.Range(start, end) }

// LineStart is the offset at which the line of an offset begins.
func (l *Layout) LineStart(offset int) int { return l.index.LineStart(offset) }

// Offset is the byte offset in the whole text at which a node begins. The
// parser puts nodes without content behind the last line at times.
func (l *Layout) Offset(n *yaml.Node) int {
	start := l.Start
	switch line := l.first + n.Line - 1; {
	case line >= len(l.lines):
		return l.End
	case n.Line > 1:
		start = int(l.lines[line])
	case strings.HasPrefix(l.Text[l.Start:l.End], byteOrderMark) && !l.JSON:
		start += len(byteOrderMark) // is no column
	}
	return min(l.index.YAMLOffset(start, n.Column-1), l.End)
}

// Content is the offset at which a node's content begins, behind its anchor
// and tag.
func (l *Layout) Content(n *yaml.Node) int {
	at := l.Offset(n)
	anchor, tag := n.Anchor != "", n.Style&yaml.TaggedStyle != 0 || n.Kind == yaml.ScalarNode
	for at < l.End {
		switch c := l.Text[at]; {
		case c == '&' && anchor:
			anchor = false
		case c == '!' && tag:
			tag = false
		default:
			return at
		}
		at = l.SkipSpace(lex.PropertyEnd(l.Text, at), "")
	}
	return at
}

// SkipSpace passes over blanks, line breaks, comments and the given
// punctuation.
func (l *Layout) SkipSpace(at int, punctuation string) int {
	text := l.Text[:l.End]
	for at < len(text) {
		switch c := text[at]; {
		case lex.IsBlank(c), strings.IndexByte(punctuation, c) >= 0:
			at++
		case lex.BreakWidth(text, at) > 0:
			at += lex.BreakWidth(text, at)
		case c == '#':
			at = lex.BreakAt(text, at)
		default:
			return at
		}
	}
	return at
}

// Extent is where the content of a node begins and ends. Aliases are not
// followed.
func (l *Layout) Extent(n *yaml.Node) (start, end int) {
	start = l.Content(n)
	switch n.Kind {
	case yaml.ScalarNode:
		return start, l.scalarEnd(n, start)
	case yaml.AliasNode:
		return start, lex.PropertyEnd(l.Text[:l.End], start)
	}
	return start, l.collectionEnd(n, start)
}

func (l *Layout) scalarEnd(n *yaml.Node, start int) int {
	plain := n.Style&^yaml.TaggedStyle == 0
	if plain && strings.HasPrefix(l.Text[start:l.End], n.Value) {
		return start + len(n.Value)
	}
	if end, ok := scalar.End(l.Text[:l.End], l.Content(n), n); ok {
		return end
	}
	return min(lex.LineEnd(l.Text, start), l.End)
}

// collectionEnd is the end of the closing bracket, or of the last child of a
// block collection.
func (l *Layout) collectionEnd(n *yaml.Node, start int) int {
	end := start
	if len(n.Content) > 0 {
		_, end = l.Extent(n.Content[len(n.Content)-1])
	}
	if start >= l.End || n.Style&yaml.FlowStyle == 0 {
		return end
	}
	closing := strings.IndexByte("[{", l.Text[start])
	if closing < 0 {
		return end
	}
	if len(n.Content) == 0 {
		end++
	}
	end = l.SkipSpace(end, ",:")
	if end < l.End && l.Text[end] == "]}"[closing] {
		end++
	}
	return end
}

// Dash is the offset of the dash that begins the item i of a block sequence,
// or ok is false.
func (l *Layout) Dash(sequence *yaml.Node, i int) (offset int, ok bool) {
	if sequence.Style&yaml.FlowStyle != 0 {
		return 0, false
	}
	at := l.Content(sequence)
	if i > 0 {
		_, at = l.Extent(sequence.Content[i-1])
		at = l.SkipSpace(at, "")
	}
	return at, at < l.End && l.Text[at] == '-'
}

// Line is the range of a line of Text, blanks around it left out, for a
// decoder's message that names the line. Lines count from 1.
func (l *Layout) Line(line int) playground.Range {
	first := l.index.YAMLLine(l.Start)
	i := max(0, min(first+line-1, len(l.index.YAMLLines())-1))
	start := max(l.Start, min(int(l.index.YAMLLines()[i]), l.End))
	return l.TrimmedRange(start, min(lex.LineEnd(l.Text, start), l.End))
}

// TrimmedRange is the range between two offsets without blanks at its ends.
func (l *Layout) TrimmedRange(start, end int) playground.Range {
	text := l.Text[start:end]
	start += len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	text = strings.TrimRight(l.Text[start:max(start, end)], " \t\r\n")
	return l.index.Range(start, start+len(text))
}

func (l *Layout) NodeRange(n *yaml.Node) playground.Range {
	start, end := l.Extent(n)
	return l.index.Range(start, end)
}

const byteOrderMark = "\ufeff"
