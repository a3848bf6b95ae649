package source

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// remove takes what w leads to out of what it stands in.
func (d *Document) remove(w way) (Edit, bool) {
	if w.width() == len(w.parent.Content) {
		return d.empty(w.parent)
	}
	if w.flow() {
		return d.removeFlow(w), true
	}
	start, end := d.begin(w), d.lineAfter(w.value)
	before := d.index.text[lastLineStart(d.index, start):start]
	if strings.Trim(before, " \t") == "" {
		return d.edit(start-len(before), end, ""), !keepsBlankLines(w.value)
	}
	// The first key of a list's item shares its line with the dash.
	if w.child+1 == len(w.parent.Content) {
		return Edit{}, false
	}
	return d.edit(start, d.offset(w.parent.Content[w.child+1]), ""), true
}

// width is the number of nodes of an entry.
func (w way) width() int {
	if w.key != nil {
		return 2
	}
	return 1
}

// begin is where the key, or the dash, of an entry stands.
func (d *Document) begin(w way) int {
	if w.key != nil {
		return d.offset(w.key)
	}
	if at, ok := d.dash(w.parent, w.child); ok {
		return at
	}
	return d.offset(w.value)
}

// empty leaves a mapping or list without its only entry.
func (d *Document) empty(parent *yaml.Node) (Edit, bool) {
	if parent.Kind == yaml.SequenceNode {
		return d.instead(parent, "[]")
	}
	return d.instead(parent, "{}")
}

// removeFlow takes an entry out of brackets, with the comma on one side.
func (d *Document) removeFlow(w way) Edit {
	start := d.begin(w)
	_, end := d.extent(w.value)
	if first := w.child - w.width() + 1; first > 0 {
		_, before := d.extent(w.parent.Content[first-1])
		return d.edit(before, end, "")
	}
	return d.edit(start, d.offset(w.parent.Content[w.child+1]), "")
}

// lineAfter is where the line after the one on which a node ends begins.
func (d *Document) lineAfter(n *yaml.Node) int {
	start, end := d.extent(n)
	if breakBefore(d.index.text, end) && end > start {
		return end
	}
	end = breakAt(d.index.text, end)
	return min(end+breakWidth(d.index.text, end), d.end())
}
