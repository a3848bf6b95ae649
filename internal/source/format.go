package source

import (
	"bytes"
	"errors"
	"reflect"
	"strings"

	yaml2 "go.yaml.in/yaml/v2"
	"go.yaml.in/yaml/v3"
)

// formatIndent is the indentation of mappings.
const formatIndent = 2

// Format indents the documents of a text by two, with their comments, and
// writes JSON as YAML in block style. The error is that of [Parse], or says that
// the formatted text would not mean the same to Kubernetes.
func Format(text string, limits Limits) (string, error) {
	file, err := Parse(text, limits)
	if err != nil {
		return "", err
	}
	var parts []string
	for _, doc := range file.Documents {
		part, err := doc.format()
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "---\n"), nil
}

func (d *Document) format() (string, error) {
	if d.Empty() {
		return strings.TrimSpace(d.Text) + "\n", nil
	}
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(d.Text), &root); err != nil {
		return "", err
	}
	if d.json {
		unfold(&root)
	}
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(formatIndent)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(&root); err != nil {
		return "", err
	}
	if !sameValue(d.Text, b.String()) {
		return "", errors.New("formatted, the text would not mean the same")
	}
	return b.String(), nil
}

// sameValue says whether two texts mean the same to a decoder of YAML 1.1.
func sameValue(a, b string) bool {
	var first, second any
	if yaml2.Unmarshal([]byte(a), &first) != nil || yaml2.Unmarshal([]byte(b), &second) != nil {
		return false
	}
	return reflect.DeepEqual(first, second)
}

// unfold sets block style for what holds something, and leaves out the quotes
// where they are not needed.
func unfold(n *yaml.Node) {
	switch {
	case n.Kind != yaml.ScalarNode && len(n.Content) > 0:
		n.Style &^= yaml.FlowStyle
	case n.Kind == yaml.ScalarNode && strings.Contains(strings.TrimRight(n.Value, "\n"), "\n"):
		n.Style = yaml.LiteralStyle
	case n.Kind == yaml.ScalarNode:
		n.Style = 0
	}
	for _, child := range n.Content {
		unfold(child)
	}
}
