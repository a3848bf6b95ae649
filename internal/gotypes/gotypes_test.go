package gotypes_test

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

var update = flag.Bool("update", false, "rewrite the expected results")

// TestCases generates CRDs from the Go files in testdata, with and without the go command.
// Each case has these expected results: crds.yaml, problems.txt, and places.txt. Each line of
// the latter begins with a part of crds.yaml, and ends with its place in the Go files. The files
// in without-go/ have the results without the go command if they differ.
func TestCases(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
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
			module := writeModule(t, archive)
			g, err := gotypes.Load(t.Context(), module, []string{"./..."}, gotypes.Options{})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, name, archive, g, module, "")
			g, err = gotypes.LoadFiles(goFiles(t, archive), []string{"./..."}, gotypes.Options{})
			if err != nil {
				t.Fatal(err)
			}
			compare(t, name, archive, g, "", "without-go/")
		})
	}
}

// writeModule writes the Go files of a case into a module with the dependencies of this one.
func writeModule(t testing.TB, archive *txtar.Archive) (directory string) {
	t.Helper()
	directory = t.TempDir()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(directory, name), bytes.Replace(text, []byte("module github.com/crdlab/crdlab"), []byte("module example.com"), 1))
	}
	for _, file := range archive.Files {
		if strings.HasSuffix(file.Name, ".go") {
			write(t, filepath.Join(directory, file.Name), file.Data)
		}
	}
	return directory
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// goFiles returns the Go files of a case.
func goFiles(t testing.TB, archive *txtar.Archive) fs.FS {
	t.Helper()
	files := slices.DeleteFunc(slices.Clone(archive.Files), func(f txtar.File) bool { return !strings.HasSuffix(f.Name, ".go") })
	tree, err := txtar.FS(&txtar.Archive{Files: files})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// compare compares the results with those in a case, or replaces them with -update. It uses
// the files in a directory of the case if there are any. Paths in the module are relative to it.
func compare(t *testing.T, name string, archive *txtar.Archive, g *manifest.Package, module, directory string) {
	t.Helper()
	if !slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return directory != "" && strings.HasPrefix(f.Name, directory) }) {
		if *update && directory != "" {
			return // The results with the go command are right, or the case fails.
		}
		directory = ""
	}
	for i, file := range archive.Files {
		got := ""
		result, _ := strings.CutPrefix(file.Name, directory)
		if directory+result != file.Name {
			continue
		}
		switch result {
		case "crds.yaml":
			for _, crd := range g.CRDs {
				got += crd.Text
			}
		case "problems.txt":
			for _, p := range g.Findings {
				got += formatProblem(p)
			}
		case "places.txt":
			got = formatPlaces(t, string(file.Data), g.CRDs)
		default:
			continue
		}
		if module != "" {
			got = strings.ReplaceAll(got, module+string(filepath.Separator), "")
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
}

func formatProblem(p manifest.Finding) string {
	text := fmt.Sprintf("%s: %s: %s\n", formatPlace(p.Place), p.Severity, p.Message)
	if p.Hint != "" {
		text += "  hint: " + p.Hint + "\n"
	}
	return text
}

// formatPlace returns the position of a place and its content.
func formatPlace(p manifest.Place) string {
	if p.File == nil {
		return ":1:1 \"\""
	}
	index := yamltext.NewIndex(p.File.Text)
	return fmt.Sprintf("%s %q", p, p.File.Text[index.Offset(p.Range.Start):index.Offset(p.Range.End)])
}

// formatPlaces adds the places to lines that begin with a part of a CRD.
func formatPlaces(t *testing.T, lines string, crds []manifest.GeneratedFile) string {
	t.Helper()
	var all strings.Builder
	for line := range strings.Lines(lines) {
		part, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " -> ")
		found := "not found"
		for _, crd := range crds {
			if i := strings.Index(crd.Text, part); i >= 0 {
				found = formatPlace(crd.Origin(rangeOf(crd.Text, i, i+len(part))))
				break
			}
		}
		fmt.Fprintf(&all, "%s -> %s\n", part, found)
	}
	return all.String()
}

func rangeOf(text string, start, end int) playground.Range {
	return yamltext.NewIndex(text).Range(start, end)
}

