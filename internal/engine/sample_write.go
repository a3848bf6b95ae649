package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mitchellh/go-wordwrap"

	"github.com/crdlab/crdlab/internal/source"
)

const (
	// maxSampleLines is how long a sample with comments may get; beyond it
	// fields are named, but not what is in them.
	maxSampleLines = 4000
	// sampleWidth is that of comments.
	sampleWidth = 78
)

// writeSample writes an object as YAML. Full adds what the schema says, in
// lines that begin with ##, and the other fields, in lines that begin with #.
func writeSample(schema typedSchema, object map[string]any, full bool) string {
	w := sampleText{full: full, order: writer{known: &writingPlace{kind: &kindSchema{root: schema}}, Cursor: source.Cursor{}}}
	w.object(schema, object, 0, false)
	return w.b.String()
}

type sampleText struct {
	b     strings.Builder
	full  bool
	lines int
	order writer
}

// line writes a line at a column, of which a comment's mark is not a part.
func (w *sampleText) line(column int, commented bool, text string) {
	w.lines++
	mark := ""
	if commented {
		mark = "# "
	}
	w.b.WriteString(mark + strings.Repeat(" ", column) + text + "\n")
}

func (w *sampleText) object(schema typedSchema, object map[string]any, column int, commented bool) {
	for _, name := range w.names(schema, object) {
		value, isThere := object[name]
		property := schema.child(name)
		isHidden := name == "status" && column == 0 || schema.Schema != nil && schema.description() == metadataDescription && !slices.Contains(metadataSample, name)
		switch {
		case isThere:
			w.comment(property, column, commented)
			w.entry(name, property, value, column, commented)
		case w.full && !isHidden:
			w.comment(property, column, commented)
			w.entry(name, property, w.example(property), column, true)
		}
	}
}

// metadataSample are the fields of the metadata that people write.
var metadataSample = []string{"name", "namespace", "labels", "annotations"}

// names are the fields of the schema and those that only the object has.
func (w *sampleText) names(schema typedSchema, object map[string]any) []string {
	var names []string
	if schema.Schema != nil {
		names = w.order.fieldNames(schema)
	}
	for _, name := range sortedKeys(object) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// example is what a commented field shows: its default, or the least it can be.
func (w *sampleText) example(schema typedSchema) any {
	if schema.Schema == nil {
		return map[string]any{}
	}
	if schema.Default != nil {
		return schema.Default
	}
	s := newSampler(schema)
	value := s.value(schema, 0)
	if list, isList := value.([]any); isList && len(list) == 0 && schema.is("array") {
		return []any{s.item(schema, 0, 0)}
	}
	return value
}

func (w *sampleText) entry(name string, schema typedSchema, value any, column int, commented bool) {
	key := yamlText(name) + ":"
	switch value := value.(type) {
	case map[string]any:
		if len(value) == 0 && !w.expands(schema) {
			break
		}
		if len(value) == 0 && !commented {
			w.line(column, commented, key+" {}")
			w.object(schema, value, column+indentation, true)
			return
		}
		w.line(column, commented, key)
		w.object(schema, value, column+indentation, commented)
		return
	case []any:
		if len(value) == 0 {
			break
		}
		w.line(column, commented, key)
		for _, item := range value {
			w.item(schema.child(0), item, column, commented)
		}
		return
	}
	w.line(column, commented, key+" "+yamlValue(value))
}

// expands says whether the fields of an object without any are to be shown.
func (w *sampleText) expands(schema typedSchema) bool {
	return w.full && w.lines < maxSampleLines && schema.Schema != nil && len(schema.Properties) > 0
}

func (w *sampleText) item(schema typedSchema, value any, column int, commented bool) {
	object, isObject := value.(map[string]any)
	if !isObject || len(object) == 0 && !w.expands(schema) {
		w.line(column, commented, "- "+jsonOrText(value))
		return
	}
	inner := sampleText{full: w.full, lines: w.lines, order: w.order}
	inner.object(schema, object, 0, false)
	lines := strings.Split(strings.TrimSuffix(inner.b.String(), "\n"), "\n")
	lead := "- "
	for _, line := range lines {
		isComment := strings.HasPrefix(strings.TrimLeft(line, " "), "#")
		switch {
		case isComment && !commented:
			w.line(column+indentation, false, line)
		case isComment:
			w.line(column+indentation, commented, line)
		default:
			w.line(column, commented, lead+line)
			lead = "  "
		}
	}
	if lead == "- " {
		w.line(column, commented, "- {}")
	}
}

func jsonOrText(value any) string {
	if text, isText := value.(string); isText {
		return yamlText(text)
	}
	return jsonText(value)
}

// comment says what the schema says of a field.
func (w *sampleText) comment(schema typedSchema, column int, commented bool) {
	if !w.full || schema.Schema == nil {
		return
	}
	text, _, _ := strings.Cut(strings.TrimSpace(schema.description()), "\n\n")
	f := factList{}
	f.values(schema)
	f.bounds(schema)
	if schema.Default != nil {
		f.add("default", jsonText(schema.Default))
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
			w.line(column, commented, "## "+line)
		}
	}
}
