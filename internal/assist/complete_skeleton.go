package assist

import (
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/source/position"
)

// indentation is that of a mapping in a mapping.
const indentation = 2

// A skeleton is a field with the fields below that it must have, and stops
// where their values go.
type skeleton struct {
	b     strings.Builder
	stops []int
	lines int
}

const (
	// maxSkeletonDepth is how deep required fields are written.
	maxSkeletonDepth = 4
	maxSkeletonLines = 20
)

func (s *skeleton) write(text string) { s.b.WriteString(text) }

func (s *skeleton) text() string {
	if s.stops == nil {
		s.stops = []int{}
	}
	return s.b.String()
}

func (s *skeleton) stop() {
	s.stops = append(s.stops, position.Units(s.b.String()))
}

func (s *skeleton) line(indent int) {
	s.lines++
	s.b.WriteString("\n" + strings.Repeat(" ", indent))
}

// field writes a field that begins at a column.
func (s *skeleton) field(name string, schema crdschema.Schema, column, depth int) {
	s.write(yamlText(name) + ":")
	switch {
	case schema.Is("object"):
		s.object(schema, column+indentation, depth)
	case schema.Is("array"):
		s.line(column)
		s.write("- ")
		s.item(schema, column, depth+1)
	default:
		s.write(" ")
		s.scalar(schema)
	}
}

// scalar writes the only value that there can be, or leaves room for one.
func (s *skeleton) scalar(schema crdschema.Schema) {
	if schema.Schema != nil && len(schema.Enum) == 1 {
		s.write(yamlValue(schema.Enum[0]))
		return
	}
	s.stop()
}

// object writes the required fields of an object below its key.
func (s *skeleton) object(schema crdschema.Schema, column, depth int) {
	names := requiredFields(schema)
	if len(names) == 0 || depth >= maxSkeletonDepth || s.lines >= maxSkeletonLines {
		s.line(column)
		s.stop()
		return
	}
	for _, name := range names {
		s.line(column)
		s.field(name, schema.Child(name), column, depth+1)
	}
}

// item writes an item of a list whose dash is at a column.
func (s *skeleton) item(list crdschema.Schema, column, depth int) {
	schema := list.Child(0)
	names := requiredFields(schema)
	for _, key := range list.ListKeys() {
		if !slices.Contains(names, key) {
			names = append(names, key)
		}
	}
	switch {
	case !schema.Is("object") && !schema.Is("array"):
		s.scalar(schema)
		return
	case len(names) == 0 || depth >= maxSkeletonDepth || s.lines >= maxSkeletonLines:
		s.stop()
		return
	}
	for i, name := range names {
		if i > 0 {
			s.line(column + indentation)
		}
		s.field(name, schema.Child(name), column+indentation, depth+1)
	}
}

// requiredFields are the required fields that the schema knows, but those that
// have a default.
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

// brackets are what a value of a type stands between in flow style.
func brackets(schema crdschema.Schema) string {
	switch {
	case schema.Is("object"):
		return "{}"
	case schema.Is("array"):
		return "[]"
	}
	return ""
}

func (s *skeleton) flowField(name string, schema crdschema.Schema) {
	s.write(yamlText(name) + ": ")
	s.between(brackets(schema))
}

func (s *skeleton) jsonField(name string, schema crdschema.Schema) {
	s.write(quoted(name) + ": ")
	pair := brackets(schema)
	if pair == "" && schema.Schema != nil && schema.Type.Contains("string") && len(schema.Type) == 1 && len(schema.Enum) == 0 {
		pair = `""`
	}
	s.between(pair)
}

func (s *skeleton) between(pair string) {
	if pair == "" {
		s.stop()
		return
	}
	s.write(pair[:1])
	s.stop()
	s.write(pair[1:])
}
