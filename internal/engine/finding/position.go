package finding

import (
	"errors"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

var (
	// typedField captures the field in an error of server-side apply.
	typedField = regexp.MustCompile(`^failed to create typed patch object \([^)]*\): (\.[^:]+): `)
	// strictField captures the field in an error of strict decoding.
	strictField = regexp.MustCompile(`^(?:unknown|duplicate) field "(.*)"$`)
	// celPosition captures the line and column in a CEL compile error.
	celPosition = regexp.MustCompile(`ERROR: <input>:(\d+):(\d+):`)
)

// RequestRange returns the range for an error about doc as a whole: the syntax
// error, the field in the message, or the value of kind, in this order.
func RequestRange(doc *source.Document, message string) playground.Range {
	if syntax, ok := errors.AsType[*source.SyntaxError](doc.Err); ok {
		return syntax.Range
	}
	if at, ok := LocateMessage(doc, message); ok {
		return at
	}
	if m := typedField.FindStringSubmatch(message); m != nil {
		if location, ok := Locate(doc, m[1]); ok {
			return location.Key()
		}
	}
	if location, ok := doc.At("kind"); ok {
		return location.Value()
	}
	return doc.Line(1)
}

// Mark returns the range to mark for a location: the value of a scalar,
// otherwise only the key, because a marked block would hide its content.
func Mark(location source.Location) playground.Range {
	if location.Exact && isScalar(location) {
		return location.Value()
	}
	return location.Key()
}

func isScalar(location source.Location) bool {
	return location.Node() != nil && location.Node().Kind == yaml.ScalarNode
}

// CELPlace parses the position of a CEL compile error in its expression. Line
// and column are one-based; the column counts code points.
func CELPlace(message string) (line, column int, ok bool) {
	m := celPosition.FindStringSubmatch(message)
	if m == nil {
		return 0, 0, false
	}
	line, _ = strconv.Atoi(m[1])
	column, _ = strconv.Atoi(m[2])
	return line, column, true
}

// CELRange returns the range that a CEL compile error names inside rule, the
// location of the expression.
func CELRange(rule source.Location, message string) (playground.Range, bool) {
	line, column, ok := CELPlace(message)
	if !ok || !rule.Exact || !isScalar(rule) {
		return playground.Range{}, false
	}
	return rule.RangeAt(line, column), true
}
