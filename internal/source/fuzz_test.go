package source_test

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/sourcetest"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// FuzzParse checks that Parse accepts or rejects any input, that the nesting
// scanner agrees with the parser, and that each node is found at its own path.
func FuzzParse(f *testing.F) {
	sourcetest.Seeds(f, "testdata")
	f.Fuzz(func(t *testing.T, text string) {
		file, _ := source.Parse(text, source.Limits{})
		for _, d := range file.Documents {
			if d.Text != text[d.Layout().Start:d.Layout().End] {
				t.Fatalf("text of the document is not at %d", d.Layout().Start)
			}
			if d.Err == nil {
				checkDocument(t, d)
			} else if d.Root().Node() != nil {
				t.Fatal("root despite", d.Err)
			}
		}
	})
}

func checkDocument(t *testing.T, d *source.Document) {
	if !d.JSON() {
		checkScanner(t, d)
	}
	d.DuplicateKeys()
	if !d.JSON() && d.HasUniqueKeys() {
		_, err := sigsyaml.YAMLToJSON([]byte(d.Text))
		if _, strictErr := sigsyaml.YAMLToJSONStrict([]byte(d.Text)); err == nil && strictErr != nil {
			t.Fatalf("the keys of %q are not unique: %v", d.Text, strictErr)
		}
	}
	sourcetest.Visit(d.Root(), nil, func(l source.Location, path []any) {
		found, ok := d.At(path...)
		if !ok || found.Node() != l.Node() {
			t.Fatalf("%q is not at %q", l.Node().Value, path)
		}
		start, end := d.Layout().Extent(l.Node())
		if start < d.Layout().Start || end < start || end > d.Layout().End {
			t.Fatalf("%q has extent %d-%d of %d-%d", path, start, end, d.Layout().Start, d.Layout().End)
		}
		l.Key()
		l.Value()
		d.PathAt(l.Value().Start)
	})
}

// checkScanner compares the counts of the nesting scanner and the parser.
func checkScanner(t *testing.T, d *source.Document) {
	depth, nodes := 0, 0
	if d.Root().Node() != nil {
		depth, nodes = measure(d.Root().Node())
	}
	within := func(nodes, depth int) bool {
		bounds := yamltext.Budget{MaxNodes: nodes, MaxDepth: depth, MaxAliases: 1 << 30}
		return yamltext.CheckNesting(d.Text, bounds) == nil
	}
	if !within(nodes, depth) {
		t.Fatalf("%d nodes %d deep are too many for the scanner", nodes, depth)
	}
	if depth > 2 && within(1<<30, (depth-1)/2-1) {
		t.Fatalf("%d levels are missed by the scanner", depth)
	}
}

func measure(n *yaml.Node) (depth, nodes int) {
	nodes = 1
	for _, child := range n.Content {
		d, c := measure(child)
		depth, nodes = max(depth, d), nodes+c
	}
	if n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode {
		depth++
	}
	return depth, nodes
}

// FuzzScalarOffsets checks that the source of each code point of each scalar
// represents this code point.
func FuzzScalarOffsets(f *testing.F) {
	sourcetest.Seeds(f, "testdata")
	f.Fuzz(func(t *testing.T, text string) {
		file, _ := source.Parse(text, source.Limits{})
		for _, d := range file.Documents {
			if d.Root().Node() != nil {
				scalars(d.Root().Node(), func(n *yaml.Node) { checkScalar(t, d, n) })
			}
		}
	})
}

func scalars(n *yaml.Node, f func(*yaml.Node)) {
	if n.Kind == yaml.ScalarNode {
		f(n)
	}
	for _, child := range n.Content {
		scalars(child, f)
	}
}

func checkScalar(t *testing.T, d *source.Document, n *yaml.Node) {
	x := d.Layout()
	starts, ends, ok := yamltext.CodePoints(x.Text[:x.End], x.Content(n), n)
	if !ok && strings.TrimSpace(n.Value) == "" {
		return
	} else if !ok {
		t.Fatalf("%q of style %d is not found at %q", n.Value, n.Style, x.Text[x.Content(n):d.Layout().End])
	}
	runes := []rune(n.Value)
	if len(runes) != len(starts) || len(runes) != len(ends) {
		t.Fatalf("%d code points, %d places", len(runes), len(starts))
	}
	last := x.Content(n)
	for i, r := range runes {
		start, end := int(starts[i]), int(ends[i])
		if start < last || end <= start || end > d.Layout().End || !reads(x.Text[start:end], r) {
			t.Fatalf("%q in %q is not at %d-%d after %d", r, n.Value, start, end, last)
		}
		last = end
	}
}

// reads reports whether the source of a code point can represent it.
func reads(source string, r rune) bool {
	switch {
	case source == string(r), source == "''" && r == '\'':
		return true
	case yamltext.BreakWidth(source, 0) == len(source):
		return r == ' ' || r == '\n'
	case source[0] == '\\':
		var decoded string
		return yaml.Unmarshal([]byte(`"`+source+`"`), &decoded) != nil || decoded == string(r)
	}
	return false
}
