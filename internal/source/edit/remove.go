package edit

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/source/lex"
)

// remove removes the target from its parent.
func (e editor) remove(w target) (Edit, bool) {
	if w.width() == len(w.parent.Content) {
		return e.replaceWithEmpty(w.parent)
	}
	if w.flow() {
		return e.removeFlow(w), true
	}
	start, end := e.entryStart(w), e.lineAfter(w.value)
	before := e.layout.Text[e.layout.LineStart(start):start]
	if strings.Trim(before, " \t") == "" {
		return e.replaceRange(start-len(before), end, ""), !keepsBlankLines(w.value)
	}
	// The first key of a list item shares its line with the dash.
	if w.index+1 == len(w.parent.Content) {
		return Edit{}, false
	}
	return e.replaceRange(start, e.layout.Offset(w.parent.Content[w.index+1]), ""), true
}

// width returns the number of nodes of an entry.
func (w target) width() int {
	if w.key != nil {
		return 2
	}
	return 1
}

// entryStart returns the offset of the key or the dash of an entry.
func (e editor) entryStart(w target) int {
	if w.key != nil {
		return e.layout.Offset(w.key)
	}
	if at, ok := e.layout.Dash(w.parent, w.index); ok {
		return at
	}
	return e.layout.Offset(w.value)
}

// replaceWithEmpty replaces a collection with [] or {}.
func (e editor) replaceWithEmpty(parent *yaml.Node) (Edit, bool) {
	if parent.Kind == yaml.SequenceNode {
		return e.replaceNode(parent, "[]")
	}
	return e.replaceNode(parent, "{}")
}

// removeFlow removes an entry in flow style, with the comma on one side.
func (e editor) removeFlow(w target) Edit {
	start := e.entryStart(w)
	_, end := e.layout.Extent(w.value)
	if first := w.index - w.width() + 1; first > 0 {
		_, before := e.layout.Extent(w.parent.Content[first-1])
		return e.replaceRange(before, end, "")
	}
	return e.replaceRange(start, e.layout.Offset(w.parent.Content[w.index+1]), "")
}

// lineAfter returns the start of the line after the last line of a node.
func (e editor) lineAfter(n *yaml.Node) int {
	start, end := e.layout.Extent(n)
	if lex.BreakBefore(e.layout.Text, end) && end > start {
		return end
	}
	end = lex.BreakAt(e.layout.Text, end)
	return min(end+lex.BreakWidth(e.layout.Text, end), e.layout.End)
}
