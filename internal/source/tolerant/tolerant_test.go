package tolerant_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// validTexts returns the YAML files of the engine's cases and, if CRDLAB_CORPUS
// is set, of real projects.
func validTexts(t *testing.T) map[string]string {
	texts := map[string]string{}
	files, err := filepath.Glob("../../engine/testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("the engine's cases: %v, %v", files, err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".yaml") {
				texts[file+"/"+f.Name] = string(f.Data)
			}
		}
	}
	if dir := os.Getenv("CRDLAB_CORPUS"); dir != "" {
		files, _ := filepath.Glob(filepath.Join(dir, "*", "*", "*.yaml"))
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = string(data)
		}
	}
	return texts
}

// TestParseAgreesWithYAML compares the keys, lists and scalars of valid files
// with the result of the YAML parser.
func TestParseAgreesWithYAML(t *testing.T) {
	compared := 0
	for name, text := range validTexts(t) {
		file, err := source.Parse(text, source.Limits{})
		if err != nil || strings.ContainsAny(text, "&*") && hasAlias(text) {
			continue
		}
		tree := tolerant.Parse(text)
		for i, doc := range file.Documents {
			if len(tree.Documents) < len(file.Documents) {
				continue
			}
			j := i + len(tree.Documents) - len(file.Documents)
			if at := difference(doc.Root().Node(), tree.Documents[j], ""); at != "" {
				t.Errorf("%s, document %d: %s", name, i, at)
			}
			compared++
		}
	}
	if compared < 100 {
		t.Errorf("compared only %d documents", compared)
	}
}

func hasAlias(text string) bool {
	return strings.Contains(text, ": *") || strings.Contains(text, "- *") || strings.Contains(text, ": &") || strings.Contains(text, "- &")
}

// difference returns the first difference between a parsed node and a tolerant
// node, ignoring blanks in values.
func difference(want *yaml.Node, got *tolerant.Node, path string) string {
	if want == nil || want.Tag == "!!null" && want.Value == "" {
		want = &yaml.Node{}
	}
	width := 1
	if want.Kind == yaml.MappingNode {
		width = 2
	}
	switch {
	case want.Kind != got.Kind:
		return path + ": other kind"
	case strings.Join(strings.Fields(want.Value), " ") != strings.Join(strings.Fields(got.Value), " "):
		return path + ": other value: " + got.Value
	case len(want.Content) != width*len(got.Children):
		return path + ": other entries"
	}
	for i, child := range got.Children {
		key := want.Content[width*i].Value
		if width == 2 && key != child.Key {
			return path + ": other key: " + child.Key
		}
		if at := difference(want.Content[width*i+width-1], child, path+"."+key); at != "" {
			return at
		}
	}
	return ""
}

// FuzzParse creates the cursor of every position in a source.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"a:\n- b: {c: [d, \"e\"]}\n  f: |\n    g\n", "- - a\n-\n", "{\"a\": [1, {\"b\": ", "a: 'b\nc: \"d\n---\n? x", "k: {{ .V }}\nl:\n  &a !t v"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		tree := tolerant.Parse(text)
		for line := range strings.Count(text, "\n") + 2 {
			for character := range 12 {
				tree.Cursor(playground.Position{Line: line, Character: character})
			}
		}
		for _, document := range tree.Documents {
			document.Plain()
		}
	})
}

// BenchmarkParse parses a large source in one line, and one in a large number
// of lines.
func BenchmarkParse(b *testing.B) {
	entry := `{"name": "a", "list": [1, "two", {"three": null}]}`
	texts := map[string]string{
		"json": "[" + strings.Repeat(entry+",", 20_000) + entry + "]",
		"yaml": strings.Repeat("- name: a\n  list:\n  - 1\n  - two: |\n      three\n", 20_000),
	}
	for name, text := range texts {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				tolerant.Parse(text).Cursor(playground.Position{Line: 1, Character: 2})
			}
		})
	}
}
