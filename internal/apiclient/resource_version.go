package apiclient

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
	"github.com/crdlab/crdlab/internal/source"
)

// setResourceVersion returns the source of a document with the given
// resourceVersion in its metadata, and a correction of the response. The rest
// remains as typed, since server messages quote the source.
//
// The stored object has another resourceVersion than the old document. A document
// that repeats the typed resourceVersion of the old document therefore receives
// the stored one. A document with a different one keeps it, and the server reports
// a conflict.
func setResourceVersion(document *source.Document, resourceVersion string, old *source.Document) ([]byte, correction) {
	typed := document.Text
	metadata := metadataNode(document)
	if metadata == nil {
		return []byte(typed), unchanged
	}
	if value := fieldValue(metadata, "resourceVersion"); value != nil {
		if !isReplaceable(value, typedResourceVersion(old)) {
			return []byte(typed), unchanged
		}
		return replaceValue(document, value, resourceVersion), unchanged
	}
	sent, correct := insertResourceVersion(document, metadata, resourceVersion)
	return sent, func(r kubeapi.Response) kubeapi.Response {
		if r.Status != nil {
			r.Status.Message = strings.ReplaceAll(r.Status.Message, summary(sent), summary([]byte(typed)))
		}
		return correct(r)
	}
}

// summary returns the start of a body in the form that error messages quote
// (summarizeData in k8s.io/apiserver/pkg/endpoints/handlers).
func summary(body []byte) string {
	const maxLength = 30
	start, more := body, ""
	if len(body) > maxLength {
		start, more = body[:maxLength], " ..."
	}
	if body[0] == '{' {
		return string(start) + more
	}
	return hex.EncodeToString(start) + more
}

// metadataNode returns the mapping at metadata, or nil if it is absent or empty.
// Of duplicate fields, the last one counts.
func metadataNode(document *source.Document) *yaml.Node {
	root := document.Root().Node()
	if root == nil || root.Kind != yaml.MappingNode {
		return nil
	}
	metadata := fieldValue(root, "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode || len(metadata.Content) == 0 {
		return nil
	}
	return metadata
}

// cut returns the source of a document before and from a node.
func cut(document *source.Document, n *yaml.Node) (before, from string) {
	layout := document.Layout()
	at := layout.Offset(n) - layout.Start
	return document.Text[:at], document.Text[at:]
}

func typedResourceVersion(document *source.Document) string {
	if document == nil {
		return ""
	}
	return lookup(document, "metadata", "resourceVersion")
}

// fieldValue returns the value of a field of a mapping, or nil if the field is
// absent. Of duplicate fields, the last one counts.
func fieldValue(mapping *yaml.Node, name string) *yaml.Node {
	var value *yaml.Node
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			value = mapping.Content[i+1]
		}
	}
	return value
}

// isReplaceable reports whether a typed resourceVersion is empty or equals the
// one of the old document, if that has one. It is false for values that are not
// strings, which the server must reject.
func isReplaceable(typed *yaml.Node, old string) bool {
	switch {
	case typed.Tag == "!!null" || typed.Tag == "!!str" && typed.Value == "":
		return true
	case typed.Tag == "!!str":
		revision, err := strconv.ParseUint(typed.Value, 10, 64)
		return err == nil && revision > 0 && (old == "" || old == typed.Value)
	}
	return false
}

var scalar = regexp.MustCompile(`^(?:"[^"]*"|'[^']*'|[^\s,}\]#]*)`)

// replaceValue replaces the typed value by a quoted string.
func replaceValue(document *source.Document, typed *yaml.Node, value string) []byte {
	before, rest := cut(document, typed)
	space := ""
	if strings.HasSuffix(before, ":") {
		space = " "
	}
	return []byte(before + space + strconv.Quote(value) + rest[len(scalar.FindString(rest)):])
}

// insertResourceVersion inserts the field as the first one of metadata. In block
// style it occupies a line of its own, which the correction subtracts.
func insertResourceVersion(document *source.Document, metadata *yaml.Node, resourceVersion string) ([]byte, correction) {
	first := metadata.Content[0]
	before, after := cut(document, first)
	if metadata.Style&yaml.FlowStyle != 0 {
		inserted := fmt.Sprintf("resourceVersion: %q, ", resourceVersion)
		if strings.HasPrefix(after, `"`) {
			inserted = fmt.Sprintf("%q: %q, ", "resourceVersion", resourceVersion)
		}
		return []byte(before + inserted + after), unchanged
	}
	column := first.Column - 1
	if indent, isComplex := strings.CutSuffix(strings.TrimRight(before, " "), "?"); isComplex { // "? key"
		column -= len(before) - len(indent)
		before, after = indent, before[len(indent):]+after
	}
	inserted := fmt.Sprintf("resourceVersion: %q\n%s", resourceVersion, strings.Repeat(" ", column))
	return []byte(before + inserted + after), func(r kubeapi.Response) kubeapi.Response { return removeLine(r, first.Line) }
}

var lineNumber = regexp.MustCompile(`\bline (\d+)\b`)

// removeLine decrements the line numbers in the messages of a response that
// follow an inserted line.
func removeLine(r kubeapi.Response, inserted int) kubeapi.Response {
	decrement := func(message string) string {
		return lineNumber.ReplaceAllStringFunc(message, func(found string) string {
			n, err := strconv.Atoi(strings.TrimPrefix(found, "line "))
			if err != nil || n <= inserted {
				return found
			}
			return fmt.Sprintf("line %d", n-1)
		})
	}
	if r.Status != nil {
		r.Status.Message = decrement(r.Status.Message)
	}
	for i, w := range r.Warnings {
		r.Warnings[i] = decrement(w)
	}
	return r
}
