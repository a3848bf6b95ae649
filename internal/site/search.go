package site

import (
	"encoding/json"
	"fmt"

	"github.com/crdlab/crdlab/internal/errorindex"
	"github.com/crdlab/crdlab/internal/examples"
)

// searchPath is the path of the index that the script of the pages searches.
const searchPath = docsPath + "search.json"

// A searchEntry is a section of a document, an error, an example or the tour.
type searchEntry struct {
	Path    string `json:"path"`
	Title   string `json:"title"`
	Section string `json:"section,omitempty"`
	Text    string `json:"text"`
}

// searchIndex returns the sections of all documents, the errors and the examples as JSON.
func searchIndex(all []document) ([]byte, error) {
	var entries []searchEntry
	for _, d := range all {
		entries = append(entries, searchEntry{Path: d.path(), Title: d.title(), Text: d.description + " " + d.sections[0].text})
		for _, s := range d.sections[1:] {
			entries = append(entries, searchEntry{d.path() + "#" + s.id, d.title(), s.title, s.text})
		}
	}
	for _, explained := range errorindex.All() {
		entries = append(entries, searchEntry{Path: errorPath(explained), Title: explained.Message, Text: explained.Cause + " " + explained.Fix})
	}
	for _, e := range examples.All() {
		entries = append(entries, searchEntry{Path: lessonPath(e.ID), Title: e.Title, Text: e.Note})
	}
	for _, c := range changes {
		name := minorName(c.minor)
		entries = append(entries, searchEntry{releasesPath + "#" + name, releasesTitle, "Kubernetes " + name, c.text})
	}
	entries = append(entries, searchEntry{Path: tourPath, Title: tourTitle, Text: tourDescription})
	index, err := json.Marshal(entries)
	if err != nil {
		return nil, fmt.Errorf("encode the index of the search: %w", err)
	}
	return index, nil
}
