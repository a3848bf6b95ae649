package assist

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mitchellh/go-wordwrap"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/crdlab/crdlab/internal/assist/facts"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
)

const (
	// maxSampleLines limits full samples. After that line, empty objects omit their
	// unused fields.
	maxSampleLines = 4000
	// sampleWidth is the width of comments in columns.
	sampleWidth = 78
)

// writeSample writes an object as YAML. If full is set, comments that begin with ##
// describe the fields, and comments that begin with # contain the unused fields.
func writeSample(schema crdschema.Schema, object map[string]any, full bool) string {
	w := sampleWriter{full: full}
	w.writeFields(schema, object, 0, uncommented)
	return w.b.String()
}

// uncommented is the mark of lines outside comments.
const uncommented = -1

// sampleWriter writes YAML line by line. Its methods accept the column of the content, and
// the mark: the column of the comment character, or uncommented.
type sampleWriter struct {
	b     strings.Builder
	full  bool
	lines int
}

func (w *sampleWriter) writeLine(column, mark int, content string) {
	w.lines++
	if mark == uncommented {
		w.b.WriteString(strings.Repeat(" ", column) + content + "\n")
		return
	}
	w.b.WriteString(strings.Repeat(" ", mark) + "# " + strings.Repeat(" ", column-mark) + content + "\n")
}

// markAt returns the mark of a comment at a column, which may be within a comment.
func markAt(mark, column int) int {
	if mark == uncommented {
		return column
	}
	return mark
}

func (w *sampleWriter) writeFields(schema crdschema.Schema, object map[string]any, column, mark int) {
	for _, name := range fieldNames(schema, object) {
		value, isThere := object[name]
		property := schema.Child(name)
		isHidden := name == "status" && column == 0 || isMetadata(schema) && !slices.Contains(metadataSample, name)
		switch {
		case isThere:
			w.writeComment(schema, name, column, mark)
			w.writeEntry(name, property, value, column, mark)
		case w.full && !isHidden:
			w.writeComment(schema, name, column, mark)
			w.writeEntry(name, property, unusedValue(property), column, markAt(mark, column))
		}
	}
}

func isMetadata(schema crdschema.Schema) bool {
	return schema.Documentation() == crdschema.MetadataDescription
}

// metadataSample lists the fields of metadata that users write.
var metadataSample = []string{"name", "namespace", "labels", "annotations"}

// fieldNames returns the fields of the schema, followed by the other fields of the object.
func fieldNames(schema crdschema.Schema, object map[string]any) []string {
	var names []string
	if schema.Schema != nil {
		names = sortFields(schema, nil, "")
	}
	listed := sets.New(names...)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !listed.Has(name) {
			names = append(names, name)
		}
	}
	return names
}

// exampleValue returns the value of an unused field: the default or a minimal value.
func exampleValue(schema crdschema.Schema) any {
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

// unusedValue returns the value of an unused field in a comment, in which a map has an entry.
func unusedValue(schema crdschema.Schema) any {
	value := exampleValue(schema)
	if fields, isObject := value.(map[string]any); isObject && len(fields) == 0 && schema.Schema != nil && len(schema.Properties) == 0 && schema.AdditionalProperties != nil {
		if item := schema.Child("key"); item.Schema != nil {
			return map[string]any{"key": crdschema.Sample(item)}
		}
	}
	return value
}

func (w *sampleWriter) writeEntry(name string, schema crdschema.Schema, value any, column, mark int) {
	key := yamlString(name) + ":"
	switch value := value.(type) {
	case map[string]any:
		switch {
		case len(value) > 0 || mark != uncommented && w.expands(schema):
			w.writeLine(column, mark, key)
			w.writeFields(schema, value, column+indentation, mark)
		default:
			// A commented field below braces would not be valid YAML without its comment character.
			w.writeLine(column, mark, key+" {}")
		}
	case []any:
		if len(value) == 0 {
			w.writeLine(column, mark, key+" []")
			return
		}
		w.writeLine(column, mark, key)
		for _, item := range value {
			w.writeItem(schema.Child(0), item, column, mark)
		}
	default:
		w.writeLine(column, mark, key+" "+yamlValue(value))
	}
}

// expands reports whether to write the fields of an empty object.
func (w *sampleWriter) expands(schema crdschema.Schema) bool {
	return w.full && w.lines < maxSampleLines && schema.Schema != nil && len(schema.Properties) > 0
}

// writeItem writes an item of a list. The dash precedes the first line that is not a comment.
func (w *sampleWriter) writeItem(schema crdschema.Schema, value any, column, mark int) {
	object, isObject := value.(map[string]any)
	if !isObject || len(object) == 0 && (mark == uncommented || !w.expands(schema)) {
		w.writeLine(column, mark, "- "+yamlValue(value))
		return
	}
	inner := sampleWriter{full: w.full, lines: w.lines}
	inner.writeFields(schema, object, 0, uncommented)
	lead := "- "
	for line := range strings.Lines(inner.b.String()) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(strings.TrimLeft(line, " "), "#") {
			w.writeLine(column+indentation, mark, line)
			continue
		}
		w.writeLine(column, mark, lead+line)
		lead = "  "
	}
	if lead == "- " {
		w.writeLine(column, mark, "- {}")
	}
}

// writeComment writes the description and the constraints of a field as comments. It omits
// the fields that all resources share.
func (w *sampleWriter) writeComment(parent crdschema.Schema, name string, column, mark int) {
	schema := parent.Child(name)
	if !w.full || schema.Schema == nil || isMetadata(parent) || isMetadata(schema) || parent.Properties["metadata"].Description == crdschema.MetadataDescription && slices.Contains(firstFields, name) {
		return
	}
	description, _, _ := strings.Cut(strings.TrimSpace(schema.Documentation()), "\n\n")
	f := facts.List{}
	f.AddValues(schema)
	f.AddBounds(schema)
	if schema.Default != nil {
		f.Add("default", jsonvalue.String(schema.Default))
	}
	var notes []string
	for _, fact := range f {
		notes = append(notes, fmt.Sprintf("%s: %s", fact.Name, fact.Text))
	}
	for _, part := range []string{strings.Join(strings.Fields(description), " "), strings.Join(notes, "; ")} {
		if part == "" {
			continue
		}
		for line := range strings.SplitSeq(wordwrap.WrapString(part, uint(max(sampleWidth-column, 30))), "\n") {
			w.writeLine(column, mark, "## "+line)
		}
	}
}
