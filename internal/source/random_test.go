package source_test

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/source"
)

var rounds = flag.Int("rounds", 3000, "number of random texts")

var fragments = []string{
	"a", "b c", "x: ", "y:", "- ", "-", "? ", ": ", "\n", "\n  ", "\n    ", "\n\n", "\n ", " ", "  ", "\t",
	"'", "''", "\"", "\\n", "\\\n", "\\x41", "\\u00e9", "\\", "|", ">", "|2", ">-", "|+\n", ">\n  ", "|\n  ",
	"[", "]", "{", "}", ",", "#", " # c\n", "&a ", "*a", "!!str ", "!x ", "<<: ", "é", "😀", "\r\n", "\r",
	"\u0085", "\u2028", "...", "---", "---\n", "%", "@", "1", "null", "a: 'b", "a: \"b", "a: |\n  b\n",
	"a: 1\n", "b: 1\n", "'a': 1\n",
}

// TestRandomTexts checks the properties of the fuzz targets for random
// sequences of YAML fragments.
func TestRandomTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	parsed, text := 0, ""
	defer func() {
		if t.Failed() {
			t.Logf("text: %q", text)
		}
	}()
	for range *rounds {
		var b strings.Builder
		for range 1 + random.IntN(14) {
			b.WriteString(fragments[random.IntN(len(fragments))])
		}
		text = b.String()
		file, _ := source.Parse(text, source.Limits{})
		for _, d := range file.Documents {
			if d.Root().Node() == nil {
				continue
			}
			parsed++
			checkDocument(t, d)
			scalars(d.Root().Node(), func(n *yaml.Node) { checkScalar(t, d, n) })
		}
	}
	if parsed < *rounds/20 {
		t.Errorf("only %d of %d texts were parsed", parsed, *rounds)
	}
}
