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
// preserves comments, blank lines and the kind of line breaks, and rewrites JSON and YAML in flow style in block style.
// It returns an error if [source.Parse] does, or if the result would decode
// differently or lack a comment.
func Format(text string, bounds source.Limits) (string, error) {
	file, err := source.Parse(strings.ReplaceAll(text, "\r\n", "\n"), bounds)
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
	formatted := strings.Join(parts, "---\n")
	if strings.Contains(text, "\r\n") {
		formatted = strings.ReplaceAll(formatted, "\n", "\r\n")
	}
	return formatted, nil
}

// blank is a comment that stands for a blank line while a document is formatted, because the encoder keeps comments only.
const blank = "#\uE000"

// markBlanks replaces the blank lines of a document by comments, except those in values and at the end.
func markBlanks(d *source.Document) string {
	alone, err := source.Parse(d.Text, source.DefaultLimits)
	if err != nil || len(alone.Documents) != 1 {
		return d.Text
	}
	d = alone.Documents[0]
	lines := strings.Split(strings.TrimRight(d.Text, " \n"), "\n")
	inValue := make([]bool, len(lines)+1)
	var visit func(*yaml.Node)
	visit = func(n *yaml.Node) {
		if n.Kind == yaml.ScalarNode {
			start, end := d.Layout().Extent(n)
			first := strings.Count(d.Text[:start], "\n")
			for line := range strings.Count(d.Text[start:end], "\n") + 1 {
				inValue[min(first+line, len(lines))] = true
			}
		}
		for _, child := range n.Content {
			visit(child)
		}
	}
	visit(d.Root().Node())
	for i, line := range lines {
		if strings.TrimSpace(line) == "" && !inValue[i] {
			lines[i] = blank
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// unmarkBlanks replaces the comments for blank lines.
func unmarkBlanks(text string) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		if strings.TrimSpace(line) == blank {
			line = ""
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func formatDocument(d *source.Document) (string, error) {
	if d.Empty() {
		return strings.TrimSpace(d.Text) + "\n", nil
	}
	if !d.JSON() && d.Root().Node().Style&yaml.FlowStyle == 0 {
		marked := markBlanks(d)
		formatted, err := encode(d, marked)
		if plain := unmarkBlanks(formatted); err == nil && !strings.Contains(plain, blank) && sameValue(d.Text, plain) {
			return plain, nil
		}
	}
	return encode(d, d.Text)
}

// encode formats the text of a document, whose content is that of d.
func encode(d *source.Document, text string) (string, error) {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
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
