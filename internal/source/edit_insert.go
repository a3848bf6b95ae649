package source

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

// insert puts a new child into the value that w leads to.
func (d *Document) insert(w way, step, value any) (Edit, bool) {
	if w.value.Kind == yaml.MappingNode || w.value.Kind == yaml.SequenceNode {
		if w.value.Style&yaml.FlowStyle != 0 {
			return d.insertFlow(w.value, step, value)
		}
		return d.insertBlock(w.value, step, value)
	}
	return d.fill(w, step, value)
}

// fill gives a key that has no value its first child.
func (d *Document) fill(w way, step, value any) (Edit, bool) {
	only, ok := wrapped(step, value)
	start, end := d.extent(w.value)
	if !ok || w.value.Style&yaml.TaggedStyle != 0 {
		return Edit{}, false
	}
	if start < end || w.key == nil || w.flow() {
		return d.edit(start, end, d.space(start)+d.inline(only, true)), true
	}
	indent := d.indentation(w.key) + "  "
	at := min(breakAt(d.index.text, end), d.end())
	blank := len(d.index.text[start:at]) - len(strings.TrimRight(d.index.text[start:at], " \t"))
	return d.edit(at-blank, at, "\n"+indent+d.block(only, indent)), true
}

// insertFlow adds a child in brackets: behind the last one, on a line of its
// own if that has one.
func (d *Document) insertFlow(parent *yaml.Node, step, value any) (Edit, bool) {
	start, end := d.extent(parent)
	text := d.inline(value, true)
	if key, ok := step.(string); ok {
		text = d.inline(key, true) + ": " + text
	}
	if len(parent.Content) == 0 {
		return d.edit(start+1, start+1, text), true
	}
	last := parent.Content[len(parent.Content)-1]
	_, at := d.extent(last)
	if strings.ContainsAny(d.index.text[at:end], ",#") {
		return Edit{}, false
	}
	separator := ", "
	if line := d.firstOnLine(lastEntry(parent)); line != "" {
		separator = ",\n" + line
	}
	return d.edit(at, at, separator+text), true
}

// lastEntry is the last key of a mapping or the last item of a list.
func lastEntry(parent *yaml.Node) *yaml.Node {
	if parent.Kind == yaml.MappingNode {
		return parent.Content[len(parent.Content)-2]
	}
	return parent.Content[len(parent.Content)-1]
}

// firstOnLine is the blank space before a node if nothing else is there.
func (d *Document) firstOnLine(n *yaml.Node) string {
	at := d.offset(n)
	before := d.index.text[lastLineStart(d.index, at):at]
	if strings.Trim(before, " \t") != "" {
		return ""
	}
	return before
}

// insertBlock adds a child to a block mapping or list. A scalar goes before
// the first mapping or list, so that it does not get lost behind that.
func (d *Document) insertBlock(parent *yaml.Node, step, value any) (Edit, bool) {
	if len(parent.Content) == 0 {
		return Edit{}, false
	}
	if parent.Kind == yaml.SequenceNode {
		dash, ok := d.dash(parent, 0)
		if !ok {
			return Edit{}, false
		}
		indent := spaces(d, dash)
		return d.behind(parent.Content[len(parent.Content)-1], indent, "- "+d.block(value, indent+"  "))
	}
	indent := d.indentation(parent.Content[0])
	text := d.block(map[string]any{step.(string): value}, indent)
	if !isScalar(value) {
		return d.behind(parent.Content[len(parent.Content)-1], indent, text)
	}
	for i := 1; i < len(parent.Content); i += 2 {
		if n := parent.Content[i]; len(n.Content) == 0 && !d.spansLines(n) {
			continue
		}
		if i > 1 {
			return d.behind(parent.Content[i-2], indent, text)
		}
		at := d.offset(parent.Content[0])
		return d.edit(at, at, text+"\n"+indent), true
	}
	return d.behind(parent.Content[len(parent.Content)-1], indent, text)
}

// behind puts text on a line of its own after the line on which a node ends.
func (d *Document) behind(n *yaml.Node, indent, text string) (Edit, bool) {
	if keepsBlankLines(n) {
		return Edit{}, false
	}
	start, end := d.extent(n)
	end = start + len(strings.TrimRight(d.index.text[start:end], " \t\r\n"))
	at := min(breakAt(d.index.text, end), d.end())
	return d.edit(at, at, "\n"+indent+text), true
}

// deepest is the last descendant of a node.
func deepest(n *yaml.Node) *yaml.Node {
	for len(n.Content) > 0 {
		n = n.Content[len(n.Content)-1]
	}
	return n
}

func (d *Document) spansLines(n *yaml.Node) bool {
	if n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode {
		return n.Style&yaml.FlowStyle == 0
	}
	start, end := d.extent(n)
	return strings.ContainsAny(strings.TrimSpace(d.index.text[start:end]), "\r\n")
}

// indentation is as many spaces as stand, or would, before a node.
func (d *Document) indentation(n *yaml.Node) string { return spaces(d, d.offset(n)) }

func spaces(d *Document, at int) string {
	before := d.index.text[max(d.start, lastLineStart(d.index, at)):at]
	return strings.Repeat(" ", len([]rune(before)))
}

// block is a value in block style, whose lines but the first are indented.
func (d *Document) block(value any, indent string) string {
	var buffer bytes.Buffer
	encoder := yaml.NewEncoder(&buffer)
	encoder.SetIndent(2)
	// Only values that were decoded, or are made here, come in.
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.ReplaceAll(strings.TrimSuffix(buffer.String(), "\n"), "\n", "\n"+indent)
}
