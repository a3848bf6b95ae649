package mutant_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/mutant"
	"github.com/crdlab/crdlab/internal/source"
)

var update = flag.Bool("update", false, "write the mutants into the cases")

// TestCases lists the mutants of the CRDs in testdata, each with the lines that it changes.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := list(t, string(archive.Files[0].Data))
		if *update {
			archive.Files[1].Data = []byte(got)
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if want := string(archive.Files[1].Data); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
		}
	}
}

func list(t *testing.T, text string) string {
	t.Helper()
	file, err := source.Parse(text, source.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, m := range mutant.All(file.Documents[0]) {
		fmt.Fprintf(&out, "%d:%d %s %s: %s\n", m.Range.Start.Line+1, m.Range.Start.Character+1, m.Version, m.Field, m.Change)
		before, after := strings.Split(text, "\n"), strings.Split(m.Text(), "\n")
		for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
			before, after = before[1:], after[1:]
		}
		for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
			before, after = before[:len(before)-1], after[:len(after)-1]
		}
		for _, line := range before {
			fmt.Fprintln(&out, "-", strings.TrimSpace(line))
		}
		for _, line := range after {
			fmt.Fprintln(&out, "+", strings.TrimSpace(line))
		}
	}
	return out.String()
}
