package ui

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v2"

	"github.com/crdlab/crdlab/internal/playground"
)

// mark classifies a line of an object by the effect of the request's stages.
type mark string

const (
	markNone mark = ""
	// markAdded: the user did not type the value.
	markAdded mark = "added"
	// markRemoved: the value was removed. It is shown at its former position.
	markRemoved mark = "removed"
	// markReplaced: the value differs from the typed value.
	markReplaced mark = "replaced"
	// markQuiet: every request sets the value, such as metadata.uid.
	markQuiet mark = "quiet"
)

// line is a line of an object's YAML.
type line struct {
	text string
	mark mark
	// change is set only on the first line of a change. note describes it, unless
	// an earlier line has the same quiet note.
	note   string
	change *stageChange
	// schema is the schema node of the value; nil if there is no such node or it
	// is unknown.
	schema *playground.SchemaPlace
	// owners names the managers that own the value, or is empty.
	owners string
}

// objectLines returns object as YAML in the format of kubectl, without managedFields and with
// the schema node of each line. It inserts the removed values at their former positions and
// marks the lines of each change.
//
// The object is encoded as a whole, because that is much faster than one value
// at a time. The printer then walks the object and its lines in parallel.
func objectLines(object json.RawMessage, changes []stageChange, schema []playground.SchemaPlace) ([]line, error) {
	decoded, err := decodeJSON(object)
	if err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	owners := ownersOf(decoded)
	decoded = withoutOwners(decoded)
	value := orderedYAML(decoded)
	p := linePrinter{encoded: yamlLines(0, value), schema: make(map[string]*playground.SchemaPlace, len(schema))}
	p.lines = make([]line, 0, len(p.encoded))
	for i, place := range schema {
		p.schema[place.Path] = &schema[i]
	}
	p.value(0, value, newChangeTree(changes), lineContext{schema: p.schema[""], owners: owners})
	return p.lines, nil
}

// lineContext applies to a value and, by default, to the values within it.
type lineContext struct {
	// cause is the change that added or replaced the value, or nil.
	cause *stageChange
	// schema is the schema node of the value, or nil.
	schema *playground.SchemaPlace
	// isMetadata reports that the value is the object's metadata. Its fields have
	// no schema node by default.
	isMetadata bool
	owners     []owner
}

// linePrinter adds marks and removed values to the lines of an encoded object.
type linePrinter struct {
	// encoded holds the lines that have not been printed yet.
	encoded []string
	lines   []line
	schema  map[string]*playground.SchemaPlace
	// lastCause is the cause of the last line.
	lastCause  *stageChange
	quietNotes []string
}

// value prints the items of a mapping or a list, or a scalar that is not below a
// key or an item.
func (p *linePrinter) value(depth int, value any, changes *changeTree, c lineContext) {
	switch v := value.(type) {
	case yaml.MapSlice:
		p.mapping(depth, v, changes, c)
	case []any:
		p.list(depth, v, changes, c)
	default:
		for len(p.encoded) > 0 {
			p.next(c)
		}
	}
}

// mapping prints the entries of a mapping. Each removed value precedes the first
// entry with the same key or a greater one.
func (p *linePrinter) mapping(depth int, entries yaml.MapSlice, changes *changeTree, c lineContext) {
	removed := changes.removedKeys()
	for _, entry := range entries {
		key := entry.Key.(string)
		for len(removed) > 0 && !keyLess(key, removed[0]) {
			p.removedKey(depth, removed[0], changes)
			removed = removed[1:]
		}
		node := changes.child(key)
		p.entry(depth, entry.Value, node, p.keyContext(depth, key, node, c))
	}
	for _, key := range removed {
		p.removedKey(depth, key, changes)
	}
}

func (p *linePrinter) removedKey(depth int, key string, changes *changeTree) {
	p.removed(depth, changes.child(key), func(value any) any { return yaml.MapSlice{{Key: key, Value: value}} })
}

// entry prints the line of a key and its value.
func (p *linePrinter) entry(depth int, value any, changes *changeTree, c lineContext) {
	if text := p.next(c); strings.HasPrefix(text[2*depth:], "? ") {
		p.complexEntry(depth, c)
		return
	}
	switch v := value.(type) {
	case yaml.MapSlice:
		p.mapping(depth+1, v, changes, c)
	case []any:
		p.list(depth, v, changes, c)
	default:
		p.continuation(depth, c)
		p.mapping(depth+1, nil, changes, c)
	}
}

