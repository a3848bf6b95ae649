package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestReport runs the targets of a Makefile. The archive has the lists, the files and the report,
// whose times and paths are replaced.
func TestReport(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("MAKELEVEL", "") // make's messages have the level if another make runs this test
			want := ""
			for _, file := range archive.Files {
				if file.Name == "report" {
					want = string(file.Data)
				} else if err := os.WriteFile(file.Name, file.Data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			steps, err := run("results", strings.Fields(string(archive.Comment)))
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			report(&out, steps)
			got := strings.ReplaceAll(out.String(), filepath.Dir(filepath.Dir(filepath.Dir(steps[0].log))), "DIR")
			got = regexp.MustCompile(`(?m) +\d+ ( +\d+ +\d+ +\d+)$`).ReplaceAllString(got, " - $1")
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
