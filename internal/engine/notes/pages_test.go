package notes_test

import (
	"slices"
	"testing"

	"github.com/crdlab/crdlab/internal/engine/notes"
	"github.com/crdlab/crdlab/internal/errorindex"
)

// TestEveryNoteHasAPage requires a page of the error index for each kind of note, and no other
// page in the group of notes.
func TestEveryNoteHasAPage(t *testing.T) {
	var pages, own []string
	for _, page := range errorindex.All() {
		pages = append(pages, page.Code)
		if page.Group == errorindex.Notes {
			own = append(own, page.Code)
		}
	}
	for _, code := range notes.Codes() {
		if !slices.Contains(pages, code) {
			t.Errorf("internal/errorindex has no page for the note %q", code)
		}
	}
	for _, code := range own {
		if !slices.Contains(notes.Codes(), code) {
			t.Errorf("no note has the code of the page %s", code)
		}
	}
}
