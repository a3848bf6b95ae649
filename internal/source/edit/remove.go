package edit

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// remove removes the target from its parent.
func (e editor) remove(t target) (Edit, bool) {
	if t.width() == len(t.parent.Content) {
		return e.replaceWithEmpty(t.parent)
	}
	if t.flow() {
		return e.removeFlow(t), true
	}
	start, end := e.entryStart(t), e.lineAfter(t.value)
	before := e.layout.Text[e.layout.LineStart(start):start]
	if strings.Trim(before, " \t") == "" {
		return e.replaceRange(start-len(before), end, ""), !keepsBlankLines(t.value)
	}
	// The first key of a list item shares its line with the dash.
	if t.index+1 == len(t.parent.Content) {
		return Edit{}, false
	}
	return e.replaceRange(start, e.layout.Offset(t.parent.Content[t.index+1]), ""), true
}

// width returns the number of nodes of an entry.
func (t target) width() int {
	if t.key != nil {
		return 2
	}
	return 1
}

// entryStart returns the offset of the key or the dash of an entry.
func (e editor) entryStart(t target) int {
	if t.key != nil {
		return e.layout.Offset(t.key)
	}
	if at, ok := e.layout.Dash(t.parent, t.index); ok {
		return at
	}
	return e.layout.Offset(t.value)
}

// replaceWithEmpty replaces a collection with [] or {}.
func (e editor) replaceWithEmpty(parent *yaml.Node) (Edit, bool) {
	if parent.Kind == yaml.SequenceNode {
		return e.replaceNode(parent, "[]")
	}
	return e.replaceNode(parent, "{}")
}

// removeFlow removes an entry in flow style, with the comma on one side.
func (e editor) removeFlow(t target) Edit {
	start := e.entryStart(t)
	_, end := e.layout.Extent(t.value)
	if first := t.index - t.width() + 1; first > 0 {
		_, before := e.layout.Extent(t.parent.Content[first-1])
		return e.replaceRange(before, end, "")
	}
	return e.replaceRange(start, e.layout.Offset(t.parent.Content[t.index+1]), "")
}

// lineAfter returns the start of the line after the last line of a node.
func (e editor) lineAfter(n *yaml.Node) int {
	start, end := e.layout.Extent(n)
	if yamltext.BreakBefore(e.layout.Text, end) && end > start {
		return end
	}
	end = yamltext.BreakAt(e.layout.Text, end)
	return min(end+yamltext.BreakWidth(e.layout.Text, end), e.layout.End)
}
