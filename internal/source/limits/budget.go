package limits

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// A Budget holds the remaining capacity of the limits while a source is parsed.
type Budget struct {
	limits         Limits
	nodes, aliases int
}

// An Exceeded error names the exceeded limit and its offset in the document.
type Exceeded struct {
	Limit       string
	Max, Offset int
}

func (e *Exceeded) Error() string { return "limit of " + e.Limit }

// NewBudget returns a full budget.
func NewBudget(limits Limits) *Budget { return &Budget{limits: limits} }

// Spend counts nodes and aliases found at an offset and a depth. The error is
// nil or an *Exceeded.
func (b *Budget) Spend(offset, depth, nodes, aliases int) error {
	b.nodes += nodes
	b.aliases += aliases
	switch {
	case depth > b.limits.MaxDepth:
		return &Exceeded{Depth, b.limits.MaxDepth, offset}
	case b.nodes > b.limits.MaxNodes:
		return &Exceeded{Nodes, b.limits.MaxNodes, offset}
	case b.aliases > b.limits.MaxAliases:
		return &Exceeded{Aliases, b.limits.MaxAliases, offset}
	}
	return nil
}

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
