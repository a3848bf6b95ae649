package cases

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// The number of columns that a value on one line may fill. An object of plain values, such as a
// change or a condition, may fill more, so that a difference in it shows as one line.
const (
	maxWidth      = 120
	maxPlainWidth = 200
)

// layOut formats a value as YAML. A list or an object that fits is on one line, and a string of
// several lines as a block.
func layOut(n *yaml.Node) ([]byte, error) {
	style(n, 0)
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	err := encoder.Encode(n)
	return b.Bytes(), err
}

// style sets the style of a node that starts at a column, and returns its width on one line. The width of
// a block exceeds any line's.
func style(n *yaml.Node, column int) int {
	const block = maxPlainWidth + 1
	switch {
	case n.Kind == yaml.ScalarNode && strings.Contains(strings.TrimSuffix(n.Value, "\n"), "\n"):
		n.Style = yaml.LiteralStyle
		return block
	case n.Kind == yaml.ScalarNode && n.Tag != "!!str":
		n.Style = 0
		return utf8.RuneCountInString(n.Value)
	case n.Kind == yaml.ScalarNode:
		n.Style = 0 // The encoder quotes where YAML requires it.
		return utf8.RuneCountInString(n.Value) + len(`""`)
	}
	// A member of a block is two columns further to the right.
	width, limit := len("{}"), maxPlainWidth
	for i, child := range n.Content {
		if child.Kind != yaml.ScalarNode || n.Kind == yaml.SequenceNode {
			limit = maxWidth
		}
		width += style(child, column+2)
		if i > 0 {
			width += len(", ")
		}
	}
	n.Style = 0
	if column+width <= limit {
		n.Style = yaml.FlowStyle
		return width
	}
	return block
}
