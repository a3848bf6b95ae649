package yamltext

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// A Budget bounds the depth of each document and the nodes and aliases of all
// documents of a source, and counts them while the source is parsed.
type Budget struct {
	MaxDepth, MaxNodes, MaxAliases int

	nodes, aliases int
}

// Names of the limits of a [Budget], the values of [Exceeded.Limit].
const (
	Depth   = "depth"
	Nodes   = "nodes"
	Aliases = "aliases"
)

// An Exceeded error names the exceeded limit and its offset in the document.
type Exceeded struct {
	Limit       string
	Max, Offset int
}

func (e *Exceeded) Error() string { return "limit of " + e.Limit }

// Spend counts nodes and aliases found at an offset and a depth. The error is
// nil or an *Exceeded.
func (b *Budget) Spend(offset, depth, nodes, aliases int) error {
	b.nodes += nodes
	b.aliases += aliases
	switch {
	case depth > b.MaxDepth:
		return &Exceeded{Depth, b.MaxDepth, offset}
	case b.nodes > b.MaxNodes:
		return &Exceeded{Nodes, b.MaxNodes, offset}
	case b.aliases > b.MaxAliases:
		return &Exceeded{Aliases, b.MaxAliases, offset}
	}
	return nil
}

// Spent returns the numbers of nodes and aliases so far.
func (b *Budget) Spent() (nodes, aliases int) { return b.nodes, b.aliases }

// SpendTree counts the nodes below root exactly, without following aliases. If
// a limit is exceeded, it returns the node at fault and an *Exceeded without an
// offset.
func (b *Budget) SpendTree(root *yaml.Node) (*yaml.Node, error) {
	type item struct {
		node  *yaml.Node
		depth int
	}
	stack := []item{{root, 0}}
	for len(stack) > 0 {
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		depth, aliases := top.depth, 0
		switch top.node.Kind {
		case yaml.MappingNode, yaml.SequenceNode:
			depth++
		case yaml.AliasNode:
			aliases = 1
		}
		if err := b.Spend(0, depth, 1, aliases); err != nil {
			return top.node, err
		}
		for _, child := range slices.Backward(top.node.Content) {
			stack = append(stack, item{child, depth})
		}
	}
	return nil, nil
}
