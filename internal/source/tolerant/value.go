package tolerant

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// maxFlowDepth is the maximum depth of nested brackets.
const maxFlowDepth = 200

// parseValue parses a value that is not a block collection. The value ends
// before the next line with at most column blanks of indentation.
func (p *parser) parseValue(n *Node, column, at int) {
	at = p.skipProperties(at)
	if p.isLineEnd(at) {
		p.pos = p.nextLine(at)
		return
	}
	switch p.text[at] {
	case '|', '>':
		p.parseBlock(n, column, at)
	case '{', '[':
		limit := p.limit(column, at)
		if p.pos = p.parseFlow(n, at, limit, 0); p.pos < limit {
			p.pos = p.nextLine(p.pos)
		}
	case '"', '\'':
		p.parseQuoted(n, column, at)
	default:
		p.parsePlain(n, at)
	}
}

// skipProperties skips an anchor and a tag.
func (p *parser) skipProperties(at int) int {
	for at < len(p.text) && (p.text[at] == '&' || p.text[at] == '!') {
		at = p.skipBlanks(yamltext.PropertyEnd(p.text, at))
	}
	return at
}

// limit returns the start of the next line, not blank, whose indentation is at
// most column. Without such a line, it returns the end of the source.
func (p *parser) limit(column, at int) int {
	if column < 0 {
		if next := strings.Index(p.text[at:], "\n---"); next >= 0 {
			return at + next + 1
		}
		return len(p.text)
	}
	for line := p.nextLine(at); line < len(p.text); line = p.nextLine(line) {
		first := line
		for first < len(p.text) && p.text[first] == ' ' {
			first++
		}
		if !isBlankLine(p.text, first) && first-line <= column {
			return line
		}
	}
	return len(p.text)
}

func isBlankLine(text string, at int) bool {
	return strings.TrimSpace(text[at:yamltext.LineEnd(text, at)]) == ""
}

func (p *parser) parseBlock(n *Node, column, at int) {
	body, end := p.nextLine(at), p.limit(column, at)
	p.pos = max(body, end)
	n.Kind, n.Quote, n.start, n.end = yaml.ScalarNode, p.text[at], body, max(body, end)
	n.column = blockIndent(p.text[body:n.end])
	n.Value = decodePartial(p.text[n.start:n.end], n.Quote, n.column)
}

// blockIndent returns the indentation of the first line that is not blank.
func blockIndent(text string) int {
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimLeft(line, " "); strings.TrimSpace(trimmed) != "" {
			return len(line) - len(trimmed)
		}
	}
	return 0
}

// parseQuoted parses a quoted scalar. An unclosed scalar ends with its line.
func (p *parser) parseQuoted(n *Node, column, at int) {
	limit := p.limit(column, at)
	end := quotedEnd(p.text[:limit], at)
	if isClosed := end > at+1 && p.text[end-1] == p.text[at]; !isClosed {
		end = p.lineEnd(at)
	}
	n.Kind, n.Quote, n.start, n.end = yaml.ScalarNode, p.text[at], at, end
	n.Value = decodeKey(p.text[at:end])
	p.pos = p.nextLine(end)
}

// parsePlain parses a plain scalar with its continuation lines.
func (p *parser) parsePlain(n *Node, at int) {
	end := p.plainEnd(at)
	if n.Kind == yaml.ScalarNode && n.Quote == 0 {
		at = n.start
	}
	n.Kind, n.Quote, n.start, n.end = yaml.ScalarNode, 0, at, end
	n.Value = decodePartial(p.text[at:end], 0, 0)
	p.pos = p.nextLine(end)
}

func (p *parser) plainEnd(at int) int {
	limit := p.lineEnd(at)
	if comment := strings.Index(p.text[at:limit], " #"); comment >= 0 {
		limit = at + comment
	}
	return p.trimmedEnd(at, limit)
}

// parseFlow parses a collection in flow style up to limit, and returns its end.
func (p *parser) parseFlow(n *Node, at, limit, depth int) int {
	if depth > maxFlowDepth {
		return limit
	}
	closing := byte('}')
	n.Kind, n.Flow, n.start = yaml.MappingNode, true, at
	if p.text[at] == '[' {
		n.Kind, closing = yaml.SequenceNode, ']'
	}
	at = p.skipFlow(at+1, limit)
	for at < limit && p.text[at] != closing {
		before := at
		child := newNode(at)
		n.Children = append(n.Children, child)
		if n.Kind == yaml.MappingNode {
			at = p.parseFlowEntry(child, at, limit, depth)
		} else {
			at = p.parseFlowValue(child, at, limit, depth)
		}
		at = p.skipFlow(at, limit)
		if at < limit && (p.text[at] == ',' || at == before) {
			at = p.skipFlow(at+1, limit)
		}
	}
	n.end = min(at+1, limit)
	return n.end
}

