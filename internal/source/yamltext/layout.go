package yamltext

import (
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
)

// A Layout locates the nodes of one document in its source.
type Layout struct {
	// Text is the whole source. The document extends from Start to End.
	Text       string
	Start, End int
	// JSON selects the line breaks of JSON for the lines of nodes.
	JSON bool

	index *Index
	// lines holds the line starts of the whole source. first is the index of
	// the document's first line.
	lines []int32
	first int
	// ends caches the ends of long scalars (*yaml.Node), because each location in a
	// collection may require the end of its last scalar.
	ends sync.Map
}

// longScalar is the number of bytes from which the end of a scalar is cached.
const longScalar = 256

// NewYAMLLayout returns the layout of a document that the YAML parser parsed.
func NewYAMLLayout(x *Index, start, end int) *Layout {
	return &Layout{Text: x.Text(), Start: start, End: end, index: x, lines: x.YAMLLines(), first: x.YAMLLine(start)}
}

// NewJSONLayout returns the layout of a document that the JSON parser parsed.
func NewJSONLayout(x *Index, start, end int) *Layout {
	return &Layout{Text: x.Text(), Start: start, End: end, JSON: true, index: x, lines: x.Lines(), first: x.Position(start).Line}
}

// Range returns the range between two offsets.
func (l *Layout) Range(start, end int) playground.Range { return l.index.Range(start, end) }

// LineStart returns the offset of the start of the line that contains an
// offset.
func (l *Layout) LineStart(offset int) int { return l.index.LineStart(offset) }

// Offset returns the offset of a node in the whole source. The parser sometimes
// puts an empty node after the last line; Offset clamps it to the document.
func (l *Layout) Offset(n *yaml.Node) int {
	start := l.Start
	switch line := l.first + n.Line - 1; {
	case line >= len(l.lines):
		return l.End
	case n.Line > 1:
		start = int(l.lines[line])
	case strings.HasPrefix(l.Text[l.Start:l.End], ByteOrderMark) && !l.JSON:
		start += len(ByteOrderMark)
	}
	return min(l.index.YAMLOffset(start, n.Column-1), l.End)
}

// Content returns the offset of a node's content, after its anchor and tag. An empty
// node ends there, although the next node may follow on the next line.
func (l *Layout) Content(n *yaml.Node) int {
	at := l.Offset(n)
	propertyEnd := at
	anchor, tag := n.Anchor != "", n.Style&(yaml.TaggedStyle|yaml.FlowStyle) != 0 || n.Kind == yaml.ScalarNode
	for at < l.End {
		if c := l.Text[at]; c == '&' && anchor {
			anchor = false
		} else if c == '!' && (tag || l.endsLine(PropertyEnd(l.Text, at))) {
			tag = false
		} else {
			break
		}
		propertyEnd = PropertyEnd(l.Text, at)
		at = l.SkipSpace(propertyEnd, "")
	}
	if n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&^yaml.TaggedStyle == 0 {
		return propertyEnd
	}
	return at
}

// endsLine reports whether only blanks or a comment follow in the line. The parser drops
// the tag "!" of a collection, and the tag of a key is in the same line as the key.
func (l *Layout) endsLine(at int) bool {
	for at < l.End && IsBlank(l.Text[at]) {
		at++
	}
	return at == l.End || l.Text[at] == '#' || BreakWidth(l.Text, at) > 0
}

// SkipSpace skips blanks, line breaks, comments and the given punctuation.
func (l *Layout) SkipSpace(at int, punctuation string) int {
	text := l.Text[:l.End]
	for at < len(text) {
		switch c := text[at]; {
		case IsBlank(c), strings.IndexByte(punctuation, c) >= 0:
			at++
		case BreakWidth(text, at) > 0:
			at += BreakWidth(text, at)
		case c == '#':
			at = BreakAt(text, at)
		default:
			return at
		}
	}
	return at
}

// Extent returns the start and end of a node's content. It does not follow
// aliases.
func (l *Layout) Extent(n *yaml.Node) (start, end int) {
	start = l.Content(n)
	switch n.Kind {
	case yaml.ScalarNode:
		return start, l.scalarEnd(n, start)
	case yaml.AliasNode:
		return start, PropertyEnd(l.Text[:l.End], start)
	}
	return start, l.collectionEnd(n, start)
}

func (l *Layout) scalarEnd(n *yaml.Node, start int) int {
	plain := n.Style&^yaml.TaggedStyle == 0
	if plain && strings.HasPrefix(l.Text[start:l.End], n.Value) {
		return start + len(n.Value)
	}
	if len(n.Value) < longScalar {
		return l.scanScalar(n, start)
	}
	end, known := l.ends.Load(n)
	if !known {
		end, _ = l.ends.LoadOrStore(n, l.scanScalar(n, start))
	}
	return end.(int)
}

func (l *Layout) scanScalar(n *yaml.Node, start int) int {
	if end, ok := scalarEnd(l.Text[:l.End], start, n); ok {
		return end
	}
	return LineEnd(l.Text[:l.End], start)
}

// collectionEnd returns the end of the closing bracket, or the end of the last
// child of a block collection.
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

// Dash returns the offset of the dash before item i of a block sequence.
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

// Line returns the range of a line of the document, without blanks around it.
// line is one-based, as in the messages of decoders.
func (l *Layout) Line(line int) playground.Range {
	first := l.index.YAMLLine(l.Start)
	i := max(0, min(first+line-1, len(l.index.YAMLLines())-1))
	start := max(l.Start, min(int(l.index.YAMLLines()[i]), l.End))
	return l.TrimmedRange(start, min(LineEnd(l.Text, start), l.End))
}

// TrimmedRange returns the range between two offsets without the blanks at its
// ends.
func (l *Layout) TrimmedRange(start, end int) playground.Range {
	text := l.Text[start:end]
	start += len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	text = strings.TrimRight(l.Text[start:max(start, end)], " \t\r\n")
	return l.index.Range(start, start+len(text))
}

// NodeRange returns the range of a node's content.
func (l *Layout) NodeRange(n *yaml.Node) playground.Range {
	start, end := l.Extent(n)
	return l.index.Range(start, end)
}
