package source

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// An Edit says how a document differs from an earlier one: in entries of one mapping.
type Edit struct {
	Before *Document
	// Path leads to the mapping.
	Path []any
	// Names lists the keys of the entries that were added, removed or changed. It is empty if only comments or blanks
	// differ.
	Names []string
}

// Concerns reports whether the value of an entry may differ.
func (e *Edit) Concerns(entry []any) bool {
	if len(entry) <= len(e.Path) {
		return slices.Equal(entry, e.Path[:len(entry)])
	}
	name, _ := entry[len(e.Path)].(string)
	return slices.Equal(entry[:len(e.Path)], e.Path) && slices.Contains(e.Names, name)
}

// ParseAfter does the same as [Parse], in less time if the text differs from an earlier one within a few lines. before is
// the result for that text, and nil without one. It parses only the changed entry of the innermost mapping, and shares the
// other nodes. The edit is nil if it parses everything, or if a decoder may read one of the keys differently.
func ParseAfter(before *File, text string, bounds Limits) (*File, *Edit, error) {
	bounds = bounds.orDefault()
	if before == nil || len(text) > bounds.MaxBytes {
		file, err := Parse(text, bounds)
		return file, nil, err
	}
	index := yamltext.NewIndex(text)
	if file, edit := parseAfter(before, index, bounds); file != nil {
		return file, edit, nil
	}
	file, err := parse(index, bounds)
	return file, nil, err
}

// parseAfter returns nil if it must parse everything.
func parseAfter(before *File, index *yamltext.Index, bounds Limits) (*File, *Edit) {
	if len(before.Documents) != 1 || !before.index.HasPlainLines() || !index.HasPlainLines() {
		return nil, nil
	}
	chunks := yamltext.Split(index.Text())
	old := before.Documents[0]
	if len(chunks) != 1 || chunks[0].Bad != "" || old.root == nil || old.Err != nil || old.JSON() || old.aliases > 0 {
		return nil, nil
	}
	d := newDocument(index, chunks[0])
	c := newChange(old, d)
	if !c.find(old.root, len(c.old.starts)-1) || !c.parse(bounds) {
		return nil, nil
	}
	d.root, d.nodes = c.replaced(old.root, c.steps), c.nodes
	return &File{Documents: []*Document{d}, index: index}, c.edit()
}

// A lineTable has the lines of a document in a file whose lines end with \n.
type lineTable struct {
	// text is the file up to the end of the document, and starts holds the offsets of the document's lines.
	text   string
	starts []int32
}

func newLineTable(d *Document) lineTable {
	x := d.layout
	first := d.index.Position(x.Start).Line
	starts := d.index.Lines()[first:]
	end, _ := slices.BinarySearch(starts, int32(x.End)+1) //nolint:gosec // a document has less than 2 GiB
	return lineTable{x.Text[:x.End], starts[:end]}
}

// line returns the line of an offset.
func (t lineTable) line(offset int) int {
	i, found := slices.BinarySearch(t.starts, int32(offset)) //nolint:gosec // a document has less than 2 GiB
	if found {
		return i
	}
	return i - 1
}

// between returns the lines from first to last.
func (t lineTable) between(first, last int) string {
	if last+1 < len(t.starts) {
		return t.text[t.starts[first]:t.starts[last+1]]
	}
	return t.text[t.starts[first]:]
}

// beginsLine reports whether only spaces are before a node in its line.
func (t lineTable) beginsLine(n *yaml.Node) bool {
	start := int(t.starts[n.Line-1])
	return strings.Trim(t.text[start:min(start+n.Column-1, len(t.text))], " ") == ""
}

// A change relates a document to the one before it. All lines and indexes count from 0.
type change struct {
	before   *Document
	old, new lineTable
	// The lines from first to last of the old text were replaced, and delta is the number of lines that were added.
	first, last, delta int

	// mapping has the changed entry, with the index entry. Its lines are those from start to end.
	mapping    *yaml.Node
	entry      int
	start, end int
	// steps are the indexes in Content that lead to the mapping, and path leads there, too.
	steps []int
	path  []any
	// isOdd reports that a decoder may read a key of the path in another way.
	isOdd bool
	// entries replace the entry.
	entries []*yaml.Node
	nodes   int
}

