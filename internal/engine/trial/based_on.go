package trial

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/source"
)

func yamlToJSON(text []byte) ([]byte, error) { return sigsyaml.YAMLToJSON(text) }

// basedOn is the text of a document that names the resourceVersion it is based
// on, everything else being as it is typed. A typed resourceVersion counts if
// it is not that of the old document, which is what the server knows by
// another number. The function corrects the lines in an answer.
func basedOn(document *source.Document, resourceVersion string, old *source.Document) ([]byte, func(Answer) Answer) {
	text := document.Text
	same := func(a Answer) Answer { return a }
	metadata := metadataNode(text)
	if metadata == nil {
		return []byte(text), same
	}
	if typed := valueOf(metadata, "resourceVersion"); typed != nil {
		if !replaceable(typed, typedVersion(old)) {
			return []byte(text), same
		}
		return replaceVersion(text, typed, resourceVersion), same
	}
	sent, correct := insertVersion(text, metadata, resourceVersion)
	return sent, func(a Answer) Answer {
		if a.Status != nil {
			a.Status.Message = strings.ReplaceAll(a.Status.Message, summary(sent), summary([]byte(text)))
		}
		return correct(a)
	}
}

// summary is the start of a body as the server quotes it (summarizeData in
// k8s.io/apiserver/pkg/endpoints/handlers).
func summary(body []byte) string {
	const most = 30
	start, more := body, ""
	if len(body) > most {
		start, more = body[:most], " ..."
	}
	if body[0] == '{' {
		return string(start) + more
	}
	return hex.EncodeToString(start) + more
}

// metadataNode is the mapping at metadata, or nil if there is none or an empty
// one. Of two the last one counts.
func metadataNode(text string) *yaml.Node {
	var document yaml.Node
	if yaml.Unmarshal([]byte(text), &document) != nil || len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return nil
	}
	var metadata *yaml.Node
	fields := document.Content[0].Content
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i].Value == "metadata" {
			metadata = fields[i+1]
		}
	}
	if metadata == nil || metadata.Kind != yaml.MappingNode || len(metadata.Content) == 0 {
		return nil
	}
	return metadata
}

func typedVersion(document *source.Document) string {
	if document == nil {
		return ""
	}
	return lookup(document, "metadata", "resourceVersion")
}

// valueOf is the value of a field of a mapping, or nil if there is none. Of two
// the last one counts.
func valueOf(mapping *yaml.Node, name string) *yaml.Node {
	var value *yaml.Node
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			value = mapping.Content[i+1]
		}
	}
	return value
}

// replaceable says whether a typed resourceVersion is that of the old document,
// or none. What is not even a string the server has to see as it is.
func replaceable(typed *yaml.Node, old string) bool {
	switch {
	case typed.Tag == "!!null" || typed.Tag == "!!str" && typed.Value == "":
		return true
	case typed.Tag == "!!str":
		return old == "" || old == typed.Value
	}
	return false
}

var scalar = regexp.MustCompile(`^(?:"[^"]*"|'[^']*'|[^\s,}\]#]*)`)

// replaceVersion puts a resourceVersion in the place of the typed one.
func replaceVersion(text string, typed *yaml.Node, resourceVersion string) []byte {
	lines := strings.SplitAfter(text, "\n")
	line := []rune(lines[typed.Line-1])
	before, rest := string(line[:typed.Column-1]), string(line[typed.Column-1:])
	space := ""
	if strings.HasSuffix(before, ":") {
		space = " "
	}
	lines[typed.Line-1] = before + space + strconv.Quote(resourceVersion) + rest[len(scalar.FindString(rest)):]
	return []byte(strings.Join(lines, ""))
}

// insertVersion adds the field before the first one of metadata.
func insertVersion(text string, metadata *yaml.Node, resourceVersion string) ([]byte, func(Answer) Answer) {
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
		return []byte(before + inserted + after), func(a Answer) Answer { return a }
	}
	inserted := fmt.Sprintf("%sresourceVersion: %q\n%s", indent, resourceVersion, strings.Repeat(" ", first.Column-1))
	return []byte(before + inserted + after), func(a Answer) Answer { return raiseLines(a, first.Line) }
}

var lineNumber = regexp.MustCompile(`\bline (\d+)\b`)

// raiseLines takes the line that was inserted at a place out of an answer.
func raiseLines(a Answer, inserted int) Answer {
	raise := func(text string) string {
		return lineNumber.ReplaceAllStringFunc(text, func(found string) string {
			n, err := strconv.Atoi(strings.TrimPrefix(found, "line "))
			if err != nil || n <= inserted {
				return found
			}
			return fmt.Sprintf("line %d", n-1)
		})
	}
	if a.Status != nil {
		a.Status.Message = raise(a.Status.Message)
	}
	for i, w := range a.Warnings {
		a.Warnings[i] = raise(w)
	}
	return a
}
