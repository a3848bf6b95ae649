package expect

import (
	"slices"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// A Note is about an object that the API server accepts. Line is counted from 1.
type Note struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

// noteFinding adds crdlab's own note about an object.
func (t *test) noteFinding(d check.Document, f manifest.Finding) {
	if f.Reason == playground.ReasonNote && f.Severity == playground.SeverityInfo && d.CRD != "" {
		t.addNote(Note{f.Path(), f.Line(), f.Explained()})
	}
}

// noteRemaining notes an object that a delete leaves, because it has finalizers.
func (t *test) noteRemaining(d *manifest.Document, o playground.Object) {
	for _, stage := range o.Stages {
		if stage.Name != playground.StageFinalize || !o.Accepted || o.Deleted {
			continue
		}
		message := stage.Why + "\nhint: A controller removes its finalizer when its work is done. If the controller no longer runs, remove metadata.finalizers from the object."
		t.addNote(Note{d.File.Path, d.Line + 1, message})
	}
}

// addNote adds a note to its file, once for all releases.
func (t *test) addNote(note Note) {
	if file := t.byPath[note.Path]; file != nil && !slices.Contains(file.Notes, note) {
		file.Notes = append(file.Notes, note)
	}
}

// sortedNotes returns notes in the order of their lines, never nil.
func sortedNotes(notes []Note) []Note {
	sorted := append([]Note{}, notes...)
	slices.SortStableFunc(sorted, func(a, b Note) int { return a.Line - b.Line })
	return sorted
}