// complexEntry prints the remaining lines of an entry in the form "? key" and
// ": value", which YAML uses for long and multi-line keys.
func (p *linePrinter) complexEntry(depth int, c lineContext) {
	p.continuation(depth, c)
	p.next(c)
	p.continuation(depth, c)
}

func (p *linePrinter) list(depth int, items []any, changes *changeTree, c lineContext) {
	for i := range max(len(items), changes.removedItems()) {
		node := changes.child(strconv.Itoa(i))
		p.removed(depth, node, func(value any) any { return []any{value} })
		if i < len(items) {
			p.item(depth, items[i], node, p.itemContext(i, items[i], node, c))
		}
	}
}

// item prints an item of a list. The dash is in the first line of its value.
func (p *linePrinter) item(depth int, value any, changes *changeTree, c lineContext) {
	switch v := value.(type) {
	case yaml.MapSlice:
		if len(v) > 0 {
			p.mapping(depth+1, v, changes, c)
			return
		}
	case []any:
		if len(v) > 0 {
			p.list(depth+1, v, changes, c)
			return
		}
	}
	p.next(c)
	p.continuation(depth, c)
	p.mapping(depth+1, nil, changes, c)
}

// continuation prints the lines of a scalar after its first line. They are
// indented more than its key or dash.
func (p *linePrinter) continuation(depth int, c lineContext) {
	for len(p.encoded) > 0 {
		text := strings.TrimLeft(p.encoded[0], " ")
		if text != "" && len(p.encoded[0])-len(text) <= 2*depth {
			return
		}
		p.next(c)
	}
}

// removed prints the values that changes removed. wrap returns a mapping or a
// list with a single value.
func (p *linePrinter) removed(depth int, changes *changeTree, wrap func(value any) any) {
	if changes == nil {
		return
	}
	for _, change := range changes.removed {
		value, err := decodeJSON(change.change.Value)
		if err != nil {
			value = nil
		}
		for _, text := range yamlLines(depth, wrap(orderedYAML(value))) {
			p.print(text, lineContext{cause: &change})
		}
	}
}

// next prints the next line of the object.
func (p *linePrinter) next(c lineContext) string {
	text := p.encoded[0]
	p.encoded = p.encoded[1:]
	p.print(text, c)
	return text
}

func (p *linePrinter) print(text string, c lineContext) {
	l := line{text: text, schema: c.schema, owners: ownerNames(c.owners)}
	if c.cause != nil {
		l.mark = changeMark(*c.cause)
		if c.cause != p.lastCause {
			l.note, l.change = p.newNote(l.mark, changeNote(*c.cause)), c.cause
		}
	}
	p.lastCause = c.cause
	p.lines = append(p.lines, l)
}

// newNote returns the note, or an empty string for a repeated quiet note.
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

// keyContext returns the context of a mapping's value. A value without a schema
// node of its own, such as a preserved field, has the node of the mapping.
func (p *linePrinter) keyContext(depth int, key string, changes *changeTree, c lineContext) lineContext {
	isMeta := depth == 0 && (key == "apiVersion" || key == "kind" || key == "metadata")
	schema := p.below(c.schema, "properties["+key+"]")
	if !isMeta && !c.isMetadata {
		schema = cmp.Or(schema, p.below(c.schema, "additionalProperties"), c.schema)
	}
	owners := ownersBelow(c.owners, func(map[string]any) string { return "f:" + key })
	return lineContext{changes.causeOr(c.cause), schema, isMeta && key == "metadata", owners}
}

func (p *linePrinter) itemContext(index int, item any, changes *changeTree, c lineContext) lineContext {
	return lineContext{
		cause: changes.causeOr(c.cause), schema: cmp.Or(p.below(c.schema, "items"), c.schema),
		owners: ownersBelow(c.owners, func(steps map[string]any) string { return stepOfItem(steps, index, item) }),
	}
}

// below returns the schema node at a step below another, or nil.
func (p *linePrinter) below(schema *playground.SchemaPlace, step string) *playground.SchemaPlace {
	switch {
	case schema == nil:
		return nil
	case schema.Path == "":
		return p.schema[step]
	}
	return p.schema[schema.Path+"."+step]
}
