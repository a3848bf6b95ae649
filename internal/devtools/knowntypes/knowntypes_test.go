package main

import (
	"bytes"
	"os"
	"testing"
)

// TestCurrent compares the committed file with the packages at the versions of go.mod.
func TestCurrent(t *testing.T) {
	want, err := archive()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../gotypes/known.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("internal/gotypes/known.txtar is not current (make generate)")
	}
}
