package engine_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/engine/whole"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestSchemaPlaces asks where the schema of each object in testschema stands:
// want.txt has the nodes, and the lines of the CRD that each is about.
func TestSchemaPlaces(t *testing.T) {
	files, err := filepath.Glob("testschema/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	e := whole.New()
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
			got := placesText(string(crd), report.Objects[0].Schema)
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

// placesText writes each node with the line that it begins in and how many lines
// of its own follow.
func placesText(crd string, places []playground.SchemaPlace) string {
	lines := strings.Split(crd, "\n")
	var b strings.Builder
	for _, at := range places {
		fmt.Fprintf(&b, "%s\n\t%s: %s, and %d more\n", at.Path, place(at.Range), strings.TrimSpace(lines[at.Range.Start.Line]), at.Range.End.Line-at.Range.Start.Line)
	}
	return b.String()
}

func place(r playground.Range) string {
	text, _ := json.Marshal([]int{r.Start.Line, r.Start.Character, r.End.Line, r.End.Character})
	return string(text)
}