func (p *parser) parseFlowEntry(n *Node, at, limit, depth int) int {
	p.parseKey(n, at, true)
	if n.afterIndicator < 0 || n.afterIndicator > limit {
		n.afterIndicator = -1
		return min(n.keyEnd, limit)
	}
	value := p.skipFlow(n.afterIndicator, limit)
	if value >= limit || strings.IndexByte(",}]", p.text[value]) >= 0 {
		return value
	}
	return p.parseFlowValue(n, value, limit, depth)
}

func (p *parser) parseFlowValue(n *Node, at, limit, depth int) int {
	switch c := p.text[at]; c {
	case '{', '[':
		return p.parseFlow(n, at, limit, depth+1)
	case '"', '\'':
		n.end = quotedEnd(p.text[:limit], at)
		if line := p.lineEnd(at); n.end == limit && line < limit {
			n.end = line
		}
		n.Kind, n.Quote, n.start, n.Value = yaml.ScalarNode, c, at, decodeKey(p.text[at:n.end])
		return n.end
	}
	end := at
	for end < min(limit, p.lineEnd(at)) && strings.IndexByte(",]}", p.text[end]) < 0 {
		end++
	}
	end = p.trimmedEnd(at, end)
	n.Kind, n.start, n.end, n.Value = yaml.ScalarNode, at, end, p.text[at:end]
	return end
}

// skipFlow skips blanks, line breaks and comments.
func (p *parser) skipFlow(at, limit int) int {
	for at < limit {
		switch {
		case yamltext.IsBlank(p.text[at]):
			at++
		case yamltext.BreakWidth(p.text, at) > 0:
			at += yamltext.BreakWidth(p.text, at)
		case p.text[at] == '#':
			at = p.lineEnd(at)
		default:
			return at
		}
	}
	return min(at, limit)
}

// decodePartial decodes a part of a scalar's source. indent is the indentation
// of a block scalar.
func decodePartial(raw string, quote byte, indent int) string {
	switch quote {
	case '\'':
		return strings.ReplaceAll(foldLines(raw), "''", "'")
	case '"':
		return unescape(foldLines(raw))
	case '|', '>':
		return decodeBlock(raw, quote == '>', indent)
	}
	return foldLines(raw)
}

// foldLines joins lines with spaces.
func foldLines(raw string) string {
	if !strings.ContainsAny(raw, "\r\n") {
		return raw
	}
	lines := strings.Split(raw, "\n")
	for i, line := range lines {
		switch {
		case i == 0:
			lines[i] = strings.TrimRight(line, " \t\r")
		case i == len(lines)-1:
			lines[i] = strings.TrimLeft(line, " \t")
		default:
			lines[i] = strings.Trim(line, " \t\r")
		}
	}
	return strings.Join(lines, " ")
}

func decodeBlock(raw string, fold bool, indent int) string {
	lines := strings.Split(raw, "\n")
	for i, line := range lines {
		blanks := len(line) - len(strings.TrimLeft(line, " "))
		lines[i] = strings.TrimSuffix(line[min(indent, blanks):], "\r")
	}
	if fold {
		return strings.TrimRight(strings.Join(lines, " "), " ")
	}
	return strings.Join(lines, "\n")
}

func unescape(raw string) string {
	if !strings.Contains(raw, `\`) {
		return raw
	}
	var b strings.Builder
	for raw != "" {
		if raw[0] == '\\' && len(raw) > 1 && strings.IndexByte(`/ `, raw[1]) >= 0 {
			b.WriteByte(raw[1])
			raw = raw[2:]
			continue
		}
		r, _, rest, err := strconv.UnquoteChar(raw, '"')
		if err != nil {
			_, size := utf8.DecodeRuneInString(raw)
			b.WriteString(raw[:size])
			raw = raw[size:]
			continue
		}
		b.WriteRune(r)
		raw = rest
	}
	return b.String()
}
