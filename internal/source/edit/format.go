package edit

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	yaml2 "go.yaml.in/yaml/v2"
	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/source"
)

// formatIndent is the indentation of mappings.
const formatIndent = 2

// Format formats the documents of a file with an indentation of two spaces. It
// preserves comments, and rewrites JSON and YAML in flow style in block style.
// It returns an error if [source.Parse] does, or if the result would decode
// differently or lack a comment.
func Format(text string, bounds source.Limits) (string, error) {
	file, err := source.Parse(text, bounds)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, doc := range file.Documents {
		part, err := formatDocument(doc)
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "---\n"), nil
}

func formatDocument(d *source.Document) (string, error) {
	if d.Empty() {
		return strings.TrimSpace(d.Text) + "\n", nil
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(d.Text), &root); err != nil {
		return "", err
	}
	if d.JSON() || len(root.Content) > 0 && root.Content[0].Style&yaml.FlowStyle != 0 {
		useBlockStyle(&root)
	}
	hideMergeTags(&root)
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(formatIndent)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(&root); err != nil {
		return "", err
	}
	if !sameValue(d.Text, b.String()) {
		return "", errors.New("formatting would change the content of the document")
	}
	if comment := lostComment(d.Text, b.String()); comment != "" && !d.JSON() {
		return "", fmt.Errorf("formatting would remove the comment %q", comment)
	}
	return b.String(), nil
}

// lostComment returns the first comment that is missing from the formatted
// file, or an empty string. (The encoder may drop comments.) A "#" within a
// value counts as a comment, because formatting preserves values, too.
func lostComment(text, formatted string) string {
	for line := range strings.Lines(text) {
		at := strings.Index(" "+line, " #")
		if at < 0 {
			continue
		}
		if comment := strings.TrimSpace(line[at:]); !strings.Contains(formatted, comment) {
			return comment
		}
	}
	return ""
}

// sameValue reports whether two documents decode to the same value in YAML 1.1.
func sameValue(a, b string) bool {
	var first, second any
	if yaml2.Unmarshal([]byte(a), &first) != nil || yaml2.Unmarshal([]byte(b), &second) != nil {
		return false
	}
	return reflect.DeepEqual(first, second)
}

// useBlockStyle sets block style for non-empty collections and multi-line
// strings, and removes unnecessary quotes.
func useBlockStyle(n *yaml.Node) {
	switch {
	case n.Kind != yaml.ScalarNode && len(n.Content) > 0:
		n.Style &^= yaml.FlowStyle
	case n.Kind == yaml.ScalarNode && strings.Contains(strings.TrimRight(n.Value, "\n"), "\n"):
		n.Style = yaml.LiteralStyle
	case n.Kind == yaml.ScalarNode && !needsQuotes(n):
		n.Style = 0
	}
	for _, child := range n.Content {
		useBlockStyle(child)
	}
}

// needsQuotes reports whether a YAML 1.1 decoder would read a string
// differently without quotes, such as yes as a boolean.
func needsQuotes(n *yaml.Node) bool {
	if n.Tag != "!!str" {
		return false
	}
	var plain any
	err := yaml2.Unmarshal([]byte(n.Value), &plain)
	return err != nil || plain != any(n.Value)
}

// hideMergeTags removes the tags of merge keys, which the encoder would write.
func hideMergeTags(n *yaml.Node) {
	if n.Tag == "!!merge" {
		n.Tag = ""
	}
	for _, child := range n.Content {
		hideMergeTags(child)
	}
}
