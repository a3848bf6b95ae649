package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/source"
)

// TestFormat formats the texts in testdata/format: "in" gives "out", or the
// sentence in "problem".
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
			text, err := source.Format(string(in.Data), source.Limits{})
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
