package finding

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/celtoken"
)

var (
	// typedField captures the field in an error of server-side apply.
	typedField = regexp.MustCompile(`^failed to create typed patch object \([^)]*\): (\.[^:]+): `)
	// strictField captures the field in an error of strict decoding.
	strictField = regexp.MustCompile(`^(?:unknown|duplicate) field "(.*)"$`)
	// celPosition captures the line and column in a CEL compile error.
	celPosition = regexp.MustCompile(`ERROR: <input>:(\d+):(\d+):`)
	// celUndefined captures the undefined field if that is the first CEL compile error.
	celUndefined = regexp.MustCompile(`^[^\n]*?ERROR: <input>:\d+:\d+: undefined field '([^']+)'`)
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

// CELPlace returns the position of a CEL compile error in its expression. Line and column are
// one-based; the column counts code points. CEL reports an undefined field in has() at the
// parenthesis; its place is the field.
func CELPlace(expression, message string) (line, column int, ok bool) {
	m := celPosition.FindStringSubmatch(message)
	if m == nil {
		return 0, 0, false
	}
	line, _ = strconv.Atoi(m[1])
	column, _ = strconv.Atoi(m[2])
	undefined := celUndefined.FindStringSubmatch(message)
	offset, found := celtoken.Offset(expression, line, column)
	if undefined == nil || !found || offset == len(expression) {
		return line, column, true
	}
	if at, isHas := hasField(expression, offset, undefined[1]); isHas {
		before := expression[:at]
		return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[strings.LastIndex(before, "\n")+1:]) + 1, true
	}
	return line, column, true
}

// hasField returns the offset of the name at the end of the argument of has(), whose opening
// parenthesis is at an offset.
func hasField(expression string, offset int, name string) (at int, ok bool) {
	call, argument := strings.TrimRight(expression[:offset], " \t\n"), expression[offset:]
	if !strings.HasSuffix(call, "has") || argument[0] != '(' {
		return 0, false
	}
	depth := 0
	for i, c := range argument {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			inner := strings.TrimRight(argument[:i], " \t\n")
			return offset + len(inner) - len(name), strings.HasSuffix(inner, name)
		}
	}
	return 0, false
}

// CELRange returns the range that a CEL compile error names inside rule, the
// location of the expression.
func CELRange(rule source.Location, message string) (playground.Range, bool) {
	if !rule.Exact || !isScalar(rule) {
		return playground.Range{}, false
	}
	line, column, ok := CELPlace(rule.Node().Value, message)
	if !ok {
		return playground.Range{}, false
	}
	return rule.RangeAt(line, column), true
}
