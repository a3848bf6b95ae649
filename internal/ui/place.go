package ui

import (
	"fmt"
	"strconv"

	"github.com/a-h/templ"

	"github.com/crdlab/crdlab/internal/playground"
)

// placeAttributes are the data attributes by which the page finds a place in
// a document, as [playground.Range] counts it.
func placeAttributes(document playground.Document, r playground.Range) templ.Attributes {
	return templ.Attributes{
		"data-document":      string(document),
		"data-line":          strconv.Itoa(r.Start.Line),
		"data-character":     strconv.Itoa(r.Start.Character),
		"data-end-line":      strconv.Itoa(r.End.Line),
		"data-end-character": strconv.Itoa(r.End.Character),
	}
}

// placeText names a place as people count: "Object 8:13".
func placeText(document playground.Document, r playground.Range) string {
	return fmt.Sprintf("%s %d:%d", documentTitle(document), r.Start.Line+1, r.Start.Character+1)
}
