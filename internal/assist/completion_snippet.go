package assist

import (
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// indentation is the indentation of a nested mapping in columns.
const indentation = 2

// A snippet is the source of a field with its required fields, and with tab stops for
// their values.
type snippet struct {
	b     strings.Builder
	stops []int
	lines int
}

const (
	// maxSnippetDepth limits the depth of the required fields.
	maxSnippetDepth = 4
	maxSnippetLines = 20
)

func (s *snippet) write(source string) { s.b.WriteString(source) }

func (s *snippet) source() string {
	if s.stops == nil {
		s.stops = []int{}
	}
	return s.b.String()
}

func (s *snippet) addStop() {
	s.stops = append(s.stops, yamltext.UTF16Len(s.b.String()))
}

func (s *snippet) newLine(indent int) {
	s.lines++
	s.b.WriteString("\n" + strings.Repeat(" ", indent))
}

// writeField writes a field that begins at a column.
func (s *snippet) writeField(name string, schema crdschema.Schema, column, depth int) {
	s.write(yamlString(name) + ":")
	switch {
	case schema.Is("object"):
		s.writeObject(schema, column+indentation, depth)
	case schema.Is("array"):
		s.newLine(column)
		s.write("- ")
		s.writeItem(schema, column, depth+1)
	default:
		s.write(" ")
		s.writeScalar(schema)
	}
}

// writeScalar writes the only permitted value or a tab stop.
func (s *snippet) writeScalar(schema crdschema.Schema) {
	if schema.Schema != nil && len(schema.Enum) == 1 {
		s.write(yamlValue(schema.Enum[0]))
		return
	}
	s.addStop()
}

// writeObject writes the required fields of an object below its key.
func (s *snippet) writeObject(schema crdschema.Schema, column, depth int) {
	names := requiredFields(schema)
	if len(names) == 0 || depth >= maxSnippetDepth || s.lines >= maxSnippetLines {
		s.newLine(column)
		s.addStop()
		return
	}
	for _, name := range names {
		s.newLine(column)
		s.writeField(name, schema.Child(name), column, depth+1)
	}
}

// writeItem writes an item of a list after its dash in a column.
func (s *snippet) writeItem(list crdschema.Schema, column, depth int) {
	schema := list.Child(0)
	names := requiredFields(schema)
	for _, key := range list.ListKeys() {
		if !slices.Contains(names, key) {
			names = append(names, key)
		}
	}
	switch {
	case !schema.Is("object") && !schema.Is("array"):
		s.writeScalar(schema)
		return
	case len(names) == 0 || depth >= maxSnippetDepth || s.lines >= maxSnippetLines:
		s.addStop()
		return
	}
	for i, name := range names {
		if i > 0 {
			s.newLine(column + indentation)
		}
		s.writeField(name, schema.Child(name), column+indentation, depth+1)
	}
}

// requiredFields returns the required fields that the schema declares without a default.
func requiredFields(schema crdschema.Schema) []string {
	var names []string
	if schema.Schema == nil {
		return nil
	}
	for _, name := range schema.Required {
		if property := schema.Child(name); property.Schema != nil && property.Default == nil {
			names = append(names, name)
		}
	}
	return names
}

// flowBrackets returns the brackets of a type in flow style.
func flowBrackets(schema crdschema.Schema) string {
	switch {
	case schema.Is("object"):
		return "{}"
	case schema.Is("array"):
		return "[]"
	}
	return ""
}

func (s *snippet) writeFlowField(name string, schema crdschema.Schema) {
	s.write(yamlString(name) + ": ")
	s.writeBetween(flowBrackets(schema))
}

func (s *snippet) writeJSONField(name string, schema crdschema.Schema) {
	s.write(jsonString(name) + ": ")
	pair := flowBrackets(schema)
	if pair == "" && schema.Schema != nil && schema.Type.Contains("string") && len(schema.Type) == 1 && len(schema.Enum) == 0 {
		pair = `""`
	}
	s.writeBetween(pair)
}

func (s *snippet) writeBetween(pair string) {
	if pair == "" {
		s.addStop()
		return
	}
	s.write(pair[:1])
	s.addStop()
	s.write(pair[1:])
}
