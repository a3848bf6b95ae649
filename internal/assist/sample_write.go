package assist

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mitchellh/go-wordwrap"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

const (
	// maxSampleLines is how long a sample with comments may get; beyond it
	// fields are named, but not what is in them.
	maxSampleLines = 4000
	// sampleWidth is that of comments.
	sampleWidth = 78
)

// writeSample writes an object as YAML. Full adds what the schema says, in
// comments that begin with ##, and the other fields, in those that begin with #.
func writeSample(schema crdschema.Schema, object map[string]any, full bool) string {
	w := sampleText{full: full, order: writer{known: &cursorContext{kind: &crdschema.Kind{Root: schema}}, Cursor: tolerant.Cursor{}}}
	w.object(schema, object, 0, live)
	return w.b.String()
}

// live is the mark's column of lines that are no comments.
const live = -1

type sampleText struct {
	b     strings.Builder
	full  bool
	lines int
	order writer
}

// line writes a line at a column; if it is a comment, its mark stands at a
// column to the left.
func (w *sampleText) line(column, mark int, text string) {
	w.lines++
	if mark == live {
		w.b.WriteString(strings.Repeat(" ", column) + text + "\n")
		return
	}
	w.b.WriteString(strings.Repeat(" ", mark) + "# " + strings.Repeat(" ", column-mark) + text + "\n")
}

// markAt is the mark's column of a comment at a column.
func markAt(mark, column int) int {
	if mark == live {
		return column
	}
	return mark
}

func (w *sampleText) object(schema crdschema.Schema, object map[string]any, column, mark int) {
	for _, name := range w.names(schema, object) {
		value, isThere := object[name]
		property := schema.Child(name)
		isHidden := name == "status" && column == 0 || isMetadata(schema) && !slices.Contains(metadataSample, name)
		switch {
		case isThere:
			w.comment(schema, name, column, mark)
			w.entry(name, property, value, column, mark)
		case w.full && !isHidden:
			w.comment(schema, name, column, mark)
			w.entry(name, property, w.example(property), column, markAt(mark, column))
		}
	}
}

func isMetadata(schema crdschema.Schema) bool {
	return schema.Documentation() == crdschema.MetadataDescription
}

// metadataSample are the fields of the metadata that people write.
var metadataSample = []string{"name", "namespace", "labels", "annotations"}

// names are the fields of the schema and those that only the object has.
func (w *sampleText) names(schema crdschema.Schema, object map[string]any) []string {
	var names []string
	if schema.Schema != nil {
		names = w.order.fieldNames(schema)
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// example is what a commented field shows: its default, or the least it can be.
func (w *sampleText) example(schema crdschema.Schema) any {
	if schema.Schema == nil {
		return map[string]any{}
	}
	if schema.Default != nil {
		return schema.Default
	}
	value := crdschema.Sample(schema)
	if list, isList := value.([]any); isList && len(list) == 0 && schema.Is("array") {
		return []any{crdschema.SampleItem(schema)}
	}
	return value
}

func (w *sampleText) entry(name string, schema crdschema.Schema, value any, column, mark int) {
	key := yamlText(name) + ":"
	switch value := value.(type) {
	case map[string]any:
		switch {
		case len(value) > 0 || mark != live && w.expands(schema):
			w.line(column, mark, key)
			w.object(schema, value, column+indentation, mark)
		default:
			w.line(column, mark, key+" {}")
			if w.expands(schema) {
				w.object(schema, value, column+indentation, markAt(mark, column+indentation))
			}
		}
	case []any:
		if len(value) == 0 {
			w.line(column, mark, key+" []")
			return
		}
		w.line(column, mark, key)
		for _, item := range value {
			w.item(schema.Child(0), item, column, mark)
		}
	default:
		w.line(column, mark, key+" "+yamlValue(value))
	}
}

// expands says whether the fields of an object without any are to be shown.
func (w *sampleText) expands(schema crdschema.Schema) bool {
	return w.full && w.lines < maxSampleLines && schema.Schema != nil && len(schema.Properties) > 0
}

// item writes an item of a list: its first line that is no comment gets the
// dash.
func (w *sampleText) item(schema crdschema.Schema, value any, column, mark int) {
	object, isObject := value.(map[string]any)
	if !isObject || len(object) == 0 && (mark == live || !w.expands(schema)) {
		w.line(column, mark, "- "+yamlValue(value))
		return
	}
	inner := sampleText{full: w.full, lines: w.lines, order: w.order}
	inner.object(schema, object, 0, live)
	lead := "- "
	for line := range strings.Lines(inner.b.String()) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(strings.TrimLeft(line, " "), "#") {
			w.line(column+indentation, mark, line)
			continue
		}
		w.line(column, mark, lead+line)
		lead = "  "
	}
	if lead == "- " {
		w.line(column, mark, "- {}")
	}
}

// comment says what the schema says of a field. What every resource has is
// known.
func (w *sampleText) comment(parent crdschema.Schema, name string, column, mark int) {
	schema := parent.Child(name)
	if !w.full || schema.Schema == nil || isMetadata(parent) || isMetadata(schema) || parent.Properties["metadata"].Description == crdschema.MetadataDescription && slices.Contains(firstFields, name) {
		return
	}
	text, _, _ := strings.Cut(strings.TrimSpace(schema.Documentation()), "\n\n")
	f := factList{}
	f.values(schema)
	f.bounds(schema)
	if schema.Default != nil {
		f.add("default", jsonvalue.String(schema.Default))
	}
	var notes []string
	for _, fact := range f.facts {
		notes = append(notes, fmt.Sprintf("%s: %s", fact.Name, fact.Text))
	}
	for _, part := range []string{strings.Join(strings.Fields(text), " "), strings.Join(notes, "; ")} {
		if part == "" {
			continue
		}
		for line := range strings.SplitSeq(wordwrap.WrapString(part, uint(max(sampleWidth-column, 30))), "\n") {
			w.line(column, mark, "## "+line)
		}
	}
}
