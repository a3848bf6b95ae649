package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the expected pages")

// TestPage compares the page of a repository with a string of each kind.
func TestPage(t *testing.T) {
	const name = "testdata/page.txtar"
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	var want *txtar.File
	for i, file := range archive.Files {
		if file.Name == "want" {
			want = &archive.Files[i]
			continue
		}
		path := filepath.Join(root, filepath.FromSlash(file.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		// An archive cannot contain an archive.
		content := bytes.ReplaceAll(file.Data, []byte("== "), []byte("-- "))
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got bytes.Buffer
	if err := run(&got, root, filepath.Join(root, "typescript.json")); err != nil {
		t.Fatal(err)
	}
	if *update {
		want.Data = got.Bytes()
		if err := os.WriteFile(name, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got.String() != string(want.Data) {
		t.Errorf("the page is\n%s\nwant\n%s", got.String(), want.Data)
	}
}
