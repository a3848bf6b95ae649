package finding

import (
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// warnedField captures the field at the start of a warning: "spec.a: …" or "metadata.a has …".
var warnedField = regexp.MustCompile(`^(?:([\w-]+(?:[.\[][^\s:]*)?): |([\w-]+\.[^\s:]+) )`)

// OfWarning returns a finding about a warning in the response to a request, at the field that
// begins the message, or else at its [RequestRange].
func OfWarning(document playground.Document, stage string, doc *source.Document, message string) playground.Finding {
	f := Warning(document, stage, RequestRange(doc, message), message)
	f.Reason = playground.ReasonWarning
	m := warnedField.FindStringSubmatch(message)
	if m == nil {
		return f
	}
	location, ok := Locate(doc, m[1]+m[2])
	if !ok || !location.Exact {
		return f
	}
	f.Field, f.Range = m[1]+m[2], Mark(location)
	if item, ok := itemNamed(location, message[len(m[0]):]); ok {
		f.Range = item.Value()
	}
	return f
}

// itemNamed returns the item of a list whose quoted value begins the message.
func itemNamed(list source.Location, text string) (item source.Location, ok bool) {
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil || list.Node().Kind != yaml.SequenceNode {
		return item, false
	}
	for i := range list.Len() {
		if item, ok := list.At(i); ok && isScalar(item) && strconv.Quote(item.Node().Value) == quoted {
			return item, true
		}
	}
	return item, false
}
