package source

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// maxOutlineFlow is how deep brackets are followed.
const maxOutlineFlow = 200

// value reads a value at an offset that is not a collection in block style. It
// ends at the latest before a line that is indented no more than the column.
func (o *outliner) value(n *OutlineNode, column, at int) {
	at = o.skipProperties(at)
	if o.lineEnds(at) {
		o.pos = o.nextLine(at)
		return
	}
	switch c := o.text[at]; {
	case c == '|' || c == '>':
		o.block(n, column, at)
	case c == '{' || c == '[':
		limit := o.limit(column, at)
		if o.pos = o.flow(n, at, limit, 0); o.pos < limit {
			o.pos = o.nextLine(o.pos)
		}
	case c == '"' || c == '\'':
		o.quoted(n, column, at)
	default:
		o.plain(n, column, at)
	}
}

// skipProperties passes over an anchor and a tag.
func (o *outliner) skipProperties(at int) int {
	for at < len(o.text) && (o.text[at] == '&' || o.text[at] == '!') {
		at = o.skipBlanks(propertyEnd(o.text, at))
	}
	return at
}

// limit is the offset of the first line after at, not blank, that is indented
// no more than the column, or the end of the text.
func (o *outliner) limit(column, at int) int {
	if column < 0 {
		if next := strings.Index(o.text[at:], "\n---"); next >= 0 {
			return at + next + 1
		}
		return len(o.text)
	}
	for line := o.nextLine(at); line < len(o.text); line = o.nextLine(line) {
		first := line
		for first < len(o.text) && o.text[first] == ' ' {
			first++
		}
		if !blankLine(o.text, first) && first-line <= column {
			return line
		}
	}
	return len(o.text)
}

func blankLine(text string, at int) bool {
	return strings.TrimSpace(text[at:lineEnd(text, at)]) == ""
}

func (o *outliner) block(n *OutlineNode, column, at int) {
	body, end := o.nextLine(at), o.limit(column, at)
	o.pos = max(body, end)
	n.Kind, n.Quote, n.start, n.end = yaml.ScalarNode, o.text[at], body, max(body, end)
	n.column = draftIndent(o.text[body:n.end])
	n.Value = decodeDraft(o.text[n.start:n.end], n.Quote, n.column)
}

// draftIndent is the indentation of the first line that is not blank.
func draftIndent(text string) int {
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimLeft(line, " "); strings.TrimSpace(trimmed) != "" {
			return len(line) - len(trimmed)
		}
	}
	return 0
}

// quoted reads a scalar in quotes. If those are not closed before the value has
// to end, it ends with its line.
func (o *outliner) quoted(n *OutlineNode, column, at int) {
	limit := o.limit(column, at)
	end := quotedEnd(o.text[:limit], at)
	if isClosed := end > at+1 && o.text[end-1] == o.text[at]; !isClosed {
		end = o.lineEnd(at)
	}
	n.Kind, n.Quote, n.start, n.end = yaml.ScalarNode, o.text[at], at, end
	n.Value = decodeKey(o.text[at:end])
	o.pos = o.nextLine(end)
}

// plain reads a scalar without quotes and the lines that go on with it.
func (o *outliner) plain(n *OutlineNode, column, at int) {
	end := o.plainEnd(at)
	if n.Kind == yaml.ScalarNode && n.Quote == 0 {
		at = n.start
	}
	n.Kind, n.Quote, n.start, n.end = yaml.ScalarNode, 0, at, end
	n.Value = decodeDraft(o.text[at:end], 0, 0)
	o.pos = o.nextLine(end)
}

func (o *outliner) plainEnd(at int) int {
	limit := o.lineEnd(at)
	if comment := strings.Index(o.text[at:limit], " #"); comment >= 0 {
		limit = at + comment
	}
	return o.trimmedEnd(at, limit)
}

// flow reads a value in flow style that ends before the limit, and returns its
// end.
func (o *outliner) flow(n *OutlineNode, at, limit, depth int) int {
	if depth > maxOutlineFlow {
		return limit
	}
	closing := byte('}')
	n.Kind, n.Flow, n.start = yaml.MappingNode, true, at
	if o.text[at] == '[' {
		n.Kind, closing = yaml.SequenceNode, ']'
	}
	at = o.skipFlow(at+1, limit)
	for at < limit && o.text[at] != closing {
		before := at
		child := newOutlineNode(at)
		n.Children = append(n.Children, child)
		if n.Kind == yaml.MappingNode {
			at = o.flowEntry(child, at, limit, depth)
		} else {
			at = o.flowValue(child, at, limit, depth)
		}
		at = o.skipFlow(at, limit)
		if at < limit && (o.text[at] == ',' || at == before) {
			at = o.skipFlow(at+1, limit)
		}
	}
	n.end = min(at+1, limit)
	return n.end
}

func (o *outliner) flowEntry(n *OutlineNode, at, limit, depth int) int {
	o.key(n, at, true)
	if n.behind < 0 || n.behind > limit {
		n.behind = -1
		return min(n.keyEnd, limit)
	}
	value := o.skipFlow(n.behind, limit)
	if value >= limit || strings.IndexByte(",}]", o.text[value]) >= 0 {
		return value
	}
	return o.flowValue(n, value, limit, depth)
}

func (o *outliner) flowValue(n *OutlineNode, at, limit, depth int) int {
	switch c := o.text[at]; c {
	case '{', '[':
		return o.flow(n, at, limit, depth+1)
	case '"', '\'':
		n.end = quotedEnd(o.text[:limit], at)
		if line := o.lineEnd(at); n.end == limit && line < limit {
			n.end = line
		}
		n.Kind, n.Quote, n.start, n.Value = yaml.ScalarNode, c, at, decodeKey(o.text[at:n.end])
		return n.end
	}
	end := at
	for end < min(limit, o.lineEnd(at)) && strings.IndexByte(",]}", o.text[end]) < 0 {
		end++
	}
	end = o.trimmedEnd(at, end)
	n.Kind, n.start, n.end, n.Value = yaml.ScalarNode, at, end, o.text[at:end]
	return end
}

// skipFlow passes over blanks, line breaks and comments.
func (o *outliner) skipFlow(at, limit int) int {
	for at < limit {
		switch {
		case isBlank(o.text[at]):
			at++
		case breakWidth(o.text, at) > 0:
			at += breakWidth(o.text, at)
		case o.text[at] == '#':
			at = o.lineEnd(at)
		default:
			return at
		}
	}
	return min(at, limit)
}

// decodeDraft is the text that a part of a scalar's source stands for, as far
// as it is clear. indent is that of the lines of a block.
func decodeDraft(raw string, quote byte, indent int) string {
	switch quote {
	case '\'':
		return strings.ReplaceAll(foldLines(raw), "''", "'")
	case '"':
		return unescapeDraft(foldLines(raw))
	case '|', '>':
		return decodeBlock(raw, quote == '>', indent)
	}
	return foldLines(raw)
}

// foldLines makes one line of several.
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

func unescapeDraft(raw string) string {
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
