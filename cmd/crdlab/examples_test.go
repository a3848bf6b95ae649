package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mitchellh/go-wordwrap"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/expect"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/releases"
)

// exampleTests is the directory with the gallery as tests.
const exampleTests = "../../examples"

// TestExampleTests compares the directory with the gallery, and runs its tests. With
// -update, it writes the directory.
func TestExampleTests(t *testing.T) {
	want := galleryTests(t)
	if *update {
		writeExampleTests(t, want)
	}
	got := readTree(t, exampleTests)
	for _, name := range slices.Sorted(keysOf(want, got)) {
		if got[name] != want[name] {
			t.Errorf("%s differs from the gallery (-update)", filepath.Join(exampleTests, name))
		}
	}
	var out, errors bytes.Buffer
	if status := run([]string{"test", exampleTests}, nil, &out, &errors); status != statusAccepted {
		t.Errorf("exit status %d\n%s%s", status, &errors, &out)
	}
}

func keysOf(trees ...map[string]string) func(func(string) bool) {
	all := map[string]bool{}
	for _, tree := range trees {
		for name := range tree {
			all[name] = true
		}
	}
	return func(yield func(string) bool) {
		for name := range all {
			if !yield(name) {
				return
			}
		}
	}
}

func writeExampleTests(t *testing.T, tree map[string]string) {
	t.Helper()
	if err := os.RemoveAll(exampleTests); err != nil {
		t.Fatal(err)
	}
	writeTree(t, exampleTests, tree)
}

func writeTree(t *testing.T, directory string, tree map[string]string) {
	t.Helper()
	for name, content := range tree {
		path := filepath.Join(directory, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// readTree returns the files below a directory by their paths.
func readTree(t *testing.T, directory string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := fs.WalkDir(os.DirFS(directory), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(directory, path))
		tree[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// galleryTests returns the gallery as tests, with a table of the files.
func galleryTests(t *testing.T) map[string]string {
	t.Helper()
	tree := map[string]string{}
	reports := map[string]playground.Report{} // by file
	engine := newEngine(releases.Open(t.TempDir()))
	var table, others strings.Builder
	group := ""
	for _, e := range examples.All() {
		if omitted := expect.Omitted(e.Scenario); len(omitted) > 0 {
			fmt.Fprintf(&others, "| %s | %s |\n", e.Title, omitted[0])
			continue
		}
		report, err := engine.Evaluate(t.Context(), e.Scenario)
		if err != nil {
			t.Fatal(err)
		}
		if e.Group != group {
			group = e.Group
			fmt.Fprintf(&table, "\n## %s\n\n| file | example |\n|---|---|\n", group)
		}
		name := slug(group) + "/" + e.ID + ".yaml"
		fmt.Fprintf(&table, "| [%s](%s) | %s |\n", e.ID, name, e.Title)
		tree[name], reports[name] = testOf(e, report), report
	}
	tree = withExpectations(t, tree)
	for name, report := range reports {
		if got, want := patternsIn(tree[name]), patternsOf(report); !slices.Equal(got, want) {
			t.Errorf("%s expects\n%s\nthe gallery has\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	tree["README.md"] = fmt.Sprintf(exampleREADME, table.String(), others.String())
	return tree
}

// exampleREADME has places for the tables of the files and of the other examples.
const exampleREADME = `# Examples as tests

These files are the examples of the page's gallery, as tests for the command line:

` + "```sh\ncrdlab test examples\n```" + `

[The command line](../docs/cli.md#test-rules) describes the comments. The tests of ` + "`cmd/crdlab`" + ` generate the files:
` + "`go test ./cmd/crdlab -run TestExampleTests -update`" + `.
%s
## Examples of the page alone

| example | reason |
|---|---|
%s`

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

func slug(title string) string { return notSlug.ReplaceAllString(strings.ToLower(title), "-") }

// testOf returns a test without the expected findings.
func testOf(e examples.Example, report playground.Report) string {
	note := "# " + strings.ReplaceAll(wordwrap.WrapString(e.Title+"\n\n"+e.Note, 98), "\n", "\n# ")
	return strings.ReplaceAll(note, "# \n", "#\n") + "\n" + expect.Draft(e.Scenario, report) + "\n"
}

// withExpectations adds the expected findings with the flag --update.
func withExpectations(t *testing.T, tree map[string]string) map[string]string {
	t.Helper()
	directory := t.TempDir()
	writeTree(t, directory, tree)
	var out, errors bytes.Buffer
	if status := run([]string{"test", "--update", directory}, nil, &out, &errors); status != statusAccepted {
		t.Fatalf("exit status %d\n%s%s", status, &errors, &out)
	}
	return readTree(t, directory)
}

var (
	wantLine     = regexp.MustCompile(`(?m) # want(?:@[+-]\d+)? (.*)$`)
	quotedString = regexp.MustCompile("`[^`]*`|\"(?:[^\"\\\\]|\\\\.)*\"")
)

// patternsIn returns the regular expressions in a test, sorted and each once.
func patternsIn(test string) []string {
	var all []string
	for _, match := range wantLine.FindAllStringSubmatch(test, -1) {
		for _, quoted := range quotedString.FindAllString(match[1], -1) {
			pattern, err := strconv.Unquote(quoted)
			if err != nil {
				panic(err) // The program has quoted it.
			}
			all = append(all, pattern)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// patternsOf returns the regular expressions for the errors of a report, sorted and each
// once.
func patternsOf(report playground.Report) []string {
	findings := slices.Clone(report.CRD.Findings)
	if report.CRD.Accepted {
		for _, o := range report.Objects {
			findings = append(findings, o.Findings...)
		}
	}
	var all []string
	for _, f := range findings {
		if f.Severity == playground.SeverityError && f.Code != playground.CodeRulesNotChecked {
			all = append(all, "^"+regexp.QuoteMeta(manifest.Plain(f).Text())+"$")
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
