package quickfix_test

import (
	"testing"

	"github.com/crdlab/crdlab/internal/engine/quickfix"
	"github.com/crdlab/crdlab/internal/errorindex"
)

// TestEveryErrorHasAPage requires a page of the error index for each code of an error. The test
// of package notes requires the notes' pages.
func TestEveryErrorHasAPage(t *testing.T) {
	codes := quickfix.Codes()
	for _, page := range errorindex.All() {
		if !codes[page.Code] && page.Group != errorindex.Notes {
			t.Errorf("no error has the code of the page %s", page.Code)
		}
		delete(codes, page.Code)
	}
	for code := range codes {
		t.Errorf("internal/errorindex has no page for the errors %q", code)
	}
}
