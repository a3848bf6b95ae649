package bundle_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
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
	if b.Len() > 1 {
		if err := b.Follow(t.Context(), acceptUnlessCluster); err != nil {
			t.Fatal(err)
		}
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

// acceptUnlessCluster accepts all CRDs but those with the scope Cluster.
func acceptUnlessCluster(_ context.Context, _ int, s playground.Scenario) (playground.Report, error) {
	return playground.Report{CRD: playground.CRD{Accepted: !strings.Contains(s.CRD, "scope: Cluster")}}, nil
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

func TestEvaluatorJudgesAllCRDs(t *testing.T) {
	evaluate := bundle.Evaluator(func(_ context.Context, s playground.Scenario) (playground.Report, error) {
		report := playground.Report{CRD: playground.EmptyCRD()}
		report.CRD.Name = strings.Join(strings.Fields(s.CRD+s.Object), " ")
		return report, nil
	})
	report, err := evaluate(t.Context(), playground.Scenario{CRD: twoCRDs, Object: twoObjects, CRDIndex: 7})
	if err != nil {
		t.Fatal(err)
	}
	const (
		a = "kind: CustomResourceDefinition metadata: {name: as.example.com} spec: {group: example.com, names: {kind: A}} --- --- apiVersion: example.com/v1 kind: A"
		b = "--- kind: CustomResourceDefinition metadata: {name: bs.example.com} spec: {group: example.com, names: {kind: B}} apiVersion: example.com/v1 kind: B ---"
	)
	other := playground.Report{CRD: playground.EmptyCRD()}
	other.CRD.Name = a
	want := []playground.Candidate{
		{Name: "as.example.com", Range: lines(0, 3), Objects: 1, Report: &other},
		{Name: "bs.example.com", Range: lines(4, 7), Objects: 1, Chosen: true},
	}
	if got := report.CRD.Candidates; report.CRD.Name != b || !reflect.DeepEqual(got, want) {
		t.Errorf("%s with the candidates %+v, want %+v", report.CRD.Name, got, want)
	}
	if _, err := evaluate(t.Context(), playground.Scenario{CRDIndex: -1}); err == nil {
		t.Error("a negative index is no error")
	}
}

// TestEvaluateInSteps evaluates the other CRDs one by one, and only the unknown ones.
func TestEvaluateInSteps(t *testing.T) {
	var evaluated []int
	var others bundle.Others
	step := func(crds string, limit int) (missing int, isComplete bool) {
		var divider bundle.Divider
		b, err := divider.Divide(playground.Scenario{CRD: crds})
		if err != nil {
			t.Fatal(err)
		}
		report, isComplete, err := b.Evaluate(t.Context(), func(_ context.Context, index int, _ playground.Scenario) (playground.Report, error) {
			evaluated = append(evaluated, index)
			return playground.Report{CRD: playground.EmptyCRD()}, nil
		}, &others, limit)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range report.CRD.Candidates {
			if !c.Chosen && c.Report == nil {
				missing++
			}
		}
		return missing, isComplete
	}
	three := twoCRDs + "---\n" + strings.NewReplacer("as.", "cs.", "bs.", "cs.", "kind: B", "kind: C").Replace(twoCRDs[strings.Index(twoCRDs, "---")+4:])
	for i, want := range []struct {
		limit, missing int
		isComplete     bool
	}{{0, 2, false}, {1, 1, false}, {1, 0, true}, {0, 0, true}} {
		if missing, isComplete := step(three, want.limit); missing != want.missing || isComplete != want.isComplete {
			t.Errorf("step %d: %d reports are missing, complete: %t; want %d, %t", i, missing, isComplete, want.missing, want.isComplete)
		}
	}
	if missing, isComplete := step(strings.Replace(three, "kind: A", "kind: Z", 1), 0); missing != 0 || !isComplete {
		t.Errorf("a change of the chosen CRD forgets %d others", missing)
	}
	if want := []int{0, 0, 1, 0, 2, 0, 0}; !slices.Equal(evaluated, want) {
		t.Errorf("evaluated %v, want %v", evaluated, want)
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
