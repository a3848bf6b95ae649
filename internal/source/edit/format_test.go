package edit_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
	"github.com/crdlab/crdlab/internal/source/sourcetest"
)

var update = flag.Bool("update", false, "rewrite the wanted results of the cases")

// TestFormat formats the files in testdata/format. The expected result of "in"
// is "out", or the error in "problem".
func TestFormat(t *testing.T) {
	files, err := filepath.Glob("testdata/format/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			in := archive.Files[0]
			got := txtar.File{Name: "out"}
			text, err := edit.Format(string(in.Data), source.Limits{})
			got.Data = []byte(text)
			if err != nil {
				got = txtar.File{Name: "problem", Data: []byte(err.Error() + "\n")}
			}
			result := txtar.Format(&txtar.Archive{Comment: archive.Comment, Files: []txtar.File{in, got}})
			if *update {
				if err := os.WriteFile(name, result, 0o644); err != nil {
					t.Fatal(err)
				}
			} else if want := txtar.Format(archive); string(result) != string(want) {
				t.Errorf("got\n%s\nwant\n%s", result, want)
			}
		})
	}
}

// FuzzFormat checks that formatting preserves the decoded value, and that it
// accepts its own output. A second pass may still move a comment, because of
// the encoder.
func FuzzFormat(f *testing.F) {
	sourcetest.Seeds(f, "../testdata")
	f.Fuzz(func(t *testing.T, text string) {
		once, err := edit.Format(text, source.Limits{})
		if err != nil {
			return
		}
		before, _ := source.Parse(text, source.Limits{})
		after, err := source.Parse(once, source.Limits{})
		if err != nil {
			t.Fatalf("%q is formatted as %q: %v", text, once, err)
		}
		for i, d := range before.Documents {
			if d.Empty() {
				continue
			}
			if i >= len(after.Documents) || !edit.SameValue(d.Text, after.Documents[i].Text) {
				t.Fatalf("%q is formatted as %q, of which document %d differs", text, once, i)
			}
		}
		if _, err := edit.Format(once, source.Limits{}); err != nil {
			t.Fatalf("%q is formatted as %q, which cannot be: %v", text, once, err)
		}
	})
}
