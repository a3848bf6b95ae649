package source_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/source"
)

// TestSyntaxErrors reads pairs of an invalid source and the expected messages
// with their positions.
func TestSyntaxErrors(t *testing.T) {
	const name = "testdata/syntax/errors.txtar"
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(archive.Files); i += 2 {
		text, want := string(archive.Files[i].Data), &archive.Files[i+1].Data
		got := syntaxErrors(text)
		if *update {
			*want = []byte(got)
		}
		if diff := cmp.Diff(string(*want), got); diff != "" {
			t.Errorf("%s: -want +got\n%s", archive.Files[i].Name, diff)
		}
		if before := "# comment\n\n"; text[0] != '{' && syntaxLines(before+text, 2) != syntaxLines(text, 0) {
			t.Errorf("%s: other place when not at the start: %s", archive.Files[i].Name, syntaxErrors(before+text))
		}
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func syntaxErrors(text string) string {
	file, err := source.Parse(text, source.Limits{})
	if err == nil {
		return "none\n"
	}
	out := ""
	q := querier{text: text, file: file}
	for _, d := range file.Documents {
		if syntax, ok := errors.AsType[*source.SyntaxError](d.Err); ok {
			out += q.mark(syntax.Message, syntax.Range)
		}
	}
	return out
}

// syntaxLines returns the first error, with its line reduced by offset.
func syntaxLines(text string, offset int) string {
	_, err := source.Parse(text, source.Limits{})
	syntax, ok := errors.AsType[*source.SyntaxError](err)
	if !ok {
		return "none"
	}
	r := syntax.Range
	r.Start.Line -= offset
	r.End.Line -= offset
	q := querier{text: strings.Join(strings.SplitAfter(text, "\n")[offset:], "")}
	return q.mark("", r)
}
