package gotypes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// TestPasted generates the CRDs of the sources in testdata/pasted. The lines of the file text begin
// with "| ", because source may be an archive. The expected results are crds.yaml, problems.txt,
// and origins.txt: each line has a part of crds.yaml without its blanks, and its source. The file
// translated has the fixes of the CRDs, with the edits of the source for them. The
// empty file conventions requests the notes on conventions.
func TestPasted(t *testing.T) {
	cases, err := filepath.Glob("testdata/pasted/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			source := playground.GenerateRequest{}
			for _, file := range archive.Files {
				switch file.Name {
				case "text":
					source.Text = strings.TrimPrefix(strings.ReplaceAll("\n"+string(file.Data), "\n| ", "\n"), "\n")
				case "options":
					source.Options = strings.TrimSpace(string(file.Data))
				case "conventions":
					source.Conventions = true
				case "fixed":
					source.Fixes = true
				case "translated":
					source.CRDFixes = fixesOf(t, source)
				}
			}
			answer, err := generated(t, source)
			if err != nil {
				t.Fatal(err)
			}
			results := map[string]string{"crds.yaml": answer.CRDs, "problems.txt": formatPasted(source.Text, answer), "origins.txt": formatOrigins(source.Text, answer), "fixed": fixed(source.Text, answer), "translated": translated(source.Text, answer)}
			for i, file := range archive.Files {
				got, ok := results[file.Name]
				if !ok {
					continue
				}
				if *update {
					archive.Files[i].Data = []byte(got)
				} else if got != string(file.Data) {
					t.Errorf("%s: got\n%s\nwant\n%s", file.Name, got, file.Data)
				}
			}
			if *update {
				write(t, name, txtar.Format(archive))
			}
		})
	}
}

// TestExamplesAreCurrent generates the CRDs of the examples with Go types.
func TestExamplesAreCurrent(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`sigs.k8s.io/controller-tools (\S+)`).FindStringSubmatch(string(mod))[1]
	count := 0
	for _, example := range examples.All() {
		s := example.Scenario
		if s.Go == "" {
			continue
		}
		count++
		answer, err := generated(t, playground.GenerateRequest{Text: s.Go})
		if err != nil {
			t.Fatal(err)
		}
		// Test binaries do not know the version.
		answer.CRDs = strings.Replace(answer.CRDs, "(devel)", version, 1)
		answer.Problems = slices.DeleteFunc(answer.Problems, func(p playground.GoProblem) bool { return p.Severity == playground.SeverityInfo })
		if got := answer.CRDs + formatPasted(s.Go, answer); got != s.CRD {
			t.Errorf("%s: got\n%s\nwant\n%s", example.ID, got, s.CRD)
		}
	}
	if count == 0 {
		t.Error("no example has Go types")
	}
}

func formatPasted(text string, answer *playground.GenerateResult) string {
	var all strings.Builder
	for _, p := range answer.Problems {
		all.WriteString(formatProblem(manifest.Finding{Place: manifest.Place{File: manifest.NewFile("text", text), Range: p.Range}, Severity: p.Severity, Message: p.Message, Hint: p.Hint}))
	}
	return all.String()
}

func formatOrigins(text string, answer *playground.GenerateResult) string {
	var all strings.Builder
	index := yamltext.NewIndex(answer.CRDs)
	last := 0
	for _, o := range answer.Origins {
		start, end := index.Offset(o.Range.Start), index.Offset(o.Range.End)
		if start < last || end <= start {
			fmt.Fprintf(&all, "the part at %d overlaps with the one before, or is empty\n", start)
		}
		last = end
		fmt.Fprintf(&all, "%s <- %s\n", strings.Join(strings.Fields(answer.CRDs[start:end]), " "), formatPlace(manifest.Place{File: manifest.NewFile("text", text), Range: o.Source}))
	}
	return all.String()
}

// TestHostileText pastes source that could need much time or memory.
func TestHostileText(t *testing.T) {
	kind := "// +groupName=a\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype A struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\tF %s `json:\"f\"`\n}\n"
	for name, text := range map[string]string{
		"long":         strings.Repeat("a", 1<<20+1),
		"deep":         fmt.Sprintf(kind, strings.Repeat("[]", 2_000)+"string"),
		"too deep":     fmt.Sprintf(kind, strings.Repeat("[]", 500_000)+"string"),
		"markers":      strings.Repeat("// +kubebuilder:validation:Enum=", 30_000) + fmt.Sprintf(kind, "string"),
		"long rule":    strings.Replace(fmt.Sprintf(kind, "string"), "\tF", "\t// +kubebuilder:validation:XValidation:rule=\""+strings.Repeat("self + ", 100_000)+"\"\n\tF", 1),
		"rules":        strings.Replace(fmt.Sprintf(kind, "string"), "\tF", strings.Repeat("\t// +kubebuilder:validation:XValidation:rule=\"self.a > self.b\"\n", 5_000)+"\tF", 1),
		"file is dir":  "// a.go\npackage a\n// a.go/b.go\npackage b\n",
		"no package":   "import \"a\"",
		"not a name":   fmt.Sprintf(kind, "string") + "// b/b.go\npackage b\nimport _ \"example.com/not-a-name\"\nimport . \"example.com/also.no\"\n",
		"empty module": "-- go.mod --\n-- a.go --\n" + fmt.Sprintf(kind, "string"),
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			answer, err := generated(t, playground.GenerateRequest{Text: text})
			t.Logf("%v: %d bytes of CRDs, %d origins", time.Since(start), len(answer.CRDs), len(answer.Origins))
			for _, p := range answer.Problems {
				t.Logf("%.200s", p.Message)
			}
			if err != nil || len(answer.CRDs) == 0 && len(answer.Problems) == 0 {
				t.Errorf("no CRD and no problem, error %v", err)
			}
		})
	}
}

// fixed returns the source with all fixes, which must not overlap, after their titles.
func fixed(text string, answer *playground.GenerateResult) string {
	titles, edits := "", []edit.Edit{}
	for _, p := range answer.Problems {
		for _, fix := range p.Fixes {
			titles += fmt.Sprintf("%d: %s\n", p.Range.Start.Line+1, fix.Title)
			edits = append(edits, edit.Edit{Range: fix.Edits[0].Range, NewText: fix.Edits[0].NewText})
		}
	}
	return titles + edit.Apply(text, edits...)
}

// fixesOf returns the fixes of the findings in the CRD of Go source.
func fixesOf(t *testing.T, source playground.GenerateRequest) (all []playground.Fix) {
	answer, err := generated(t, source)
	if err != nil {
		t.Fatal(err)
	}
	report, err := engine.New().Evaluate(t.Context(), playground.Scenario{CRD: answer.CRDs})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.CRD.Findings {
		all = append(all, f.Fixes...)
	}
	return all
}

// translated returns the titles of the CRD's fixes, and the edits of the source for each.
func translated(text string, answer *playground.GenerateResult) string {
	var all strings.Builder
	for _, fix := range answer.CRDFixes {
		all.WriteString(fix.Title + "\n")
		for _, e := range fix.Edits {
			fmt.Fprintf(&all, "  %s -> %q\n", formatPlace(manifest.Place{File: manifest.NewFile("text", text), Range: e.Range}), e.NewText)
		}
		if len(fix.Edits) == 0 {
			all.WriteString("  not translated\n")
		}
	}
	return all.String()
}

// generated returns the response to a request for CRDs.
func generated(t testing.TB, source playground.GenerateRequest) (*playground.GenerateResult, error) {
	response, _, err := gotypes.Respond(t.Context(), playground.AssistRequest{Generate: &source})
	return response.Generate, err
}
