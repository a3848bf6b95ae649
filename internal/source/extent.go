package source

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// content is the offset at which a node's content begins, behind its anchor
// and tag.
func (d *Document) content(n *yaml.Node) int {
	at := d.offset(n)
	anchor, tag := n.Anchor != "", n.Style&yaml.TaggedStyle != 0 || n.Kind == yaml.ScalarNode
	for at < d.end() {
		switch c := d.index.text[at]; {
		case c == '&' && anchor:
			anchor = false
		case c == '!' && tag:
			tag = false
		default:
			return at
		}
		at = d.skipSpace(propertyEnd(d.index.text, at), "")
	}
	return at
}

// skipSpace passes over blanks, line breaks, comments and the given
// punctuation.
func (d *Document) skipSpace(at int, punctuation string) int {
	text := d.index.text[:d.end()]
	for at < len(text) {
		switch c := text[at]; {
		case isBlank(c), strings.IndexByte(punctuation, c) >= 0:
			at++
		case breakWidth(text, at) > 0:
			at += breakWidth(text, at)
		case c == '#':
			at = breakAt(text, at)
		default:
			return at
		}
	}
	return at
}

// scanner returns a scanner that stands before the content of a scalar.
func (d *Document) scanner(n *yaml.Node) *scalarScanner {
	return &scalarScanner{text: d.index.text[:d.end()], pos: d.content(n), value: n.Value}
}

// extent is where the content of a node begins and ends. Aliases are not
// followed.
func (d *Document) extent(n *yaml.Node) (start, end int) {
	start = d.content(n)
	switch n.Kind {
	case yaml.ScalarNode:
		return start, d.scalarEnd(n, start)
	case yaml.AliasNode:
		return start, propertyEnd(d.index.text[:d.end()], start)
	}
	return start, d.collectionEnd(n, start)
}

func (d *Document) scalarEnd(n *yaml.Node, start int) int {
	plain := n.Style&^yaml.TaggedStyle == 0
	if plain && strings.HasPrefix(d.index.text[start:d.end()], n.Value) {
		return start + len(n.Value)
	}
	if s := d.scanner(n); s.scan(n.Style) {
		return s.pos
	}
	return min(lineEnd(d.index.text, start), d.end())
}

// collectionEnd is the end of the closing bracket, or of the last child of a
// block collection.
func (d *Document) collectionEnd(n *yaml.Node, start int) int {
	end := start
	if len(n.Content) > 0 {
		_, end = d.extent(n.Content[len(n.Content)-1])
	}
	if start >= d.end() || n.Style&yaml.FlowStyle == 0 {
		return end
	}
	closing := strings.IndexByte("[{", d.index.text[start])
	if closing < 0 {
		return end
	}
	if len(n.Content) == 0 {
		end++
	}
	end = d.skipSpace(end, ",:")
	if end < d.end() && d.index.text[end] == "]}"[closing] {
		end++
	}
	return end
}

// dash is the offset of the dash that begins the item i of a block sequence,
// or ok is false.
func (d *Document) dash(sequence *yaml.Node, i int) (offset int, ok bool) {
	if sequence.Style&yaml.FlowStyle != 0 {
		return 0, false
	}
	at := d.content(sequence)
	if i > 0 {
		_, at = d.extent(sequence.Content[i-1])
		at = d.skipSpace(at, "")
	}
	return at, at < d.end() && d.index.text[at] == '-'
}