func newChange(old, new *Document) *change {
	c := &change{before: old, old: newLineTable(old), new: newLineTable(new)}
	a, b := old.Text, new.Text
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	rest := 0
	for rest < min(len(a), len(b))-same && a[len(a)-1-rest] == b[len(b)-1-rest] {
		rest++
	}
	c.first, c.last = c.old.line(old.layout.Start+same), c.old.line(old.layout.End-rest)
	c.delta = c.new.line(new.layout.End-rest) - c.last
	return c
}

// find finds the innermost entry of a block mapping that contains all changed lines, and whose key begins a line. end is
// the last line of the node.
func (c *change) find(n *yaml.Node, end int) bool {
	var steps []int
	var path []any
	isOdd := false
	for (n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode) && n.Style&yaml.FlowStyle == 0 {
		width := 1
		if n.Kind == yaml.MappingNode {
			width = 2
		}
		i := 0
		for i+width < len(n.Content) && n.Content[i+width].Line-1 <= c.first {
			i += width
		}
		if len(n.Content) == 0 || n.Content[i].Line-1 > c.first {
			break
		}
		if i+width < len(n.Content) {
			end = n.Content[i+width].Line - 2
		}
		if c.last > end {
			break
		}
		value := n.Content[i+width-1]
		if width == 2 {
			key := n.Content[i]
			if key.Kind == yaml.ScalarNode && c.old.beginsLine(key) {
				c.mapping, c.entry, c.start, c.end = n, i/2, key.Line-1, end
				c.steps, c.path, c.isOdd = slices.Clone(steps), slices.Clone(path), isOdd
			}
			if key.Kind != yaml.ScalarNode || value.Line == key.Line {
				break
			}
			path = append(path, key.Value)
			isOdd = isOdd || isOddKey(key)
		} else {
			path = append(path, i)
		}
		steps = append(steps, i+width-1)
		n = value
	}
	return c.mapping != nil
}

// parse parses the changed entry. It returns false if its end depends on other lines, or may do so.
func (c *change) parse(bounds Limits) bool {
	last := c.end + c.delta
	if last < c.start || last >= len(c.new.starts) {
		return false
	}
	text, column := c.new.between(c.start, last), c.mapping.Content[2*c.entry].Column
	former := c.mapping.Content[2*c.entry : 2*c.entry+2]
	if !isSelfContained(text, column-1) || !isSelfContained(c.old.between(c.start, c.end), column-1) || slices.ContainsFunc(former, hasProperties) {
		return false
	}
	budget := &yamltext.Budget{MaxDepth: bounds.MaxDepth - len(c.steps), MaxNodes: bounds.MaxNodes, MaxAliases: bounds.MaxAliases}
	if yamltext.CheckNesting(text, *budget) != nil || yamltext.CheckCharacters(text) != nil {
		return false
	}
	root, failure := yamltext.ParseYAML(text)
	if failure != nil || root == nil || root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 || root.Line != 1 || root.Column != column {
		return false
	}
	if _, err := budget.SpendTree(root); err != nil {
		return false
	}
	nodes, aliases := budget.Spent()
	if aliases > 0 || hasProperties(root) {
		return false
	}
	c.entries, c.nodes = shifted(root, c.start).Content, c.before.nodes-size(former[0])-size(former[1])+nodes-1
	return c.nodes <= bounds.MaxNodes
}

