package source

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Part says how much of an entry an excerpt has.
type Part int

const (
	// Whole is the entry as it is.
	Whole Part = iota
	// Stub has an empty mapping in place of the value.
	Stub
	// Entries has a part of each entry of the value, which must be a block mapping.
	Entries
)

// Excerpt returns the lines of the block mapping at a path, with a part of each entry. The function part chooses it by the
// path of the entry; isBlock reports that its value is a block mapping, too. indent is the number of spaces before each
// key. Excerpt returns false if the value at the path is no block mapping.
func (d *Document) Excerpt(path []any, part func(path []any, isBlock bool) Part) (text string, indent int, ok bool) {
	x := excerpt{lines: newLineTable(d), part: part}
	if !d.index.HasPlainLines() || d.JSON() {
		return "", 0, false
	}
	n, end := d.root, len(x.lines.starts)-1
	for _, step := range path {
		if n, end = childOf(n, step, end); n == nil {
			return "", 0, false
		}
	}
	if n == nil || !x.isBlock(n) || !x.add(n, path, end) {
		return "", 0, false
	}
	return x.out.String(), n.Column - 1, true
}

// childOf returns the value at a step below a node with its last line.
func childOf(n *yaml.Node, step any, end int) (*yaml.Node, int) {
	for i, child := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode && step == i:
			if i+1 < len(n.Content) {
				end = n.Content[i+1].Line - 2
			}
			return child, end
		case n.Kind == yaml.MappingNode && i%2 == 0 && step == child.Value:
			if i+2 < len(n.Content) {
				end = n.Content[i+2].Line - 2
			}
			return n.Content[i+1], end
		}
	}
	return nil, 0
}

type excerpt struct {
	lines lineTable
	part  func([]any, bool) Part
	out   strings.Builder
}

// isBlock reports whether a node is a block mapping whose keys begin lines.
func (x *excerpt) isBlock(n *yaml.Node) bool {
	return n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0 && n.Anchor == "" && len(n.Content) > 0 && x.lines.beginsLine(n.Content[0])
}

// add adds the entries of a block mapping that ends in a line.
func (x *excerpt) add(n *yaml.Node, path []any, end int) bool {
	for i := 0; i < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		last := end
		if i+2 < len(n.Content) {
			last = n.Content[i+2].Line - 2
		}
		at := slices.Concat(path, []any{key.Value})
		if key.Kind != yaml.ScalarNode || key.Line-1 > last {
			return false
		}
		isBlock := x.isBlock(value) && value.Line > key.Line
		switch x.part(at, isBlock) {
		case Whole:
			x.out.WriteString(x.lines.between(key.Line-1, last))
		case Stub:
			x.out.WriteString(strings.Repeat(" ", n.Column-1) + quotedKey(key) + ": {}\n")
		case Entries:
			if !isBlock {
				return false
			}
			x.out.WriteString(strings.Repeat(" ", n.Column-1) + quotedKey(key) + ":\n")
			if !x.add(value, at, last) {
				return false
			}
		}
	}
	return true
}

// quotedKey returns a key that decoders read like the original.
func quotedKey(key *yaml.Node) string {
	if JSONName(key) != "" {
		return key.Value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(key.Value) + `"`
}
