package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/playground"
)

// mark says what the stages of a request did to a line of an object.
type mark string

const (
	markNone mark = ""
	// markAdded: a value that the user did not type.
	markAdded mark = "added"
	// markRemoved: a value that is no longer there, shown where it was.
	markRemoved mark = "removed"
	// markReplaced: a value other than the one typed.
	markReplaced mark = "replaced"
	// markQuiet: what every request gets, such as metadata.uid.
	markQuiet mark = "quiet"
)

// line is one line of an object's YAML.
type line struct {
	text string
	mark mark
	// note says why, on the first line of a change only, as does change.
	note   string
	change *stageChange
	// schema is the node that governs the value; nil if none does or it is not
	// known.
	schema *playground.SchemaPlace
}

// objectLines prints object as kubectl prints YAML, with the values that the
// changes removed put back in their places and each change marked. The error
// is that object is not JSON.
func objectLines(object json.RawMessage, changes []stageChange) ([]line, error) {
	value, err := decodeJSON(object)
	if err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	p := linePrinter{}
	p.value(0, value, newChangeTree(value, changes), nil)
	return p.lines, nil
}

func decodeJSON(text json.RawMessage) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

type linePrinter struct {
	lines      []line
	quietNotes []string
}

// value prints the inside of a mapping or a list. Cause is the change that
// brought the whole value, if any.
func (p *linePrinter) value(depth int, value any, tree *changeTree, cause *stageChange) {
	switch v := value.(type) {
	case map[string]any:
		p.mapping(depth, v, tree, cause)
	case []any:
		p.list(depth, v, tree, cause)
	default:
		p.add(yamlLines(0, v), cause)
	}
}

func (p *linePrinter) mapping(depth int, values map[string]any, tree *changeTree, cause *stageChange) {
	for _, key := range orderedKeys(values, tree) {
		place := tree.child(key)
		if place != nil {
			p.removed(place, func(value any) []string {
				return yamlLines(depth, map[string]any{key: value})
			})
		}
		if value, ok := values[key]; ok {
			p.entry(depth, key, value, place, cause)
		}
	}
}

func (p *linePrinter) entry(depth int, key string, value any, place *changeTree, cause *stageChange) {
	if place != nil && place.set != nil {
		cause = place.set
	}
	if isComplexKey(key) {
		p.add(yamlLines(depth, map[string]any{key: value}), cause)
		return
	}
	switch v := value.(type) {
	case map[string]any:
		p.add(keyLines(depth, key, len(v) == 0, "{}"), cause)
		p.mapping(depth+1, v, place, cause)
	case []any:
		p.add(keyLines(depth, key, len(v) == 0, "[]"), cause)
		p.list(depth, v, place, cause)
	default:
		p.add(yamlLines(depth, map[string]any{key: value}), cause)
		p.mapping(depth+1, nil, place, cause)
	}
}

func (p *linePrinter) list(depth int, items []any, tree *changeTree, cause *stageChange) {
	for i := range max(len(items), lastIndex(tree)+1) {
		place := tree.child(strconv.Itoa(i))
		if place != nil {
			p.removed(place, func(value any) []string { return itemLines(depth, value) })
		}
		if i < len(items) {
			p.item(depth, items[i], place, cause)
		}
	}
}

func (p *linePrinter) item(depth int, value any, place *changeTree, cause *stageChange) {
	if place != nil && place.set != nil {
		cause = place.set
	}
	if isEmptyOrScalar(value) {
		p.add(itemLines(depth, value), cause)
		p.mapping(depth+1, nil, place, cause)
		return
	}
	first := len(p.lines)
	p.value(depth+1, value, place, cause)
	p.dash(first, depth)
}

// removed prints the values that were taken away from a place.
func (p *linePrinter) removed(place *changeTree, print func(value any) []string) {
	for _, gone := range place.removed {
		p.add(print(removedValue(gone)), &gone)
	}
}