// replaced returns a node with the parsed entries. It shares all nodes before the change.
func (c *change) replaced(n *yaml.Node, steps []int) *yaml.Node {
	out := *n
	if len(steps) == 0 {
		at := 2 * c.entry
		out.Content = slices.Concat(n.Content[:at], c.entries, c.moved(n.Content[at+2:]))
		return &out
	}
	at := steps[0]
	out.Content = slices.Concat(n.Content[:at], []*yaml.Node{c.replaced(n.Content[at], steps[1:])}, c.moved(n.Content[at+1:]))
	return &out
}

// moved returns nodes after the change.
func (c *change) moved(nodes []*yaml.Node) []*yaml.Node {
	if c.delta == 0 {
		return nodes
	}
	out := make([]*yaml.Node, len(nodes))
	for i, n := range nodes {
		out[i] = shifted(n, c.delta)
	}
	return out
}

// shifted returns a copy of a node whose lines are moved down.
func shifted(n *yaml.Node, lines int) *yaml.Node {
	out := *n
	out.Line += lines
	if len(n.Content) > 0 {
		out.Content = make([]*yaml.Node, len(n.Content))
		for i, child := range n.Content {
			out.Content[i] = shifted(child, lines)
		}
	}
	return &out
}

// isSelfContained reports whether the lines of an entry alone determine where it ends. indentation is that of its key.
func isSelfContained(text string, indentation int) bool {
	first := true
	for line := range strings.Lines(text) {
		content := strings.TrimLeft(line, " ")
		indent := len(line) - len(content)
		isBlank := strings.TrimSpace(content) == "" || content[0] == '#'
		// The value of a key after a question mark may be at the next token, which may be beyond the entry.
		isExplicit := strings.HasPrefix(content, "?") || strings.Contains(content, "- ?")
		switch {
		case first && (isBlank || indent != indentation),
			!isBlank && indent < indentation,
			strings.HasPrefix(line, yamltext.Separator), strings.HasPrefix(line, "..."), content != "" && content[0] == '\t',
			isExplicit:
			return false
		}
		first = false
	}
	return true
}

// hasProperties reports whether a node has an anchor or a tag. At the end of the entry, they may belong to what follows.
func hasProperties(n *yaml.Node) bool {
	return n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 || slices.ContainsFunc(n.Content, hasProperties)
}

// size returns the number of nodes below n.
func size(n *yaml.Node) int {
	sum := 1
	for _, child := range n.Content {
		sum += size(child)
	}
	return sum
}

// edit describes the change. It returns nil if a decoder may read one of the keys in another way.
func (c *change) edit() *Edit {
	if c.isOdd {
		return nil
	}
	e := &Edit{Before: c.before, Path: c.path}
	if c.changesComments() {
		return e
	}
	keys := []*yaml.Node{c.mapping.Content[2*c.entry]}
	for i := 0; i < len(c.entries); i += 2 {
		keys = append(keys, c.entries[i])
	}
	for _, key := range keys {
		if isOddKey(key) {
			return nil
		}
		e.Names = append(e.Names, key.Value)
	}
	return e
}

// changesComments reports whether only comment lines and blank lines differ. Equal nodes are not enough, because the API
// server's parser may read other changes differently.
func (c *change) changesComments() bool {
	before, after := c.old.between(c.start, c.end), c.new.between(c.start, c.end+c.delta)
	return withoutComments(before) == withoutComments(after) &&
		slices.EqualFunc(c.entries, c.mapping.Content[2*c.entry:2*c.entry+2], equal)
}

// withoutComments removes blank lines and lines that begin with #, even within a scalar.
func withoutComments(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if content := strings.TrimSpace(line); content != "" && content[0] != '#' {
			out.WriteString(strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	return out.String()
}

// equal reports whether two nodes have the same content.
func equal(a, b *yaml.Node) bool {
	return a.Kind == b.Kind && a.Tag == b.Tag && a.Value == b.Value && slices.EqualFunc(a.Content, b.Content, equal)
}

// isOddKey reports whether a decoder may read a key in another way.
func isOddKey(key *yaml.Node) bool {
	return key.Kind != yaml.ScalarNode || key.Tag == mergeTag || JSONName(key) != ""
}
