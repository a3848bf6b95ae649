package engine_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestSchemaPlaces compares the schema nodes of the objects in testschema, with their
// lines in the CRD, with want.txt.
func TestSchemaPlaces(t *testing.T) {
	files, err := filepath.Glob("testschema/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	e := engine.New()
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			crd, object, want := archive.Files[0].Data, archive.Files[1].Data, &archive.Files[2]
			report, err := e.Evaluate(t.Context(), playground.Scenario{CRD: string(crd), Object: string(object), Now: cases.Now})
			if err != nil {
				t.Fatal(err)
			}
			got := formatPlaces(string(crd), report.Objects[0].Schema)
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(want.Data) {
				t.Errorf("got\n%s\nwant\n%s", got, want.Data)
			}
		})
	}
}

// formatPlaces returns each node with its first line and the number of its further
// lines.
func formatPlaces(crd string, places []playground.SchemaPlace) string {
	lines := strings.Split(crd, "\n")
	var b strings.Builder
	for _, at := range places {
		fmt.Fprintf(&b, "%s\n\t%s: %s, and %d more\n", at.Path, formatRange(at.Range), strings.TrimSpace(lines[at.Range.Start.Line]), at.Range.End.Line-at.Range.Start.Line)
	}
	return b.String()
}

func formatRange(r playground.Range) string {
	data, _ := json.Marshal([]int{r.Start.Line, r.Start.Character, r.End.Line, r.End.Character})
	return string(data)
}
