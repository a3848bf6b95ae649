package ui

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the expected outputs")

// caseFiles is a txtar case with input files and expected outputs.
type caseFiles struct {
	path    string
	archive *txtar.Archive
}

func forEachCase(t *testing.T, dir string, run func(*testing.T, caseFiles)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s: %v", dir, err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			run(t, caseFiles{path, archive})
		})
	}
}

func (c caseFiles) get(name string) []byte {
	for _, file := range c.archive.Files {
		if file.Name == name {
			return file.Data
		}
	}
	return nil
}

func (c caseFiles) decode(t *testing.T, name string, value any) {
	t.Helper()
	if err := json.Unmarshal(c.get(name), value); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// compare fails unless the case's file equals got. With -update it rewrites the
// file instead.
func (c caseFiles) compare(t *testing.T, name, got string) {
	t.Helper()
	if string(c.get(name)) == got {
		return
	}
	if !*update {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, c.get(name))
		return
	}
	c.set(name, got)
	if err := os.WriteFile(c.path, txtar.Format(c.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (c caseFiles) set(name, text string) {
	for i, file := range c.archive.Files {
		if file.Name == name {
			c.archive.Files[i].Data = []byte(text)
			return
		}
	}
	c.archive.Files = append(c.archive.Files, txtar.File{Name: name, Data: []byte(text)})
}
