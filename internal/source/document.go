package source

import (
	"errors"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
)

// A Document is one YAML or JSON document of a text.
type Document struct {
	// Text is the document's own text, without separators, as it is to be
	// handed to a decoder. Lines in a decoder's message count from its start.
	Text string
	// Range is the place of Text in the whole text.
	Range playground.Range
	// Err is nil, a *SyntaxError or a *LimitError. A document with a
	// *LimitError must not be given to a decoder. One with a *SyntaxError may:
	// decoders of other YAML versions differ in what they accept.
	Err error

	index *index
	// start is the offset of Text in the whole text.
	start int
	// lines are the line starts of the whole text by which the nodes count,
	// first is the line in which the document begins.
	lines []int32
	first int
	json  bool
	// root is nil if the document is empty or has an error.
	root *yaml.Node
	// entries are those of wide mappings: a map[string]entry by *yaml.Node, once
	// one was looked for.
	entries sync.Map
}

func parseDocument(x *index, c chunk, budget *budget) *Document {
	d := &Document{
		Text:  x.text[c.start:c.end],
		Range: x.span(c.start, c.end),
		index: x,
		start: c.start,
	}
	if c.bad != "" {
		message := "invalid Yaml document separator: " + c.bad
		d.Err = d.syntaxError(message, 0, lineEnd(d.Text, 0))
		return d
	}
	if looksLikeJSON(d.Text) {
		d.parseJSON(budget)
	}
	if d.Err == nil && d.root == nil {
		d.parseYAML(budget)
	}
	return d
}

// parseJSON tries the document as JSON. What is wrong as YAML too, and begins
// as JSON does, keeps the error that it has as JSON.
func (d *Document) parseJSON(spent *budget) {
	trial := *spent
	root, at, err := readJSON(d.Text, &trial)
	var limit *exceeded
	switch {
	case err == nil:
		*spent = trial
		d.root = root
	case errors.As(err, &limit):
		d.fail(limit, limit.offset)
	default:
		d.parseYAML(spent)
		if d.Err == nil || !quotesFirstKey(d.Text) {
			return
		}
		d.Err = d.syntaxError(err.Error(), at, at+1)
	}
	d.json = true
	d.lines = d.index.lines
	d.first = d.index.position(d.start).Line
}

// quotesFirstKey reports whether a text in braces was meant as JSON.
func quotesFirstKey(text string) bool {
	rest := strings.TrimLeft(text, " \t\r\n{")
	return rest == "" || rest[0] == '"' || rest[0] == '}'
}

func (d *Document) parseYAML(budget *budget) {
	d.lines, d.first = d.index.yamlLines, d.index.yamlLine(d.start)
	if err := checkNesting(d.Text, *budget); err != nil {
		d.fail(err, 0)
		return
	}
	if err := checkText(d.Text); err != nil {
		d.fail(err, err.offset)
		return
	}
	if at := d.skipSpace(d.start, ""); d.marker(at) && d.index.text[at] == '.' {
		return
	}
	root, failure := parseNode(d.Text)
	if failure != nil {
		start, end := failure.place(d.Text)
		d.Err = d.syntaxError(failure.message, start, end)
		return
	}
	if root == nil {
		return
	}
	if n, err := budget.spendTree(root); err != nil {
		d.fail(err, d.offset(n)-d.start)
		return
	}
	if at, ok := d.trailing(root); ok {
		d.Err = d.syntaxError("unexpected text after the value", at-d.start, lineEnd(d.Text, at-d.start))
		return
	}
	d.root = root
}

// trailing finds text behind the root, which the parser does not look at. A
// block that is not indented ends with the document.
func (d *Document) trailing(root *yaml.Node) (at int, ok bool) {
	start, end := d.extent(root)
	block := root.Kind != yaml.ScalarNode && root.Style&yaml.FlowStyle == 0
	if block && d.beginsLine(start) {
		return 0, false
	}
	at = d.skipSpace(end, "")
	return at, at < d.end() && !d.marker(at)
}

// marker reports whether a document marker is at an offset.
func (d *Document) marker(at int) bool {
	return d.beginsLine(at) && documentMarker(d.index.text, at)
}

func (d *Document) beginsLine(at int) bool {
	return at == d.start || breakBefore(d.index.text, at)
}

// Empty reports whether the document holds comments or null only. A document
// with an error is not empty.
func (d *Document) Empty() bool {
	return d.Err == nil && (d.root == nil ||
		d.root.Kind == yaml.ScalarNode && d.root.Tag == "!!null")
}

// JSON reports whether the document is to be decoded as JSON, otherwise it is
// YAML. Text in braces that only YAML accepts is YAML.
func (d *Document) JSON() bool { return d.json }

// Lookup is the value of the scalar at a path of mapping keys.
func (d *Document) Lookup(path ...string) (value string, ok bool) {
	l := d.Root()
	for _, key := range path {
		if l, ok = l.At(key); !ok {
			return "", false
		}
	}
	if l.node == nil || l.node.Kind != yaml.ScalarNode || l.node.Tag == "!!null" {
		return "", false
	}
	return l.node.Value, true
}

// Line is the range of a line of Text, blanks around it left out, for a
// decoder's message that names the line. Lines count from 1.
func (d *Document) Line(line int) playground.Range {
	first := d.index.yamlLine(d.start)
	i := max(0, min(first+line-1, len(d.index.yamlLines)-1))
	start := max(d.start, min(int(d.index.yamlLines[i]), d.end()))
	return d.trimmed(start, min(lineEnd(d.index.text, start), d.end()))
}

func (d *Document) end() int { return d.start + len(d.Text) }

// trimmed is the range between two offsets without blanks at its ends.
func (d *Document) trimmed(start, end int) playground.Range {
	text := d.index.text[start:end]
	start += len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	text = strings.TrimRight(d.index.text[start:max(start, end)], " \t\r\n")
	return d.index.span(start, start+len(text))
}

const byteOrderMark = "\ufeff"

// offset is the byte offset in the whole text at which a node begins. The
// parser puts nodes without content behind the last line at times.
func (d *Document) offset(n *yaml.Node) int {
	start := d.start
	switch line := d.first + n.Line - 1; {
	case line >= len(d.lines):
		return d.end()
	case n.Line > 1:
		start = int(d.lines[line])
	case strings.HasPrefix(d.Text, byteOrderMark) && !d.json:
		start += len(byteOrderMark) // is no column
	}
	return min(d.index.yamlOffset(start, n.Column-1), d.end())
}

// fail sets Err for an error whose place is an offset of Text.
func (d *Document) fail(err error, offset int) {
	var limit *exceeded
	if !errors.As(err, &limit) {
		d.Err = d.syntaxError(err.Error(), offset, offset+1)
		return
	}
	offset = max(offset, limit.offset)
	end := min(lineEnd(d.Text, offset), offset+80)
	d.Err = &LimitError{
		Limit: limit.limit,
		Max:   limit.max,
		Range: d.index.span(d.start+offset, d.start+end),
	}
}

// syntaxError is the error for a place given by offsets of Text.
func (d *Document) syntaxError(message string, start, end int) *SyntaxError {
	start = min(start, len(d.Text))
	return &SyntaxError{
		Message: message,
		Range:   d.index.span(d.start+start, min(d.start+end, d.end())),
	}
}
