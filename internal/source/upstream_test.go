package source_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/go-cmp/cmp"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/source"
)

// TestDocumentsAsKubectl compares the documents with the result of kubectl's
// reader.
func TestDocumentsAsKubectl(t *testing.T) {
	for _, text := range []string{
		"",
		"\n\n",
		"a: 1",
		"a: 1\n",
		"a: 1\n---\nb: 2\n",
		"---\na: 1\n---\nb: 2\n---\n",
		"---\n---\n\n---\na: 1\n",
		"--- # comment\na: 1\n---   \nb: 2",
		"a: |\n  ---\n  x\n---\nb: 1\n",
		"a: 1\r\n---\r\nb: 2\r\n",
		"# only\n---\n# comments\n",
		"a: 1\n...\n---\nb: 2\n",
		"a: 1\n ---\n",
	} {
		file, err := source.Parse(text, source.Limits{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		got := []string{}
		for _, d := range file.Documents {
			got = append(got, normal(d.Text))
		}
		if diff := cmp.Diff(kubectlDocuments(t, text), got); diff != "" {
			t.Errorf("%q: -kubectl +got\n%s", text, diff)
		}
	}
}

func kubectlDocuments(t *testing.T, text string) []string {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	documents := []string{}
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return documents
		}
		if err != nil {
			t.Fatal(err)
		}
		if s := normal(string(document)); s != "" {
			documents = append(documents, s)
		}
	}
}

