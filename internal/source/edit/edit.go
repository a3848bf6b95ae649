package edit

import (
	"bytes"
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// An Edit replaces a range of a source. Edits preserve the rest of the source:
// comments, quotes, indentation and the order of keys.
type Edit struct {
	Range   playground.Range
	NewText string
}

// Apply applies edits to their source. The edits must not overlap.
func Apply(text string, edits ...Edit) string {
	index := yamltext.NewIndex(text)
	sorted := slices.Clone(edits)
	sort.SliceStable(sorted, func(i, j int) bool { // Generic code would enlarge the modules for the browser.
		return index.Offset(sorted[i].Range.Start) < index.Offset(sorted[j].Range.Start)
	})
	var b strings.Builder
	done := 0
	for _, edit := range sorted {
		start, end := index.Offset(edit.Range.Start), index.Offset(edit.Range.End)
		b.WriteString(text[done:max(done, start)])
		b.WriteString(edit.NewText)
		done = max(done, end)
	}
	return b.String() + text[done:]
}

// Set returns the edit that sets the value at a path of mapping keys (string)
// and list indexes (int). The value is any value that encodes as JSON. Set
// creates missing mappings and lists on the path. An index equal to the length
// of its list appends to the list.
//
// ok is false if the path leads through an alias, or through a value that is
// neither a mapping nor a list.
func Set(d *source.Document, value any, path ...any) (edit Edit, ok bool) {
	e := newEditor(d)
	t, missing, ok := e.find(path)
	switch {
	case !ok || len(path) == 0:
		return Edit{}, false
	case len(missing) == 0:
		return e.replace(t, value)
	}
	for i := len(missing) - 1; i > 0; i-- {
		if value, ok = wrap(missing[i], value); !ok {
			return Edit{}, false
		}
	}
	return e.insert(t, missing[0], value)
}

// wrap returns a mapping or list with a single value.
func wrap(step, value any) (any, bool) {
	switch step := step.(type) {
	case string:
		return map[string]any{step: value}, true
	case int:
		return []any{value}, step == 0
	}
	return nil, false
}

// Rename returns the edit that renames the mapping key at the end of a path.
func Rename(d *source.Document, name string, path ...any) (edit Edit, ok bool) {
	e := newEditor(d)
	t, missing, ok := e.find(path)
	if !ok || len(missing) > 0 || t.key == nil || t.key.Kind != yaml.ScalarNode {
		return Edit{}, false
	}
	start, end := e.layout.Extent(t.key)
	return e.replaceRange(start, end, e.encodeInline(name, t.flow())), true
}

// Delete returns the edit that removes a mapping key with its value, or a list
// item.
func Delete(d *source.Document, path ...any) (edit Edit, ok bool) {
	e := newEditor(d)
	t, missing, ok := e.find(path)
	if !ok || len(missing) > 0 || t.parent == nil {
		return Edit{}, false
	}
	return e.remove(t)
}

// DeleteFirst returns the edit that removes the first key of a mapping that equals a later one, whose
// position is given, with its value.
func DeleteFirst(d *source.Document, later playground.Position) (edit Edit, ok bool) {
	e := newEditor(d)
	parent, index := e.mappingOf(e.root, later)
	if parent == nil {
		return Edit{}, false
	}
	for i := 0; i < index; i += 2 {
		if parent.Content[i].Value == parent.Content[index].Value {
			return e.remove(target{value: parent.Content[i+1], key: parent.Content[i], parent: parent, index: i + 1})
		}
	}
	return Edit{}, false
}

// mappingOf returns the mapping at or below a node with a key at a position, and the index of the key;
// nil if there is none.
func (e editor) mappingOf(n *yaml.Node, at playground.Position) (mapping *yaml.Node, index int) {
	if n == nil {
		return nil, 0
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && e.layout.NodeRange(child).Start == at {
			return n, i
		}
		if mapping, index = e.mappingOf(child, at); mapping != nil {
			return mapping, index
		}
	}
	return nil, 0
}

// An editor creates the edits of one document.
type editor struct {
	layout *yamltext.Layout
	root   *yaml.Node
}

func newEditor(d *source.Document) editor {
	return editor{d.Layout(), d.Root().Node()}
}

// A target is the node at the end of a path, with its parent.
type target struct {
	value *yaml.Node
	// key is nil for list items, and parent is nil for the root.
	key, parent *yaml.Node
	// index is the index of value in parent.Content.
	index int
}

// flow reports whether the parent is in flow style.
func (t target) flow() bool { return t.parent != nil && t.parent.Style&yaml.FlowStyle != 0 }

// isOutdented reports whether the value is a block scalar that is not indented more than
// its parent. No other value may begin there.
func (t target) isOutdented() bool {
	return t.parent != nil && t.value.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 && t.value.Column <= t.parent.Column
}

// lacksColon reports whether the value is missing after a key without a colon, as in {a}.
func (e editor) lacksColon(t target) bool {
	if t.key == nil || t.value.Tag != "!!null" {
		return false
	}
	_, end := e.layout.Extent(t.key)
	at := e.layout.SkipSpace(end, "")
	return at == e.layout.End || e.layout.Text[at] != ':'
}

// find follows a path without aliases, and returns the part that does not
// exist. ok is false if no edit can create that part.
func (e editor) find(path []any) (t target, missing []any, ok bool) {
	t.value = e.root
	for i, step := range path {
		switch {
		case t.value == nil, t.value.Kind == yaml.AliasNode, t.value.Anchor != "":
			return t, nil, false
		case t.value.Tag == "!!null":
			return t, path[i:], true
		}
		next, ok := t.child(step)
		if !ok {
			return t, path[i:], t.accepts(step)
		}
		t = next
	}
	return t, nil, t.value != nil && t.value.Kind != yaml.AliasNode && t.value.Anchor == ""
}

// child returns the child at a step: for duplicate keys, the last one.
func (t target) child(step any) (target, bool) {
	content := t.value.Content
	switch step := step.(type) {
	case int:
		if t.value.Kind == yaml.SequenceNode && step < len(content) {
			return target{value: content[step], parent: t.value, index: step}, true
		}
	case string:
		for i := len(content) - 2; i >= 0 && t.value.Kind == yaml.MappingNode; i -= 2 {
			if content[i].Kind == yaml.ScalarNode && content[i].Value == step {
				return target{value: content[i+1], key: content[i], parent: t.value, index: i + 1}, true
			}
		}
	}
	return target{}, false
}

// accepts reports whether the target can have a new child at a step.
func (t target) accepts(step any) bool {
	switch step := step.(type) {
	case string:
		return t.value.Kind == yaml.MappingNode
	case int:
		return t.value.Kind == yaml.SequenceNode && step == len(t.value.Content)
	}
	return false
}

func (e editor) replaceRange(start, end int, text string) Edit {
	return Edit{Range: e.layout.Range(start, end), NewText: text}
}

func (e editor) replace(t target, value any) (Edit, bool) {
	if t.value.Style&yaml.TaggedStyle != 0 || t.isOutdented() || e.lacksColon(t) {
		return Edit{}, false
	}
	return e.replaceNode(t.value, e.encodeInline(value, t.flow()))
}

// replaceNode replaces a node with a value on one line.
func (e editor) replaceNode(n *yaml.Node, text string) (Edit, bool) {
	start, end := e.layout.Extent(n)
	if !e.spansLines(n) {
		return e.replaceRange(start, end, e.blankBefore(start)+text), true
	}
	if keepsBlankLines(n) {
		return Edit{}, false
	}
	end = start + len(strings.TrimRight(e.layout.Text[start:end], " \t\r\n"))
	// A list may be indented as little as its key, unlike the new value.
	before := strings.TrimRight(e.layout.Text[e.layout.Start:start], " \t\r\n")
	if strings.HasSuffix(before, ":") {
		return e.replaceRange(e.layout.Start+len(before), end, " "+text), true
	}
	return e.replaceRange(start, end, text), true
}

// keepsBlankLines reports whether the blank lines after a node are part of it.
func keepsBlankLines(n *yaml.Node) bool {
	tail := deepest(n)
	return tail.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 && (tail.Value == "\n" || strings.HasSuffix(tail.Value, "\n\n"))
}

// blankBefore returns the blank that must separate a value at an offset from
// its colon, its dash, or a tag without a name.
func (e editor) blankBefore(at int) string {
	if at > e.layout.Start && strings.IndexByte(":-!", e.layout.Text[at-1]) >= 0 {
		return " "
	}
	return ""
}

// encodeInline encodes a value on one line. flow selects an encoding that is
// valid in flow style.
func (e editor) encodeInline(value any, flow bool) string {
	encoded, err := playground.EncodeJSON(value)
	if err != nil {
		panic(err) // values are decoded or built here
	}
	text := string(encoded)
	if e.layout.JSON || !isScalar(value) {
		return text
	}
	marshaled, err := yaml.Marshal(value)
	if err != nil || bytes.Count(marshaled, []byte("\n")) != 1 {
		return text
	}
	plain := strings.TrimSuffix(string(marshaled), "\n")
	if flow && strings.ContainsAny(plain, ",[]{}: ") {
		return text
	}
	return plain
}

// isScalar reports whether a value is neither a mapping nor a list.
func isScalar(value any) bool {
	switch value.(type) {
	case nil, bool, string, int, int64, uint64, float64, json.Number:
		return true
	}
	return false
}
