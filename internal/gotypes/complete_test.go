package gotypes_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// TestMarkers completes and describes the marker at the cursor in each source of
// testdata/complete.txtar. The file after a source has the items: those with a star are required.
func TestMarkers(t *testing.T) {
	const path = "testdata/complete.txtar"
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(archive.Files); i += 2 {
		text, want := archive.Files[i], &archive.Files[i+1]
		before, after, ok := strings.Cut(string(text.Data), "█")
		if !ok {
			t.Fatalf("%s has no cursor", text.Name)
		}
		cursor := playground.GoCursor{Text: before + after, Position: yamltext.NewIndex(before).Position(len(before))}
		got := formatMarkers(t, cursor)
		if *update {
			want.Data = []byte(got)
		} else if got != string(want.Data) {
			t.Errorf("%s: got\n%s\nwant\n%s", text.Name, got, want.Data)
		}
	}
	if *update {
		write(t, path, txtar.Format(archive))
	}
}

// formatMarkers formats the completion, and the description of the marker if there is one.
func formatMarkers(t *testing.T, c playground.GoCursor) string {
	t.Helper()
	completed, _, err := gotypes.Respond(t.Context(), playground.AssistRequest{CompleteGo: &c})
	if err != nil {
		t.Fatal(err)
	}
	described, _, err := gotypes.Respond(t.Context(), playground.AssistRequest{HoverGo: &c})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, item := range completed.CompleteGo.Items {
		star, summary := "", strings.SplitN(item.Description, "\n", 2)[0]
		if item.Required {
			star = "*"
		}
		fmt.Fprintf(&b, "%s%s (%s) inserts %q: %s\n", item.Label, star, item.Detail, item.Insert, summary)
	}
	replaced := completed.CompleteGo.Range
	fmt.Fprintf(&b, "%d items replace %d:%d-%d\n", len(completed.CompleteGo.Items), replaced.Start.Line, replaced.Start.Character, replaced.End.Character)
	if h := described.HoverGo; h.Title != "" {
		fmt.Fprintf(&b, "hover %d-%d %s %s\n%s\n", h.Range.Start.Character, h.Range.End.Character, h.Title, h.Type, h.Description)
		for _, fact := range h.Facts {
			fmt.Fprintf(&b, "- %s: %s\n", fact.Name, fact.Text)
		}
	}
	return b.String()
}
