package source

import (
	"errors"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// A Document is one YAML or JSON document of a file.
type Document struct {
	// Text is the source of the document, without separators. It is the input
	// for decoders, whose line numbers count from its start.
	Text string
	// Range is the range of Text in the file.
	Range playground.Range
	// Err is nil, a *SyntaxError or a *LimitError. A document with a
	// *LimitError must not reach a decoder. A document with a *SyntaxError
	// may, because decoders of other YAML versions differ in the input that
	// they accept.
	Err error

	index  *yamltext.Index
	layout *yamltext.Layout
	// root is nil if the document is empty or has an error.
	root *yaml.Node
	keys keyIndex
	// nodes and aliases are the numbers of nodes and aliases below root, if it was parsed as YAML.
	nodes, aliases int
	// duplicates finds the duplicate keys at its first call.
	duplicates func() *duplicates
}

func newDocument(x *yamltext.Index, c yamltext.Chunk) *Document {
	d := &Document{
		Text:   x.Text()[c.Start:c.End],
		Range:  x.Range(c.Start, c.End),
		index:  x,
		layout: yamltext.NewYAMLLayout(x, c.Start, c.End),
	}
	d.duplicates = sync.OnceValue(func() *duplicates { return findDuplicates(d) })
	return d
}

func parseDocument(x *yamltext.Index, c yamltext.Chunk, budget *yamltext.Budget) *Document {
	d := newDocument(x, c)
	if c.Bad != "" {
		message := "invalid Yaml document separator: " + c.Bad
		d.Err = d.syntaxError(message, 0, yamltext.LineEnd(d.Text, 0))
		return d
	}
	if yamltext.LooksLikeJSON(d.Text) {
		d.parseJSON(budget)
	}
	if d.Err == nil && d.root == nil {
		d.parseYAML(budget)
	}
	return d
}

// parseJSON tries to parse the document as JSON. If YAML fails as well and the
// document looks like JSON, the JSON error remains.
func (d *Document) parseJSON(spent *yamltext.Budget) {
	attempt := *spent
	root, at, err := yamltext.ParseJSON(d.Text, &attempt)
	var limit *yamltext.Exceeded
	switch {
	case err == nil:
		*spent = attempt
		d.root = root
	case errors.As(err, &limit):
		d.setError(limit, limit.Offset)
	default:
		d.parseYAML(spent)
		if d.Err == nil || !quotesFirstKey(d.Text) {
			return
		}
		d.Err = d.syntaxError(err.Error(), at, at+1)
	}
	d.layout = yamltext.NewJSONLayout(d.index, d.layout.Start, d.layout.End)
}

// quotesFirstKey reports whether a document in braces was probably meant as
// JSON.
func quotesFirstKey(text string) bool {
	rest := strings.TrimLeft(text, " \t\r\n{")
	return rest == "" || rest[0] == '"' || rest[0] == '}'
}

func (d *Document) parseYAML(budget *yamltext.Budget) {
	if err := yamltext.CheckNesting(d.Text, *budget); err != nil {
		d.setError(err, 0)
		return
	}
	if err := yamltext.CheckCharacters(d.Text); err != nil {
		d.setError(err, err.Offset)
		return
	}
	if at := d.layout.SkipSpace(d.layout.Start, ""); d.isMarker(at) && d.layout.Text[at] == '.' {
		return
	}
	root, failure := yamltext.ParseYAML(d.Text)
	if failure != nil {
		start, end := failure.Locate(d.Text)
		d.Err = d.syntaxError(failure.Message, start, end)
		return
	}
	if root == nil {
		return
	}
	nodes, aliases := budget.Spent()
	if n, err := budget.SpendTree(root); err != nil {
		d.setError(err, d.layout.Offset(n)-d.layout.Start)
		return
	}
	d.nodes, d.aliases = budget.Spent()
	d.nodes, d.aliases = d.nodes-nodes, d.aliases-aliases
	if at, ok := d.findTrailing(root); ok {
		unread := d.syntaxError("unexpected text after the value", at-d.layout.Start, yamltext.LineEnd(d.Text, at-d.layout.Start))
		unread.Unread = true
		d.Err = unread
		return
	}
	d.root = root
}

// findTrailing finds content after the root, which the parser ignores. A block
// collection at the start of a line always extends to the end of the document.
func (d *Document) findTrailing(root *yaml.Node) (at int, ok bool) {
	start, end := d.layout.Extent(root)
	block := root.Kind != yaml.ScalarNode && root.Style&yaml.FlowStyle == 0
	if block && d.beginsLine(start) {
		return 0, false
	}
	at = d.layout.SkipSpace(end, "")
	return at, at < d.layout.End && !d.isMarker(at)
}

// isMarker reports whether a document marker is at an offset.
func (d *Document) isMarker(at int) bool {
	return d.beginsLine(at) && yamltext.IsDocumentMarker(d.layout.Text, at)
}

func (d *Document) beginsLine(at int) bool {
	return at == d.layout.Start || yamltext.BreakBefore(d.layout.Text, at)
}

// Empty reports whether the document holds only comments or null. A document
// with an error is not empty.
func (d *Document) Empty() bool {
	return d.Err == nil && (d.root == nil ||
		d.root.Kind == yaml.ScalarNode && d.root.Tag == "!!null")
}

// JSON reports whether the document is to be decoded as JSON rather than YAML.
// A document in braces that is valid as YAML only is YAML.
func (d *Document) JSON() bool { return d.layout.JSON }

// Lookup returns the value of the scalar at a path of mapping keys.
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

// Line returns the range of a line of Text, see [yamltext.Layout.Line].
func (d *Document) Line(line int) playground.Range { return d.layout.Line(line) }

// Layout returns the layout, which locates the nodes of the document.
func (d *Document) Layout() *yamltext.Layout { return d.layout }

// setError sets Err for an error at an offset of Text.
func (d *Document) setError(err error, offset int) {
	var limit *yamltext.Exceeded
	if !errors.As(err, &limit) {
		d.Err = d.syntaxError(err.Error(), offset, offset+1)
		return
	}
	offset = max(offset, limit.Offset)
	end := min(yamltext.LineEnd(d.Text, offset), offset+80)
	d.Err = &LimitError{
		Limit: limit.Limit,
		Max:   limit.Max,
		Range: d.layout.Range(d.layout.Start+offset, d.layout.Start+end),
	}
}

// syntaxError returns an error for an extent in Text.
func (d *Document) syntaxError(message string, start, end int) *SyntaxError {
	start = min(start, len(d.Text))
	return &SyntaxError{
		Message: message,
		Range:   d.layout.Range(d.layout.Start+start, min(d.layout.Start+end, d.layout.End)),
	}
}