// dash puts the dash of a list item into the first line printed for it that
// is part of the object.
func (p *linePrinter) dash(first, depth int) {
	for i := first; i < len(p.lines); i++ {
		if l := &p.lines[i]; l.mark != markRemoved || i == len(p.lines)-1 {
			l.text = l.text[:2*depth] + "- " + l.text[2*depth+2:]
			return
		}
	}
}

// add appends the lines of one value, which the change cause, unless nil,
// brought or took away. Only the first line of a change carries its note.
func (p *linePrinter) add(texts []string, cause *stageChange) {
	continues := cause != nil && len(p.lines) > 0 && p.lastCause() == cause
	for i, text := range texts {
		l := line{text: text}
		if cause != nil {
			l.mark = changeMark(*cause)
			if i == 0 && !continues {
				l.note, l.change = p.newNote(l.mark, changeNote(*cause)), cause
			}
		}
		p.lines = append(p.lines, l)
	}
}

// newNote is the note, unless it is of the quiet ones and was given before.
func (p *linePrinter) newNote(m mark, note string) string {
	if m != markQuiet {
		return note
	}
	if slices.Contains(p.quietNotes, note) {
		return ""
	}
	p.quietNotes = append(p.quietNotes, note)
	return note
}

// lastCause is the change that the last line belongs to.
func (p *linePrinter) lastCause() *stageChange {
	for i := len(p.lines) - 1; i >= 0 && p.lines[i].mark != markNone; i-- {
		if p.lines[i].change != nil {
			return p.lines[i].change
		}
	}
	return nil
}

func orderedKeys(values map[string]any, tree *changeTree) []string {
	keys := slices.Collect(maps.Keys(values))
	if tree != nil {
		for key, place := range tree.children {
			if _, ok := values[key]; !ok && len(place.removed) > 0 {
				keys = append(keys, key)
			}
		}
	}
	slices.SortFunc(keys, func(a, b string) int {
		switch {
		case keyLess(a, b):
			return -1
		case keyLess(b, a):
			return 1
		}
		return 0
	})
	return keys
}

// isComplexKey says that YAML writes the key as "? key" with the value behind
// ": ", in one piece.
func isComplexKey(key string) bool {
	return len(key) > 120 || strings.ContainsFunc(key, unicode.IsControl) || strings.ContainsAny(key, "\u0085\u2028\u2029")
}

func lastIndex(tree *changeTree) int {
	last := -1
	if tree == nil {
		return last
	}
	for key, place := range tree.children {
		if i, err := strconv.Atoi(key); err == nil && len(place.removed) > 0 && i < 1<<16 {
			last = max(last, i)
		}
	}
	return last
}

func isEmptyOrScalar(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return true
}

func removedValue(c stageChange) any {
	value, err := decodeJSON(c.change.Value)
	if err != nil {
		return nil
	}
	return value
}

// keyLines is a key above its value, which is printed on its own; an empty
// value stands beside the key.
func keyLines(depth int, key string, empty bool, emptyText string) []string {
	lines := yamlLines(depth, map[string]any{key: nil})
	last := len(lines) - 1
	lines[last] = strings.TrimSuffix(lines[last], " null")
	if empty {
		lines[last] += " " + emptyText
	}
	return lines
}

// itemLines is one item of a list, with its dash.
func itemLines(depth int, value any) []string {
	return yamlLines(depth, []any{value})
}

// yamlLines is value as YAML, indented as it is in a value of that depth:
// where long texts are folded depends on the indentation.
func yamlLines(depth int, value any) []string {
	if text, ok := plainLine(value); ok {
		return []string{strings.Repeat("  ", depth) + text}
	}
	text, ok := textOf(depth, value)
	if !ok {
		return writtenLines(depth, value)
	}
	return written.lines(text, func() []string { return writtenLines(depth, value) })
}

// writtenLines has the YAML library write value.
func writtenLines(depth int, value any) []string {
	skip := depth
	if _, list := value.([]any); list {
		value = map[string]any{"x": value}
		skip++
	}
	for range depth {
		value = map[string]any{"x": value}
	}
	text, err := yaml.Marshal(value)
	if err != nil {
		return []string{strings.Repeat("  ", depth) + "# not printable: " + err.Error()}
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	return lines[skip:]
}
