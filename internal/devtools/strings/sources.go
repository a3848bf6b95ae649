package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// skipped are the directories without strings for users. The packages of tests end in
// "test".
var skipped = []string{
	".ci", ".git", "bin", "conformance", "deploy", "dist", "docs", "internal/engine/testschema", "internal/devtools", "internal/enginetest",
	"internal/refserver", "internal/apiclient", "node_modules", "testdata", "tools", "web",
}

// examples is the directory of the gallery.
const examples = "internal/examples"

// readSources returns the strings of the Go and templ sources and of the examples below
// root.
func readSources(root string) ([]visible, error) {
	var all []visible
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains(skipped, name) || entry.Name() == "testdata" || strings.HasSuffix(name, "test") {
				return fs.SkipDir
			}
			return nil
		}
		read := readerOf(name)
		if read == nil {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found, err := read(content)
		for _, v := range found {
			v.Path = filepath.ToSlash(name)
			all = append(all, v)
		}
		return err
	})
	return all, err
}

// readerOf returns the function that finds the strings of a file, or nil.
func readerOf(name string) func(content []byte) ([]visible, error) {
	switch {
	case strings.HasSuffix(name, "_test.go"), strings.HasSuffix(name, "_templ.go"):
		return nil
	case strings.HasSuffix(name, ".go"):
		return readGo
	case strings.HasSuffix(name, ".templ"):
		return readTemplate
	case filepath.ToSlash(filepath.Dir(name)) == examples && strings.HasSuffix(name, ".txtar"):
		return readExample
	}
	return nil
}