// normal removes the differences between the two ways of splitting: the
// separator before a document and the blanks around it.
func normal(document string) string {
	lines := strings.Split(strings.ReplaceAll(document, "\r\n", "\n"), "\n")
	if strings.HasPrefix(lines[0], "---") {
		lines = lines[1:]
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// TestDuplicatesAsDecoder locates each error of the decoder about a duplicate
// key.
func TestDuplicatesAsDecoder(t *testing.T) {
	text := "a: 1\nb:\n  c: 1\n  d: 2\n  c:\n    x: 1\n    x: 2\nb: 3\nlist:\n- {y: 1, yes: 2}\n- k: 1\n  'k': 2\n1: 1\n1: 2\n"
	_, err := yaml.YAMLToJSONStrict([]byte(text))
	if err == nil {
		t.Fatal("no duplicates")
	}
	file, _ := source.Parse(text, source.Limits{})
	d := file.Documents[0]
	got := ""
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if r, ok := finding.LocateMessage(d, strings.TrimSpace(line)); ok {
			got += fmt.Sprintf("%s @%d %s\n", strings.TrimSpace(line), r.Start.Line+1, covered(text, r))
		}
	}
	want := `line 7: key "x" already set in map @7 x
line 6: key "c" already set in map @5 c
line 8: key "b" already set in map @8 b
line 10: key true already set in map @10 yes
line 12: key "k" already set in map @12 'k'
line 14: key 1 already set in map @14 1
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s\n%v", diff, err)
	}
}

// TestUniqueKeys compares HasUniqueKeys with the strict decoder, whose YAML 1.1 reads some different keys alike.
func TestUniqueKeys(t *testing.T) {
	many := ""
	for i := range 20 {
		many += fmt.Sprintf("a%d: 1\n", i)
	}
	for text, want := range map[string]bool{
		"a: 1\nb: {a: 1}\nc:\n- a: 1\n- a: 1\n": true,
		many:                                    true,
		many + "a5: 1\n":                        false,
		"a: 1\n'a': 1\n":                        false,
		"a: {b: [{c: 1, c: 1}]}\n":              false,
		"y: 1\nyes: 1\n":                        false,
		"1: 1\n0x1: 1\n":                        false,
		"~: 1\nnull: 1\n":                       false,
		"1.0: 1\n1.00: 1\n":                     false,
		"a: {<<: {b: 1, b: 1}}\n":               false,
	} {
		file, _ := source.Parse(text, source.Limits{})
		_, err := yaml.YAMLToJSONStrict([]byte(text))
		if got := file.Documents[0].HasUniqueKeys(); got != want || got != (err == nil) {
			t.Errorf("%q has unique keys: %t, want %t; decoder: %v", text, got, want, err)
		}
	}
}

// TestStrictAsJSONDecoder locates each error of the strict JSON decoder.
func TestStrictAsJSONDecoder(t *testing.T) {
	text := `{"a": {"b": 1, "zz": 1, "b": 2}, "l": [{}, {"q.r": {"b": 1, "y": 2}}], "nope": {"a": 1}, "a": {}}`
	type inner struct {
		B int `json:"b"`
	}
	var into struct {
		A inner              `json:"a"`
		L []map[string]inner `json:"l"`
	}
	complaints, err := kjson.UnmarshalStrict([]byte(text), &into)
	if err != nil {
		t.Fatal(err)
	}
	file, _ := source.Parse(text, source.Limits{})
	got := ""
	for _, complaint := range complaints {
		r, ok := finding.LocateMessage(file.Documents[0], complaint.Error())
		got += fmt.Sprintf("%v @%d %s %v\n", complaint, r.Start.Character, covered(text, r), ok)
	}
	want := `unknown field "a.zz" @15 "zz" true
duplicate field "a.b" @24 "b" true
unknown field "l[1].q.r.y" @60 "y" true
unknown field "nope" @71 "nope" true
duplicate field "a" @89 "a" true
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

var celPlace = regexp.MustCompile(`<input>:(\d+):(-?\d+): `)

// TestPlacesAsCEL locates the errors of the CEL compiler in every style of
// scalar.
func TestPlacesAsCEL(t *testing.T) {
	env, err := cel.NewEnv(cel.Variable("self", cel.MapType(cel.StringType, cel.IntType)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ expression, want string }{
		{"self.a > nope", "nope"},
		{"self['😀'] == 1 && 'é' == nope", "nope"},
		{"self.a == 'it'", "=="},
		{"nope(self.a)", "nope"},
		{"self.a.b.c", "b"},
		{"self.a +\n  self.b &&\n\n   nope.x", "+ nope"},
		{"self.a ==", "=="},
		{"self.a = 1", "= 1"},
		{"self.a == \"x\" + nope", "== nope"},
	} {
		for style, text := range inStyles(c.expression) {
			file, err := source.Parse(text, source.Limits{})
			if err != nil {
				t.Fatalf("%s: %v\n%s", style, err, text)
			}
			l, ok := file.Documents[0].At("a", "rule")
			if !ok {
				t.Fatal(style)
			}
			_, issues := env.Compile(l.Node().Value)
			m := celPlace.FindAllStringSubmatch(issues.String(), -1)
			marked := []string{}
			for _, place := range m {
				line, _ := strconv.Atoi(place[1])
				column, _ := strconv.Atoi(place[2])
				marked = append(marked, covered(text, l.RangeAt(line, column)))
			}
			if strings.Join(marked, " ") != c.want {
				t.Errorf("%s of %q: marks %q, want %q\n%s", style, c.expression, marked, c.want, issues)
			}
		}
	}
}

// inStyles writes an expression in each scalar style that can represent it.
func inStyles(expression string) map[string]string {
	indented := "      " + strings.ReplaceAll(expression, "\n", "\n      ")
	texts := map[string]string{
		"double":  "a:\n  rule: " + strconv.Quote(expression) + "\n",
		"json":    `{"a": {"x": "😀", "rule": ` + strconv.Quote(expression) + `}}`,
		"ascii":   "a:\n  rule: " + strconv.QuoteToASCII(expression) + "\n",
		"literal": "a:\n  rule: |\n" + indented + "\n",
		"folded":  "a:\n  rule: >-\n" + indented + "\n",
		"single":  "a:\n  rule: '" + strings.ReplaceAll(indented, "'", "''") + "'\n",
		"anchor":  "a:\n  rule: &r !!str\n   " + strconv.Quote(expression) + "\n",
	}
	if !strings.Contains(expression, ": ") {
		texts["plain"] = "a:\n  rule: " + strings.TrimSpace(indented) + "\n"
	}
	return texts
}
