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
	metadata := metadataNode(typed)
	if metadata == nil {
		return []byte(typed), unchanged
	}
	if value := fieldValue(metadata, "resourceVersion"); value != nil {
		if !isReplaceable(value, typedResourceVersion(old)) {
			return []byte(typed), unchanged
		}
		return replaceValue(typed, value, resourceVersion), unchanged
	}
	sent, correct := insertResourceVersion(typed, metadata, resourceVersion)
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
func metadataNode(text string) *yaml.Node {
	var document yaml.Node
	if yaml.Unmarshal([]byte(text), &document) != nil || len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return nil
	}
	metadata := fieldValue(document.Content[0], "metadata")
	if metadata == nil || metadata.Kind != yaml.MappingNode || len(metadata.Content) == 0 {
		return nil
	}
	return metadata
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
		return old == "" || old == typed.Value
	}
	return false
}

var scalar = regexp.MustCompile(`^(?:"[^"]*"|'[^']*'|[^\s,}\]#]*)`)

// replaceValue replaces the typed value by a quoted string.
func replaceValue(text string, typed *yaml.Node, value string) []byte {
	lines := strings.SplitAfter(text, "\n")
	line := []rune(lines[typed.Line-1])
	before, rest := string(line[:typed.Column-1]), string(line[typed.Column-1:])
	space := ""
	if strings.HasSuffix(before, ":") {
		space = " "
	}
	lines[typed.Line-1] = before + space + strconv.Quote(value) + rest[len(scalar.FindString(rest)):]
	return []byte(strings.Join(lines, ""))
}

// insertResourceVersion inserts the field as the first one of metadata. In block
// style it occupies a line of its own, which the correction subtracts.
func insertResourceVersion(text string, metadata *yaml.Node, resourceVersion string) ([]byte, correction) {
	first := metadata.Content[0]
	lines := strings.SplitAfter(text, "\n")
	before := strings.Join(lines[:first.Line-1], "")
	line := []rune(lines[first.Line-1])
	indent, rest := string(line[:first.Column-1]), string(line[first.Column-1:])
	after := rest + strings.Join(lines[first.Line:], "")
	if metadata.Style&yaml.FlowStyle != 0 {
		inserted := fmt.Sprintf("%sresourceVersion: %q, ", indent, resourceVersion)
		if strings.HasPrefix(rest, `"`) {
			inserted = fmt.Sprintf("%s%q: %q, ", indent, "resourceVersion", resourceVersion)
		}
		return []byte(before + inserted + after), unchanged
	}
	inserted := fmt.Sprintf("%sresourceVersion: %q\n%s", indent, resourceVersion, strings.Repeat(" ", first.Column-1))
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
