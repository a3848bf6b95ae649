package tolerant

import "go.yaml.in/yaml/v3"

// A Node is a value with its preceding key or dash.
type Node struct {
	// Kind is yaml.ScalarNode, yaml.MappingNode or yaml.SequenceNode, or 0 if
	// the value does not exist yet.
	Kind yaml.Kind
	// Key is the key of the node in a mapping.
	Key string
	// Value is the decoded value of a scalar.
	Value string
	// Flow is set for a collection in brackets or braces.
	Flow bool
	// Quote is the first character of a scalar (", ', | or >), or 0 if it is
	// plain.
	Quote byte
	// Children holds the entries of a mapping or the items of a sequence.
	Children []*Node

	// keyStart and keyEnd are the extent of the key with its quotes, or -1.
	keyStart, keyEnd int
	// afterIndicator is the offset after the colon or the dash, or -1.
	afterIndicator int
	// start and end are the extent of the value.
	start, end int
	// column is the column of the keys or dashes of a block collection.
	column int
}

func newNode(at int) *Node {
	return &Node{keyStart: -1, keyEnd: -1, afterIndicator: -1, start: at, end: at, column: -1}
}

// Child returns the value of a key in a mapping, or nil.
func (n *Node) Child(name string) *Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for _, child := range n.Children {
		if child.Key == name && child.afterIndicator >= 0 {
			return child
		}
	}
	return nil
}

// Scalar returns the value of a key in a mapping if it is a scalar, otherwise
// an empty string.
func (n *Node) Scalar(name string) string {
	child := n.Child(name)
	if child == nil || child.Kind != yaml.ScalarNode {
		return ""
	}
	return child.Value
}

// maxPlainDepth is the depth limit of [Node.Plain].
const maxPlainDepth = 200

// Plain returns the value in the types of encoding/json. Missing and too deep
// values are nil.
func (n *Node) Plain() any { return n.plain(0) }

func (n *Node) plain(depth int) any {
	if n == nil || depth > maxPlainDepth {
		return nil
	}
	switch n.Kind {
	case yaml.MappingNode:
		out := make(map[string]any, len(n.Children))
		for _, child := range n.Children {
			if child.afterIndicator >= 0 {
				out[child.Key] = child.plain(depth + 1)
			}
		}
		return out
	case yaml.SequenceNode:
		out := make([]any, len(n.Children))
		for i, child := range n.Children {
			out[i] = child.plain(depth + 1)
		}
		return out
	case yaml.ScalarNode:
		if n.Quote != 0 {
			return n.Value
		}
		var value any
		if (&yaml.Node{Kind: yaml.ScalarNode, Value: n.Value}).Decode(&value) != nil {
			return n.Value
		}
		return value
	}
	return nil
}
