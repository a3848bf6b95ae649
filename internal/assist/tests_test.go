package assist_test

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

// TestTests runs and exports the tests in testdata/tests. tested.yaml has the expected
// result, test.yaml the expected file with the omitted parts and the failures, and mutated.yaml the
// changes that no test notices.
func TestTests(t *testing.T) {
	files, err := filepath.Glob("testdata/tests/*.txtar")
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
			s := readTestCase(t, archive)
			for i, f := range archive.Files {
				var got string
				switch f.Name {
				case "tested.yaml":
					encoded, err := cases.EncodeValue(respond(t, e, playground.AssistRequest{Test: &playground.TestRequest{Scenario: s}}).Test)
					if err != nil {
						t.Fatal(err)
					}
					got = string(encoded)
				case "mutated.yaml":
					got = formatMissed(mutated(t, e, s))
				case "test.yaml":
					got = formatTestFile(respond(t, e, playground.AssistRequest{Export: &playground.ExportRequest{Scenario: s}}).Export)
				default:
					continue
				}
				if *update {
					archive.Files[i].Data = []byte(got)
				} else if got != string(f.Data) {
					t.Errorf("%s: got\n%s\nwant\n%s", f.Name, got, f.Data)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func readTestCase(t *testing.T, archive *txtar.Archive) (s playground.Scenario) {
	t.Helper()
	for _, f := range archive.Files {
		switch f.Name {
		case "scenario.json":
			if err := json.Unmarshal(f.Data, &s); err != nil {
				t.Fatal(err)
			}
		case "crd.yaml":
			s.CRD = string(f.Data)
		case "object.yaml":
			s.Object = string(f.Data)
		case "old-object.yaml":
			s.OldObject = string(f.Data)
		case "admission.yaml":
			s.Admission = string(f.Data)
		}
	}
	return s
}

// formatTestFile returns the file with a line for each omitted part and each failure.
func formatTestFile(file *playground.ExportResult) string {
	text := file.Text
	for _, omitted := range file.Omitted {
		text += "== omitted: " + omitted + "\n"
	}
	for _, failure := range file.Failures {
		text += "== fails: " + failure + "\n"
	}
	return text
}

// mutated collects the responses for all changes of the constraints in a scenario.
func mutated(t *testing.T, e *engine.Engine, s playground.Scenario) playground.MutateResult {
	t.Helper()
	var all playground.MutateResult
	for {
		part := respond(t, e, playground.AssistRequest{Mutate: &playground.MutateRequest{Scenario: s, From: all.Next}}).Mutate
		if part.Failing || part.Next <= all.Next && part.Next < part.Total {
			t.Fatalf("from %d: %+v", all.Next, part)
		}
		all.Next, all.Noticed, all.Open, all.Missed = part.Next, all.Noticed+part.Noticed, all.Open+part.Open, append(all.Missed, part.Missed...)
		if part.Next == part.Total {
			return all
		}
	}
}

// formatMissed writes the changes that no test notices, each with its test.
func formatMissed(r playground.MutateResult) string {
	var out strings.Builder
	fmt.Fprintf(&out, "noticed %d, open %d\n", r.Noticed, r.Open)
	for _, m := range r.Missed {
		fmt.Fprintf(&out, "%d:%d %s: %s\n", m.Range.Start.Line+1, m.Range.Start.Character+1, m.Change, m.Verdict)
		if m.Fix != nil {
			out.WriteString(m.Fix.Edits[0].NewText)
		}
	}
	return out.String()
}
