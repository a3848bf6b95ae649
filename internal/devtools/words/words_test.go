package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCountIncludesOverlappingMarkers(t *testing.T) {
	markers := newMarkerSet(markerList)
	got := markers.count("this is what the `what` of a Text says, a what.go and a text")
	// Quoted code, identifiers and paths are not prose.
	if want := (tally{words: 11, markers: 4}); got != want {
		t.Errorf("count = %+v, want %+v", got, want)
	}
}

func TestMarkersAreAtMostThreeWordsLong(t *testing.T) {
	for marker := range newMarkerSet(markerList) {
		if len(strings.Fields(marker)) > maxMarkerWords {
			t.Errorf("marker %q is never counted", marker)
		}
	}
}

func TestReadCommentsSkipsCodeDirectivesAndGeneratedFiles(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a.go"), "//go:build js\n\n// A is first.\nvar A = 1 // unseen\n/* second */\n")
	write(t, filepath.Join(root, "b.ts"), "/**\n * third\n */\n// eslint-disable-line\n")
	write(t, filepath.Join(root, "c_templ.go"), "// generated\n")
	write(t, filepath.Join(root, "testdata", "d.go"), "// fixture\n")
	comments, err := readComments(root)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, c := range comments {
		if text := strings.TrimSpace(strings.Trim(c.text, "*/ ")); text != "" {
			texts = append(texts, text)
		}
	}
	if got, want := strings.Join(texts, "|"), "A is first.|second|third"; got != want {
		t.Errorf("comments = %q, want %q", got, want)
	}
	if got := countStaticOpenings(comments); got != 1 {
		t.Errorf("countStaticOpenings = %d, want 1", got)
	}
}

func TestRunFailsAboveTheMaximum(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a.go"), "// one two three what\n")
	limit := filepath.Join(root, "maximum")
	for maximum, wantErr := range map[string]bool{"2500\n": false, "2499\n": true} {
		write(t, limit, maximum)
		if err := run(&strings.Builder{}, root, "", limit); (err != nil) != wantErr {
			t.Errorf("maximum %q: err = %v, want error: %t", maximum, err, wantErr)
		}
	}
}

func TestWhereListsPlaces(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "a.go"), "package a\n\n// B is what C expects.\n")
	var out strings.Builder
	if err := run(&out, root, "is what", ""); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "a.go:3: B is what C expects.\n"; got != want {
		t.Errorf("output = %q, want %q", got, want)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
