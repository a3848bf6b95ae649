// Package finding finds the places in a text that errors are about, and the
// limits that a text has to keep.
package finding

import (
	"errors"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// typedComplaint is what the merge of a server-side apply says of a field.
var typedComplaint = regexp.MustCompile(`^failed to create typed patch object \([^)]*\): (\.[^:]+): `)

// RequestRange is the place in doc that an error about the whole request is
// about: the mistake in the syntax, the line that the decoder names, or what
// the document says it is.
func RequestRange(doc *source.Document, message string) playground.Range {
	var syntax *source.SyntaxError
	if errors.As(doc.Err, &syntax) {
		return syntax.Range
	}
	if at, ok := doc.ResolveStrict(message); ok {
		return at
	}
	if m := typedComplaint.FindStringSubmatch(message); m != nil {
		if location, ok := doc.Resolve(m[1]); ok {
			return location.Key()
		}
	}
	if location, ok := doc.At("kind"); ok {
		return location.Value()
	}
	return doc.Line(1)
}

var quotedField = regexp.MustCompile(`^(?:unknown|duplicate) field "(.*)"$`)

// OfStrict locates an unknown or duplicate field in doc.
func OfStrict(doc *source.Document, err error) playground.Finding {
	f := playground.Finding{
		Reason:  string(metav1.StatusReasonBadRequest),
		Message: err.Error(),
		Range:   doc.Line(1),
		Fixes:   []playground.Fix{},
		Related: []playground.Related{},
	}
	if m := quotedField.FindStringSubmatch(err.Error()); m != nil {
		f.Field = m[1]
	}
	if at, ok := doc.ResolveStrict(err.Error()); ok {
		f.Range = at
	}
	return f
}

// Mark is the part of a place to mark: a scalar's value, or else the
// key, since marking a whole block would bury the text.
func Mark(location source.Location) playground.Range {
	if location.Exact && isScalar(location) {
		return location.Value()
	}
	return location.Key()
}

func isScalar(location source.Location) bool {
	return location.Node() != nil && location.Node().Kind == yaml.ScalarNode
}

var celComplaint = regexp.MustCompile(`ERROR: <input>:(\d+):(\d+):`)

// CELPlace is the line and column, both from 1 and the column in code points,
// of an expression that its compiler complains of.
func CELPlace(message string) (line, column int, ok bool) {
	m := celComplaint.FindStringSubmatch(message)
	if m == nil {
		return 0, 0, false
	}
	line, _ = strconv.Atoi(m[1])
	column, _ = strconv.Atoi(m[2])
	return line, column, true
}

// CELRange is the place in a rule's text that its compiler complains of.
func CELRange(rule source.Location, message string) (playground.Range, bool) {
	line, column, ok := CELPlace(message)
	if !ok || !rule.Exact || !isScalar(rule) {
		return playground.Range{}, false
	}
	return rule.RangeAt(line, column), true
}
