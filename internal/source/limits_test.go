package source_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/source"
)

// TestLimits checks which limit each source exceeds, if any, and the position
// of the error.
func TestLimits(t *testing.T) {
	deep := func(n int, open, middle, closing string) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(closing, n)
	}
	block := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}
	for name, c := range map[string]struct{ text, limit, at string }{
		"flow 199":         {deep(199, "[", "", "]"), "", ""},
		"flow 200":         {deep(200, "[", "", "]"), "", ""},
		"flow 201":         {deep(201, "[", "", "]"), "depth", "0:200"},
		"json 200":         {deep(199, `{"a":`, "{}", "}"), "", ""},
		"json 201":         {deep(200, `{"a":`, "{}", "}"), "depth", "0:1000"},
		"json 10000":       {deep(10_000, `{"a":`, "1", "}"), "depth", "0:1000"},
		"broken json":      {deep(10_000, `{"a":`, "", ""), "depth", "0:1000"},
		"flow 10000":       {deep(10_000, "[", "", "]"), "depth", "0:200"},
		"flow quotes":      {deep(10_000, `["]", `, "1", "]"), "depth", "0:1200"},
		"flow comments":    {deep(10_000, "[ # ]\n", "1", "]"), "depth", "200:0"},
		"flow pairs":       {deep(150, "[a: ", "1", "]"), "depth", "0:400"},
		"dashes":           {deep(10_000, "- ", "1", ""), "depth", "0:400"},
		"question marks":   {deep(10_000, "? ", "1", ""), "depth", "0:400"},
		"mixed":            {deep(5_000, "- ? ", "1", ""), "depth", "0:400"},
		"block 200":        {block(200), "", ""},
		"block 201":        {block(201), "depth", "200:201"},
		"block 1000":       {block(1000), "depth", "200:201"},
		"control later":    {deep(10_000, "[", "\x01", "]"), "depth", "0:200"},
		"brackets in text": {"a: |\n" + strings.Repeat("  [[[{{{\n", 1000) + "b: [[[\n", "syntax", ""},
		"brackets quoted":  {"a: '" + deep(1000, "[", "", "") + "'\nb: x" + deep(1000, "[", "", "") + "\nc: x\n  [[[[" + deep(1000, "- ", "", ""), "", ""},
		"nodes":            {"[" + strings.Repeat("1,", 600_000) + "]", "nodes", "0:1000000"},
		"empty nodes":      {strings.Repeat("-\n", 600_000), "nodes", "500000:0"},
		"null keys":        {"{" + strings.Repeat("a,", 400_000) + "}", "nodes", "0:500000"},
		"json nodes":       {"{\"a\":[" + strings.Repeat("1,", 600_000) + "1]}", "nodes", "0:1000000"},
		"alias bomb":       {bomb(40), "", ""},
		"aliases":          {"a: &a 1\nb: [" + strings.Repeat("*a,", 1001) + "]", "aliases", "1:3006"},
		"documents":        {strings.Repeat("a: 1\n---\n", 101), "documents", "200:0"},
		"many separators":  {strings.Repeat("---\n", 10_000) + "a: 1", "", ""},
		"bytes":            {strings.Repeat("# 123\n", 1_000_000), "bytes", "699050:4"},
		"junk":             {strings.Repeat("\x00\xff\x7f\n", 1000), "syntax", "0:0"},
		"invalid UTF-8":    {"a: 1\nb: é\xe9\n", "syntax", "1:4"},
		"control":          {"a: 1\nb: \x1b\n", "syntax", "1:3"},
		"5 MB line":        {"a: " + strings.Repeat("x", 4_000_000), "", ""},
		"nested merges":    {merges(30), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := source.Parse(c.text, source.Limits{})
			limit, at := outcome(err)
			if c.at == "" {
				at = ""
			}
			if diff := cmp.Diff([]string{c.limit, c.at}, []string{limit, at}); diff != "" {
				t.Errorf("-want +got\n%s%v", diff, err)
			}
			for _, d := range file.Documents {
				finding.Locate(d, "a.b.c[3].d")
				d.DuplicateKeys()
				d.PathAt(d.Range.End)
			}
		})
	}
}

// outcome returns the kind and the position of an error of Parse.
func outcome(err error) (limit, at string) {
	var limitError *source.LimitError
	var syntaxError *source.SyntaxError
	switch {
	case errors.As(err, &limitError):
		p := limitError.Range.Start
		return limitError.Limit, fmt.Sprintf("%d:%d", p.Line, p.Character)
	case errors.As(err, &syntaxError):
		p := syntaxError.Range.Start
		return "syntax", fmt.Sprintf("%d:%d", p.Line, p.Character)
	}
	return "", ""
}

// bomb returns lists of ten aliases, each of the previous list.
func bomb(levels int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 x\n")
	for i := 1; i < levels; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10))
	}
	return b.String()
}

// merges returns mappings that merge the previous mapping twice.
func merges(levels int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 {x: 1}\n")
	for i := 1; i < levels; i++ {
		fmt.Fprintf(&b, "a%d: &a%d {<<: [*a%d, *a%d]}\n", i, i, i-1, i-1)
	}
	return b.String() + "a: {<<: *a" + fmt.Sprint(levels-1) + "}\n"
}

// TestLimitErrors checks the message of each limit.
func TestLimitErrors(t *testing.T) {
	bounds := source.Limits{MaxBytes: 30, MaxDocuments: 2, MaxDepth: 2, MaxNodes: 8, MaxAliases: 1}
	got := ""
	for _, text := range []string{
		"a: 0123456789012345678901234567890",
		"a: 1\n---\nb: 1\n---\nc: 1",
		"a: [[1]]",
		"a: 1\n---\nb: [1, 2, 3, 4]",
		"a: &a 1\nb: [*a, *a]",
		"a: [1, 2\n---\n[]",
	} {
		_, err := source.Parse(text, bounds)
		got += err.Error() + "\n"
	}
	want := `the input is longer than 30 bytes: 34
the input has more than 2 documents
mappings and sequences are nested more than 2 levels deep
the input has more than 8 YAML nodes
the input has more than 1 YAML aliases
line 1: did not find expected ',' or ']'
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
