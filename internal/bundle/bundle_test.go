package bundle_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/playground"
)

var update = flag.Bool("update", false, "write the wanted files of the cases")

// TestDivide compares the divided scenarios of each case with the files of the case:
// want/N/crd.yaml is the document crd.yaml of the CRD with index N. "·" marks an empty
// line.
func TestDivide(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases: ", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { testDivide(t, file) })
	}
}

func testDivide(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var s playground.Scenario
	inputs := archive.Files[:0:0]
	for _, f := range archive.Files {
		if strings.HasPrefix(f.Name, "want/") {
			continue
		}
		inputs = append(inputs, f)
		*documents(&s)[f.Name] = string(f.Data)
	}
	got := &txtar.Archive{Comment: archive.Comment, Files: inputs}
	var divider bundle.Divider
	b, err := divider.Divide(s)
	if err != nil {
		t.Fatal(err)
	}
	for i := range b.Len() {
		divided := b.At(i)
		for _, f := range inputs {
			got.Files = append(got.Files, txtar.File{
				Name: fmt.Sprintf("want/%d/%s", i, f.Name), Data: []byte(markEmptyLines(*documents(&divided)[f.Name])),
			})
		}
	}
	content := txtar.Format(got)
	if *update {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := txtar.Format(archive); string(content) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", content, want)
	}
}

func documents(s *playground.Scenario) map[string]*string {
	return map[string]*string{"crd.yaml": &s.CRD, "old-crd.yaml": &s.OldCRD, "object.yaml": &s.Object, "old-object.yaml": &s.OldObject}
}

func markEmptyLines(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if line == "\n" {
			lines[i] = "·\n"
		}
	}
	return strings.Join(lines, "")
}

const (
	twoCRDs = `kind: CustomResourceDefinition
metadata: {name: as.example.com}
spec: {group: example.com, names: {kind: A}}
---
kind: CustomResourceDefinition
metadata: {name: bs.example.com}
spec: {group: example.com, names: {kind: B}}
`
	twoObjects = "apiVersion: example.com/v1\nkind: B\n---\napiVersion: example.com/v1\nkind: A\n"
)

func TestEvaluatorListsTheCandidates(t *testing.T) {
	var evaluated playground.Scenario
	evaluate := bundle.Evaluator(func(_ context.Context, s playground.Scenario) (playground.Report, error) {
		evaluated = s
		return playground.Report{CRD: playground.EmptyCRD()}, nil
	})
	report, err := evaluate(t.Context(), playground.Scenario{CRD: twoCRDs, Object: twoObjects, CRDIndex: 7})
	if err != nil {
		t.Fatal(err)
	}
	if evaluated.CRDIndex != 0 || strings.Contains(evaluated.CRD, "kind: A") || !strings.Contains(evaluated.CRD, "kind: B") {
		t.Errorf("evaluated %+v", evaluated)
	}
	want := []playground.Candidate{
		{Name: "as.example.com", Range: lines(0, 3), Objects: 1},
		{Name: "bs.example.com", Range: lines(4, 7), Objects: 1, Chosen: true},
	}
	if got := report.CRD.Candidates; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("candidates %v, want %v", got, want)
	}
	if _, err := evaluate(t.Context(), playground.Scenario{CRDIndex: -1}); err == nil {
		t.Error("a negative index is no error")
	}
}

func TestChoose(t *testing.T) {
	for _, test := range []struct {
		document playground.Document
		line     int
		want     string
	}{
		{playground.DocumentCRD, 1, "as"},
		{playground.DocumentCRD, 5, "bs"},
		{playground.DocumentObject, 0, "bs"},
		{playground.DocumentObject, 4, "as"},
		{playground.DocumentConversion, 0, "as"},
	} {
		var divider bundle.Divider
		b, err := divider.Divide(playground.Scenario{CRD: twoCRDs, Object: twoObjects})
		if err != nil {
			t.Fatal(err)
		}
		b.Choose(test.document, playground.Position{Line: test.line})
		if got := b.Scenario().CRD; !strings.Contains(got, test.want+".example.com") {
			t.Errorf("%s line %d: %q", test.document, test.line, got)
		}
	}
}

func lines(start, end int) playground.Range {
	return playground.Range{Start: playground.Position{Line: start}, End: playground.Position{Line: end}}
}
