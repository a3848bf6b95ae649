package mutant_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/mutant"
	"github.com/crdlab/crdlab/internal/source"
)

var update = flag.Bool("update", false, "write the mutants into the cases")

// TestCases lists the mutants of the CRDs in testdata, each with the lines that it changes.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := list(t, string(archive.Files[0].Data))
		if *update {
			archive.Files[1].Data = []byte(got)
			if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if want := string(archive.Files[1].Data); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", file, got, want)
		}
	}
}

func list(t *testing.T, text string) string {
	t.Helper()
	file, err := source.Parse(text, source.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	original := lines(t, text)
	for _, m := range mutant.All(file.Documents[0]) {
		fmt.Fprintf(&out, "%d:%d %s %s: %s\n", m.Range.Start.Line+1, m.Range.Start.Character+1, strings.Join(m.Versions, ","), m.Field, m.Change)
		changed := lines(t, m.Text())
		for _, line := range original {
			if !slices.Contains(changed, line) {
				fmt.Fprintln(&out, "-", line)
			}
		}
		for _, line := range changed {
			if !slices.Contains(original, line) {
				fmt.Fprintln(&out, "+", line)
			}
		}
		if bare := lines(t, m.Bare()); m.Effect == mutant.OnRules {
			fmt.Fprintln(&out, "bare", countRules(bare), "of", countRules(changed))
		} else if (m.Effect == mutant.OnTypes) != slices.Equal(bare, changed) && countRules(original) > 0 {
			t.Errorf("%s: Bare returns %v", m.Change, bare)
		}
	}
	return out.String()
}

// lines returns the scalars of a document with their paths.
func lines(t *testing.T, text string) []string {
	t.Helper()
	var content any
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		t.Fatal(err)
	}
	var all []string
	var visit func(path string, value any)
	visit = func(path string, value any) {
		switch value := value.(type) {
		case map[string]any:
			for name, child := range value {
				visit(path+"."+name, child)
			}
		case []any:
			for i, child := range value {
				visit(fmt.Sprintf("%s[%d]", path, i), child)
			}
			visit(path+".length", len(value))
		default:
			all = append(all, fmt.Sprintf("%s: %v", strings.TrimPrefix(path, ".spec."), value))
		}
	}
	visit("", content)
	slices.Sort(all)
	return all
}

func countRules(lines []string) int {
	n := 0
	for _, line := range lines {
		if strings.Contains(line, "x-kubernetes-validations[") && strings.Contains(line, ".rule:") {
			n++
		}
	}
	return n
}
