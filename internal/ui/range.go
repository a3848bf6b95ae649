package ui

import (
	"fmt"
	"strconv"

	"github.com/a-h/templ"

	"github.com/crdlab/crdlab/internal/playground"
)

// rangeAttributes returns the data attributes that link an element to a range
// of a document. The page's script selects that range when the element is
// clicked.
func rangeAttributes(document playground.Document, r playground.Range) templ.Attributes {
	return templ.Attributes{
		"data-document":      string(document),
		"data-line":          strconv.Itoa(r.Start.Line),
		"data-character":     strconv.Itoa(r.Start.Character),
		"data-end-line":      strconv.Itoa(r.End.Line),
		"data-end-character": strconv.Itoa(r.End.Character),
	}
}

// rangeLabel names the start of a range with one-based numbers: "Object 8:13".
func rangeLabel(document playground.Document, r playground.Range) string {
	return fmt.Sprintf("%s %d:%d", documentTitle(document), r.Start.Line+1, r.Start.Character+1)
}
