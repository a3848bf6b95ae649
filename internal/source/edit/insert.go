package edit

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// insert adds a child to the target.
func (e editor) insert(t target, step, value any) (Edit, bool) {
	if t.value.Kind == yaml.MappingNode || t.value.Kind == yaml.SequenceNode {
		if t.value.Style&yaml.FlowStyle != 0 {
			return e.insertFlow(t.value, step, value)
		}
		return e.insertBlock(t.value, step, value)
	}
	return e.insertIntoEmpty(t, step, value)
}

// insertIntoEmpty adds the first child to a key without a value.
func (e editor) insertIntoEmpty(t target, step, value any) (Edit, bool) {
	only, ok := wrap(step, value)
	start, end := e.layout.Extent(t.value)
	if !ok || t.value.Style&yaml.TaggedStyle != 0 || e.lacksColon(t) {
		return Edit{}, false
	}
	if start < end || t.key == nil || t.flow() {
		return e.replaceRange(start, end, e.blankBefore(start)+e.encodeInline(only, true)), true
	}
	indent := e.indentation(t.key) + "  "
	at := min(yamltext.BreakAt(e.layout.Text, end), e.layout.End)
	blank := len(e.layout.Text[start:at]) - len(strings.TrimRight(e.layout.Text[start:at], " \t"))
	return e.replaceRange(at-blank, at, "\n"+indent+e.encodeBlock(only, indent)), true
}

// insertFlow adds the last child to a collection in flow style. The child gets
// a line of its own if the previous child has one.
func (e editor) insertFlow(parent *yaml.Node, step, value any) (Edit, bool) {
	start, end := e.layout.Extent(parent)
	text := e.encodeInline(value, true)
	if key, ok := step.(string); ok {
		text = e.encodeInline(key, true) + ": " + text
	}
	if len(parent.Content) == 0 {
		return e.replaceRange(start+1, start+1, text), true
	}
	last := parent.Content[len(parent.Content)-1]
	_, at := e.layout.Extent(last)
	if strings.ContainsAny(e.layout.Text[at:end], ",#") {
		return Edit{}, false
	}
	separator := ", "
	if line := e.lineIndent(lastEntry(parent)); line != "" {
		separator = ",\n" + line
	}
	return e.replaceRange(at, at, separator+text), true
}

// lastEntry returns the last key of a mapping or the last item of a list.
func lastEntry(parent *yaml.Node) *yaml.Node {
	if parent.Kind == yaml.MappingNode {
		return parent.Content[len(parent.Content)-2]
	}
	return parent.Content[len(parent.Content)-1]
}

// lineIndent returns the blanks before a node, or an empty string if the node
// is not the first in its line.
func (e editor) lineIndent(n *yaml.Node) string {
	at := e.layout.Offset(n)
	before := e.layout.Text[e.layout.LineStart(at):at]
	if strings.Trim(before, " \t") != "" {
		return ""
	}
	return before
}

// insertBlock adds a child to a block mapping or list. It puts a scalar before
// the first mapping or list, where readers notice it.
func (e editor) insertBlock(parent *yaml.Node, step, value any) (Edit, bool) {
	if len(parent.Content) == 0 {
		return Edit{}, false
	}
	if parent.Kind == yaml.SequenceNode {
		dash, ok := e.layout.Dash(parent, 0)
		if !ok {
			return Edit{}, false
		}
		indent := e.spaces(dash)
		return e.insertAfter(parent.Content[len(parent.Content)-1], indent, "- "+e.encodeBlock(value, indent+"  "))
	}
	indent := e.indentation(parent.Content[0])
	text := e.encodeBlock(map[string]any{step.(string): value}, indent)
	if !isScalar(value) {
		return e.insertAfter(parent.Content[len(parent.Content)-1], indent, text)
	}
	for i := 1; i < len(parent.Content); i += 2 {
		if n := parent.Content[i]; len(n.Content) == 0 && !e.spansLines(n) {
			continue
		}
		if i > 1 {
			return e.insertAfter(parent.Content[i-2], indent, text)
		}
		at := e.layout.Offset(parent.Content[0])
		return e.replaceRange(at, at, text+"\n"+indent), true
	}
	return e.insertAfter(parent.Content[len(parent.Content)-1], indent, text)
}

// insertAfter inserts a line after the last line of a node.
func (e editor) insertAfter(n *yaml.Node, indent, text string) (Edit, bool) {
	if keepsBlankLines(n) {
		return Edit{}, false
	}
	start, end := e.layout.Extent(n)
	end = start + len(strings.TrimRight(e.layout.Text[start:end], " \t\r\n"))
	at := min(yamltext.BreakAt(e.layout.Text, end), e.layout.End)
	return e.replaceRange(at, at, "\n"+indent+text), true
}

// deepest returns the last descendant of a node.
func deepest(n *yaml.Node) *yaml.Node {
	for len(n.Content) > 0 {
		n = n.Content[len(n.Content)-1]
	}
	return n
}

func (e editor) spansLines(n *yaml.Node) bool {
	if n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode {
		return n.Style&yaml.FlowStyle == 0
	}
	start, end := e.layout.Extent(n)
	return strings.ContainsAny(strings.TrimSpace(e.layout.Text[start:end]), "\r\n")
}

// indentation returns the indentation of a node as spaces, even if the node is
// not the first in its line.
func (e editor) indentation(n *yaml.Node) string { return e.spaces(e.layout.Offset(n)) }

func (e editor) spaces(at int) string {
	before := e.layout.Text[max(e.layout.Start, e.layout.LineStart(at)):at]
	return strings.Repeat(" ", len([]rune(before)))
}

// encodeBlock encodes a value in block style. It indents all lines except the
// first.
func (e editor) encodeBlock(value any, indent string) string {
	var buffer bytes.Buffer
	encoder := yaml.NewEncoder(&buffer)
	encoder.SetIndent(2)
	// Encoding cannot fail: values are decoded or built here.
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.ReplaceAll(strings.TrimSuffix(buffer.String(), "\n"), "\n", "\n"+indent)
}