// TestLarge generates the CRD of a type with 10,000 fields, in a file with a comment of 1 MB.
func TestLarge(t *testing.T) {
	const count = 10_000
	var types strings.Builder
	types.WriteString("// +groupName=batch.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n")
	types.WriteString("/* " + strings.Repeat("A long comment. ", 1<<16) + "*/\n")
	types.WriteString("type CronTab struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n")
	for i := range count {
		fmt.Fprintf(&types, "\t// +kubebuilder:validation:MaxLength=%d\n\tF%d string `json:\"f%d\"`\n", i, i, i)
	}
	types.WriteString("}\n")
	directory := writeModule(t, &txtar.Archive{Files: []txtar.File{{Name: "api/v1/types.go", Data: []byte(types.String())}}})
	g, err := gotypes.Load(t.Context(), directory, []string{"./..."}, gotypes.Options{})
	if err != nil || len(g.Findings) > 0 || len(g.CRDs) != 1 {
		t.Fatalf("%d CRDs, problems %v, error %v", len(g.CRDs), g.Findings, err)
	}
	for _, i := range []int{0, count / 2, count - 1} {
		keyword := fmt.Sprintf("maxLength: %d\n", i)
		start := strings.Index(g.CRDs[0].Text, keyword)
		place := g.CRDs[0].Origin(rangeOf(g.CRDs[0].Text, start, start+len(keyword)-1))
		if want := fmt.Sprintf("MaxLength=%d\"", i); !strings.HasSuffix(formatPlace(place), want) {
			t.Errorf("%s: got %s, want %s", keyword, formatPlace(place), want)
		}
	}
}

// TestEachKnownType compares the CRD of all known types with the one of the go command.
func TestEachKnownType(t *testing.T) {
	t.Parallel()
	archive := &txtar.Archive{Files: []txtar.File{{Name: "api/v1/types.go", Data: []byte(knownFields(t))}}}
	with, err := gotypes.Load(t.Context(), writeModule(t, archive), []string{"./..."}, gotypes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	without, err := gotypes.LoadFiles(goFiles(t, archive), []string{"./api/v1"}, gotypes.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := messages(without), messages(with); !slices.Equal(got, want) {
		t.Errorf("the problems differ:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(with.CRDs) != 1 || len(without.CRDs) != 1 {
		t.Fatalf("%d CRDs with the go command, %d without", len(with.CRDs), len(without.CRDs))
	}
	got, want := strings.Split(without.CRDs[0].Text, "\n"), strings.Split(with.CRDs[0].Text, "\n")
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("line %d: got %s, want %s", i+1, got[i], want[i])
		}
	}
	if len(got) != len(want) || len(got) < 50_000 {
		t.Errorf("got %d lines, want %d", len(got), len(want))
	}
}

// messages returns the messages of problems without their places.
func messages(g *manifest.Package) []string {
	var all []string
	for _, p := range g.Findings {
		all = append(all, p.Message)
	}
	slices.Sort(all)
	return all
}

// knownFields returns a package whose CRD has a field for each known struct of Kubernetes that is
// not in another known struct.
func knownFields(t *testing.T) string {
	t.Helper()
	archive, err := txtar.ParseFile("known/kubernetes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	declaration := regexp.MustCompile(`(?m)^type ([A-Z]\w*) struct`)
	inner := regexp.MustCompile(`(?m)^\t(?:[A-Z]\w* +)?[^ \n]*?(\w+) +` + "`json:")
	isInner := map[string]bool{}
	for _, file := range archive.Files {
		for _, match := range inner.FindAllSubmatch(file.Data, -1) {
			isInner[string(match[1])] = true
		}
	}
	imports, fields := map[string]bool{}, ""
	for i, file := range archive.Files {
		importPath := path.Dir(file.Name)
		name := strings.NewReplacer("/", "", ".", "", "-", "").Replace(importPath)
		for _, match := range declaration.FindAllSubmatch(file.Data, -1) {
			if !strings.HasPrefix(file.Name, "k8s.io/") || isInner[string(match[1])] {
				continue
			}
			imports[fmt.Sprintf("import %s %q\n", name, importPath)] = true
			// The YAML library sorts keys by the numbers in them, and has no stable order for "f3Container" and "f30Group".
			fields += fmt.Sprintf("\tF%03[1]d%[2]s %[3]s.%[2]s `json:\"f%03[1]d%[2]s\"`\n", i, match[1], name)
		}
	}
	return "// +groupName=batch.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n" + strings.Join(slices.Sorted(maps.Keys(imports)), "") +
		"\ntype CronTab struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n" + fields + "}\n"
}
