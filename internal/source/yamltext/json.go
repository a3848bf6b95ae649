package yamltext

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

var errTrailing = errors.New("unexpected text after the JSON value")

// A jsonReader builds YAML nodes from JSON. The YAML parser would reject two
// kinds of valid JSON strings: \/ and escaped surrogate pairs.
type jsonReader struct {
	text   string
	tokens *json.Decoder
	budget *Budget

	// offset is the current position. line and column are the same position,
	// zero-based and in code points.
	offset, line, column int
	// open holds the collections around the current token.
	open []*yaml.Node
	root *yaml.Node
}

// ParseJSON parses a single JSON value into a node. Lines and columns count
// from the start of the source, and lines break at \n, \r\n and \r only. The
// error is an *Exceeded or an error of encoding/json, and at is its
// offset.
func ParseJSON(text string, budget *Budget) (root *yaml.Node, at int, err error) {
	r := &jsonReader{text: text, tokens: json.NewDecoder(strings.NewReader(text)), budget: budget}
	r.tokens.UseNumber()
	for r.root == nil || len(r.open) > 0 {
		if err := r.readToken(); err != nil {
			return nil, r.locate(err), err
		}
	}
	if end := r.tokenStart(int(r.tokens.InputOffset())); end < len(text) {
		return nil, end, errTrailing
	}
	return r.root, 0, nil
}

// locate returns the offset of an error.
func (r *jsonReader) locate(err error) int {
	var syntax *json.SyntaxError
	var limit *Exceeded
	switch {
	case errors.As(err, &limit):
		return limit.Offset
	case errors.As(err, &syntax):
		return r.locateCharacter(syntax)
	}
	return max(0, len(strings.TrimRight(r.text, " \t\r\n"))-1)
}

// locateCharacter returns the offset of the invalid character. The decoder's
// offset is one past this character, or the start of the blanks before it.
func (r *jsonReader) locateCharacter(err *json.SyntaxError) int {
	at := r.tokenStart(int(err.Offset))
	if at < len(r.text) && strings.HasPrefix(err.Error(), "invalid character '"+r.text[at:at+1]+"'") {
		return at
	}
	return max(0, int(err.Offset)-1)
}

func (r *jsonReader) readToken() error {
	before := int(r.tokens.InputOffset())
	token, err := r.tokens.Token()
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	if token == json.Delim('}') || token == json.Delim(']') {
		r.open = r.open[:len(r.open)-1]
		return nil
	}
	r.advance(r.tokenStart(before))
	n := jsonNode(token)
	n.Line, n.Column = r.line+1, r.column+1
	r.addNode(n)
	return r.budget.Spend(r.offset, len(r.open), 1, 0)
}

// tokenStart returns the start of the first token at or after offset.
func (r *jsonReader) tokenStart(offset int) int {
	rest := r.text[min(offset, len(r.text)):]
	return offset + len(rest) - len(strings.TrimLeft(rest, " \t\r\n,:"))
}

// advance moves the current position forward to the start of a token.
func (r *jsonReader) advance(offset int) {
	passed := r.text[r.offset:offset]
	r.offset = offset
	for {
		i := strings.IndexAny(passed, "\r\n")
		if i < 0 {
			break
		}
		passed = passed[i+BreakWidth(passed, i):]
		r.line, r.column = r.line+1, 0
	}
	r.column += utf8.RuneCountInString(passed)
}

func (r *jsonReader) addNode(n *yaml.Node) {
	if r.root == nil {
		r.root = n
	} else {
		parent := r.open[len(r.open)-1]
		parent.Content = append(parent.Content, n)
	}
	if n.Kind != yaml.ScalarNode {
		r.open = append(r.open, n)
	}
}

func jsonNode(token json.Token) *yaml.Node {
	scalar := func(tag, value string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle}
		}
		return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
	case string:
		n := scalar("!!str", t)
		n.Style = yaml.DoubleQuotedStyle
		return n
	case json.Number:
		if strings.ContainsAny(t.String(), ".eE") {
			return scalar("!!float", t.String())
		}
		return scalar("!!int", t.String())
	case bool:
		if t {
			return scalar("!!bool", "true")
		}
		return scalar("!!bool", "false")
	}
	return scalar("!!null", "null")
}
