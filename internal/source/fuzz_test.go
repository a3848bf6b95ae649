package source

import (
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"
)

// seeds are texts that between them have all constructs of YAML.
func seeds(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, each := range archive.Files {
			if each.Name == "text" {
				f.Add(string(each.Data))
			}
		}
	}
	for _, text := range []string{
		"", "\x00", "\xff\xfe", "\ufeffa: 1", "a: &a [*a]", "a: &a {<<: *a}", "{\"a\": \"\\ud83d\\ude00\\/\"}",
		"a: |2-\n    x\n   y\n\n", "a: >+\n  x\n\n   y\n  z\n\n", "a: 'x''\n\n  y'", "a: \"x\\\n  y\\x41\\u0042 \t\n z\"",
		"- - - ? a\n      : b\n- !!str &x y\n- *x", "a: b\r\nc:\r  d\u0085e: f\u2028 g", "%YAML 1.1\n---\na\n...\nb", "😀: 😀 # 😀\n",
	} {
		f.Add(text)
	}
}

// FuzzParse checks that any text is parsed or refused, that the nesting scanner
// agrees with the parser, and that each node is found under its own path.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		file, _ := Parse(text, Limits{})
		for _, d := range file.Documents {
			if d.Text != text[d.start:d.end()] {
				t.Fatalf("text of the document is not at %d", d.start)
			}
			if d.Err == nil {
				checkDocument(t, d)
			} else if d.root != nil {
				t.Fatal("root despite", d.Err)
			}
		}
	})
}

func checkDocument(t *testing.T, d *Document) {
	if !d.json {
		checkScanner(t, d)
	}
	d.DuplicateKeys()
	visit(d.Root(), nil, func(l Location, path []any) {
		found, ok := d.At(path...)
		if !ok || found.node != l.node {
			t.Fatalf("%q is not at %q", l.node.Value, path)
		}
		start, end := d.extent(l.node)
		if start < d.start || end < start || end > d.end() {
			t.Fatalf("%q has extent %d-%d of %d-%d", path, start, end, d.start, d.end())
		}
		l.Key()
		l.Value()
		d.PathAt(l.Value().Start)
	})
}

// checkScanner compares the nesting scanner's counts to the parser's.
func checkScanner(t *testing.T, d *Document) {
	depth, nodes := 0, 0
	if d.root != nil {
		depth, nodes = measure(d.root)
	}
	within := func(nodes, depth int) bool {
		limits := Limits{MaxNodes: nodes, MaxDepth: depth, MaxAliases: 1 << 30}
		return checkNesting(d.Text, budget{limits: limits}) == nil
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

// visit calls f for the nodes that At can reach, aliases not followed.
func visit(l Location, path []any, f func(Location, []any)) {
	if l.node == nil || len(path) > 20 {
		return
	}
	f(l, path)
	switch l.node.Kind {
	case yaml.SequenceNode:
		for i, item := range l.node.Content {
			if next, ok := l.element(i); ok && item.Kind != yaml.AliasNode {
				visit(next, append(path, i), f)
			}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(l.node.Content); i += 2 {
			next, ok := l.field(l.node.Content[i].Value)
			if ok && next.node == l.node.Content[i+1] {
				visit(next, append(path, l.node.Content[i].Value), f)
			}
		}
	}
}

// FuzzScalarOffsets checks that the source of each code point of each scalar
// reads as that code point.
func FuzzScalarOffsets(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		file, _ := Parse(text, Limits{})
		for _, d := range file.Documents {
			if d.root != nil {
				scalars(d.root, func(n *yaml.Node) { checkScalar(t, d, n) })
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

func checkScalar(t *testing.T, d *Document, n *yaml.Node) {
	s := d.scanner(n)
	s.record = true
	if ok := s.scan(n.Style); !ok && strings.TrimSpace(n.Value) == "" {
		return
	} else if !ok {
		t.Fatalf("%q of style %d is not found at %q", n.Value, n.Style, d.index.text[d.content(n):d.end()])
	}
	runes := []rune(n.Value)
	if len(runes) != len(s.starts) || len(runes) != len(s.ends) {
		t.Fatalf("%d code points, %d places", len(runes), len(s.starts))
	}
	last := d.content(n)
	for i, r := range runes {
		start, end := int(s.starts[i]), int(s.ends[i])
		if start < last || end <= start || end > d.end() || !reads(d.index.text[start:end], r) {
			t.Fatalf("%q in %q is not at %d-%d after %d", r, n.Value, start, end, last)
		}
		last = end
	}
}

// reads reports whether the source of a code point can stand for it.
func reads(source string, r rune) bool {
	switch {
	case source == string(r), source == "''" && r == '\'':
		return true
	case breakWidth(source, 0) == len(source):
		return r == ' ' || r == '\n'
	case source[0] == '\\':
		var decoded string
		return yaml.Unmarshal([]byte(`"`+source+`"`), &decoded) != nil || decoded == string(r)
	}
	return false
}

// FuzzFormat checks that a formatted text means the same, and that it can be
// formatted again. (The encoder may well move a comment then.)
func FuzzFormat(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		once, err := Format(text, Limits{})
		if err != nil {
			return
		}
		before, _ := Parse(text, Limits{})
		after, err := Parse(once, Limits{})
		if err != nil {
			t.Fatalf("%q is formatted as %q: %v", text, once, err)
		}
		for i, d := range before.Documents {
			if d.Empty() {
				continue
			}
			if i >= len(after.Documents) || !sameValue(d.Text, after.Documents[i].Text) {
				t.Fatalf("%q is formatted as %q, of which document %d differs", text, once, i)
			}
		}
		if _, err := Format(once, Limits{}); err != nil {
			t.Fatalf("%q is formatted as %q, which cannot be: %v", text, once, err)
		}
	})
}
