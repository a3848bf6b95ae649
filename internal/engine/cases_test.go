package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

var update = flag.Bool("update", false, "rewrite the want.json of each case")

// caseTime is when the requests of all cases arrive.
const caseTime = "2026-01-02T03:04:05Z"

// caseFiles are all cases: testdata/<stage>/<name>.txtar.
func caseFiles(t testing.TB) []string {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases found: %v", err)
	}
	return files
}

func caseName(file string) string {
	return strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "testdata/"), ".txtar")
}

// readCase is the scenario of a case: its documents in crd.yaml, old-crd.yaml,
// object.yaml, old-object.yaml and conversion.yaml, its other fields in scenario.json.
func readCase(t testing.TB, file string) (*txtar.Archive, playground.Scenario) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := playground.Scenario{Now: caseTime}
	for _, f := range archive.Files {
		switch f.Name {
		case "crd.yaml":
			s.CRD = string(f.Data)
		case "old-crd.yaml":
			s.OldCRD = string(f.Data)
		case "object.yaml":
			s.Object = string(f.Data)
		case "old-object.yaml":
			s.OldObject = string(f.Data)
		case "conversion.yaml":
			s.Conversion = string(f.Data)
		case "scenario.json":
			if err := json.Unmarshal(f.Data, &s); err != nil {
				t.Fatalf("scenario.json: %v", err)
			}
		}
	}
	return archive, s
}

func TestCases(t *testing.T) {
	e := engine.New()
	for _, file := range caseFiles(t) {
		t.Run(caseName(file), func(t *testing.T) {
			archive, scenario := readCase(t, file)
			report, err := e.Evaluate(context.Background(), scenario)
			if err != nil {
				t.Fatal(err)
			}
			compareReport(t, file, archive, report)
		})
	}
}

func compareReport(t *testing.T, file string, archive *txtar.Archive, report playground.Report) {
	report.Timing = playground.Timing{}
	got := encodeReport(t, report)
	i := wantIndex(archive)
	if *update {
		archive.Files[i].Data = got
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(archive.Files[i].Data), string(got)); diff != "" {
		t.Errorf("report differs (-want +got); run with -update and read the diff:\n%s", diff)
	}
}

// wantIndex is the place of want.json in the archive, which it appends if it
// is not there.
func wantIndex(archive *txtar.Archive) int {
	for i, f := range archive.Files {
		if f.Name == "want.json" {
			return i
		}
	}
	archive.Files = append(archive.Files, txtar.File{Name: "want.json"})
	return len(archive.Files) - 1
}

func encodeReport(t *testing.T, report playground.Report) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(report); err != nil {
		t.Fatal(err)
	}
	return spreadRange.ReplaceAll(b.Bytes(), []byte(`{"start": {"line": $1, "character": $2}, "end": {"line": $3, "character": $4}}`))
}

// spreadRange is a range on ten lines, which the cases have on one.
var spreadRange = regexp.MustCompile(`\{\s*"start": \{\s*"line": (\d+),\s*"character": (\d+)\s*\},\s*"end": \{\s*"line": (\d+),\s*"character": (\d+)\s*\}\s*\}`)
