package edit

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/layout"
	"github.com/crdlab/crdlab/internal/source/position"
)

// An Edit replaces a range of a text. Edits leave everything else as it was
// typed: comments, quotes, indentation, the order of keys.
type Edit struct {
	Range   playground.Range
	NewText string
}

// Apply makes edits, which must not overlap, whose ranges are those of text.
func Apply(text string, edits ...Edit) string {
	index := position.New(text)
	sorted := slices.SortedStableFunc(slices.Values(edits), func(a, b Edit) int {
		return index.Offset(a.Range.Start) - index.Offset(b.Range.Start)
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

// Set is the edit that gives a path of mapping keys (string) and list indexes
// (int) a value, which is anything that encodes as JSON. Mappings and lists on
// the way that do not exist are made; an index that is the length of its list
// appends to it.
//
// ok is false if the path leads through an alias, whose text stands elsewhere,
// or through a value that is neither mapping nor list.
func Set(d *source.Document, value any, path ...any) (edit Edit, ok bool) {
	e := newEditor(d)
	w, missing, ok := e.find(path)
	switch {
	case !ok || len(path) == 0:
		return Edit{}, false
	case len(missing) == 0:
		return e.replace(w, value)
	}
	for i := len(missing) - 1; i > 0; i-- {
		if value, ok = wrap(missing[i], value); !ok {
			return Edit{}, false
		}
	}
	return e.insert(w, missing[0], value)
}

// wrap is a mapping or list with a single value.
func wrap(step, value any) (any, bool) {
	switch step := step.(type) {
	case string:
		return map[string]any{step: value}, true
	case int:
		return []any{value}, step == 0
	}
	return nil, false
}

// Rename is the edit that renames the mapping key at the end of a path.
func Rename(d *source.Document, name string, path ...any) (edit Edit, ok bool) {
	e := newEditor(d)
	w, missing, ok := e.find(path)
	if !ok || len(missing) > 0 || w.key == nil || w.key.Kind != yaml.ScalarNode {
		return Edit{}, false
	}
	start, end := e.layout.Extent(w.key)
	return e.replaceRange(start, end, e.encodeInline(name, w.flow())), true
}

// Delete is the edit that takes a mapping's key with its value, or a list's
// item, out of the text.
func Delete(d *source.Document, path ...any) (edit Edit, ok bool) {
	e := newEditor(d)
	w, missing, ok := e.find(path)
	if !ok || len(missing) > 0 || w.parent == nil {
		return Edit{}, false
	}
	return e.remove(w)
}

// An editor makes edits of one document.
type editor struct {
	layout *layout.Layout
	root   *yaml.Node
}

func newEditor(d *source.Document) editor {
	return editor{d.Layout(), d.Root().Node()}
}

// A target is where a path leads: a value, and what it stands in.
type target struct {
	value *yaml.Node
	// key is nil for list items; parent is nil for the root.
	key, parent *yaml.Node
	// index is the index of value among parent's children.
	index int
}

// flow says that what the value stands in is written in brackets.
func (w target) flow() bool { return w.parent != nil && w.parent.Style&yaml.FlowStyle != 0 }

// find follows a path as far as it exists in the text itself.
func (e editor) find(path []any) (w target, missing []any, ok bool) {
	w.value = e.root
	for i, step := range path {
		switch {
		case w.value == nil, w.value.Kind == yaml.AliasNode, w.value.Anchor != "":
			return w, nil, false
		case w.value.Tag == "!!null":
			return w, path[i:], true
		}
		next, ok := w.child(step)
		if !ok {
			return w, path[i:], w.accepts(step)
		}
		w = next
	}
	return w, nil, w.value != nil && w.value.Kind != yaml.AliasNode && w.value.Anchor == ""
}

// child is the child of the value at a step. Of duplicate keys it is the last.
func (w target) child(step any) (target, bool) {
	content := w.value.Content
	switch step := step.(type) {
	case int:
		if w.value.Kind == yaml.SequenceNode && step < len(content) {
			return target{value: content[step], parent: w.value, index: step}, true
		}
	case string:
		for i := len(content) - 2; i >= 0 && w.value.Kind == yaml.MappingNode; i -= 2 {
			if content[i].Kind == yaml.ScalarNode && content[i].Value == step {
				return target{value: content[i+1], key: content[i], parent: w.value, index: i + 1}, true
			}
		}
	}
	return target{}, false
}

// accepts reports whether a new child may stand at a step.
func (w target) accepts(step any) bool {
	switch step := step.(type) {
	case string:
		return w.value.Kind == yaml.MappingNode
	case int:
		return w.value.Kind == yaml.SequenceNode && step == len(w.value.Content)
	}
	return false
}

func (e editor) replaceRange(start, end int, text string) Edit {
	return Edit{Range: e.layout.Range(start, end), NewText: text}
}

func (e editor) replace(w target, value any) (Edit, bool) {
	if w.value.Style&yaml.TaggedStyle != 0 {
		return Edit{}, false
	}
	return e.replaceNode(w.value, e.encodeInline(value, w.flow()))
}

// replaceNode puts text on one line in the place of a node.
func (e editor) replaceNode(n *yaml.Node, text string) (Edit, bool) {
	start, end := e.layout.Extent(n)
	if !e.spansLines(n) {
		return e.replaceRange(start, end, e.blankBefore(start)+text), true
	}
	if keepsBlankLines(n) {
		return Edit{}, false
	}
	end = start + len(strings.TrimRight(e.layout.Text[start:end], " \t\r\n"))
	// A list may stand as far left as its key; what comes instead may not.
	before := strings.TrimRight(e.layout.Text[e.layout.Start:start], " \t\r\n")
	if strings.HasSuffix(before, ":") {
		return e.replaceRange(e.layout.Start+len(before), end, " "+text), true
	}
	return e.replaceRange(start, end, text), true
}

// keepsBlankLines reports whether blank lines behind a node are part of it.
func keepsBlankLines(n *yaml.Node) bool {
	tail := deepest(n)
	return tail.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 && (tail.Value == "\n" || strings.HasSuffix(tail.Value, "\n\n"))
}

// blankBefore is what has to stand between a colon or dash and a value at an offset.
func (e editor) blankBefore(at int) string {
	if at > e.layout.Start && strings.IndexByte(":-", e.layout.Text[at-1]) >= 0 {
		return " "
	}
	return ""
}

// encodeInline is a value on one line, as it may stand in brackets or in block style.
func (e editor) encodeInline(value any, flow bool) string {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	// Only values that were decoded, or are made here, come in.
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	text := strings.TrimSuffix(buffer.String(), "\n")
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
