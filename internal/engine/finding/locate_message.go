package finding

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

var (
	unknownField   = regexp.MustCompile(`^unknown field (".*")$`)
	duplicateField = regexp.MustCompile(`^duplicate field (".*")$`)
	duplicateKey   = regexp.MustCompile(`(?:^|\s)line (\d+): key (.*) already set in map$`)
	decoderLine    = regexp.MustCompile(`\bline (\d+): (.*)`)
)

// LocateMessage locates a decoder message. It returns the key for
//
//	unknown field "spec.foo"
//	duplicate field "spec.foo"
//	line 5: key "foo" already set in map
//
// For any other message, it returns the syntax error of the document, or the
// line in the message. ok is false if the message has no location.
func LocateMessage(d *source.Document, message string) (r playground.Range, ok bool) {
	if m := unknownField.FindStringSubmatch(message); m != nil {
		l, ok := Locate(d, unquoteField(m[1]))
		return l.Key(), ok
	}
	if m := duplicateField.FindStringSubmatch(message); m != nil {
		return rangeOf(d.DuplicateAt(unquoteField(m[1])))
	}
	if m := duplicateKey.FindStringSubmatch(message); m != nil {
		line, _ := strconv.Atoi(m[1])
		if r, ok := rangeOf(d.DuplicateOnLine(line, m[2])); ok {
			return r, true
		}
	}
	if err, ok := errors.AsType[*source.SyntaxError](d.Err); ok {
		return err.Range, true
	}
	if m := decoderLine.FindStringSubmatch(message); m != nil {
		line, _ := strconv.Atoi(m[1])
		if strings.HasPrefix(m[2], "did not find expected") {
			line++
		}
		return d.Line(line), true
	}
	return playground.Range{}, false
}

// rangeOf returns the range of a duplicate key. ok is false if it is nil.
func rangeOf(key *source.DuplicateKey) (r playground.Range, ok bool) {
	if key == nil {
		return playground.Range{}, false
	}
	return key.Range, true
}

// unquoteField removes the quotes of a field in a message.
func unquoteField(s string) string {
	if u, err := strconv.Unquote(s); err == nil {
		return u
	}
	return s[1 : len(s)-1] // the API server does not escape the fields of objects
}
