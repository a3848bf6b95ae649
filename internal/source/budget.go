package source

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// A budget is what is left of the limits of a text.
type budget struct {
	limits         Limits
	nodes, aliases int
}

// An exceeded error says which limit is passed, and at which offset of the
// document.
type exceeded struct {
	limit       string
	max, offset int
}

func (e *exceeded) Error() string { return "limit of " + e.limit }

// spend counts nodes and aliases that were found at an offset at a depth. Its
// error is nil or an *exceeded.
func (b *budget) spend(offset, depth, nodes, aliases int) error {
	b.nodes += nodes
	b.aliases += aliases
	switch {
	case depth > b.limits.MaxDepth:
		return &exceeded{LimitDepth, b.limits.MaxDepth, offset}
	case b.nodes > b.limits.MaxNodes:
		return &exceeded{LimitNodes, b.limits.MaxNodes, offset}
	case b.aliases > b.limits.MaxAliases:
		return &exceeded{LimitAliases, b.limits.MaxAliases, offset}
	}
	return nil
}

// spendTree counts the nodes below root exactly, aliases not followed. The
// error is nil or an *exceeded whose offset is to be taken from the node.
func (b *budget) spendTree(root *yaml.Node) (*yaml.Node, error) {
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
		if err := b.spend(0, depth, 1, aliases); err != nil {
			return top.node, err
		}
		for _, child := range slices.Backward(top.node.Content) {
			stack = append(stack, item{child, depth})
		}
	}
	return nil, nil
}
