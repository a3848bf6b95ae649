package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mitchellh/go-wordwrap"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/minors"
	"github.com/crdlab/crdlab/internal/playground"
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
	engine := newJudge(minors.Open(t.TempDir()))
	var table, others strings.Builder
	group := ""
	for _, e := range examples.All() {
		if reason := inexpressible(e.Scenario); reason != "" {
			fmt.Fprintf(&others, "| %s | %s |\n", e.Title, reason)
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

// inexpressible returns the reason why a file cannot express a scenario, or "".
func inexpressible(s playground.Scenario) string {
	switch {
	case s.Admission != "":
		return "policies, webhooks and users"
	case s.Conversion != "":
		return "the conversion webhook"
	case s.OldCRD != "":
		return "the update of a CRD"
	}
	return ""
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

func slug(title string) string { return notSlug.ReplaceAllString(strings.ToLower(title), "-") }

// testOf returns a test without the expected findings. If the CRD is rejected, the API
// server knows no objects of its kind.
func testOf(e examples.Example, report playground.Report) string {
	s := e.Scenario
	validate := ""
	if s.FieldValidation != "" && s.FieldValidation != playground.FieldValidationStrict {
		validate = " --validate=" + strings.ToLower(s.FieldValidation)
	}
	note := "# " + strings.ReplaceAll(wordwrap.WrapString(e.Title+"\n\n"+e.Note, 98), "\n", "\n# ")
	var documents []string
	add := func(comment, text string) {
		for document := range strings.SplitSeq(text, "\n---\n") {
			if document = strings.Trim(document, "\n"); comment != "" {
				document = "# crdlab: " + comment + "\n" + document
			}
			documents = append(documents, document)
		}
	}
	if validate == "" {
		add("", s.CRD)
	} else {
		add("create"+validate, s.CRD)
	}
	if report.CRD.Accepted {
		if s.OldObject != "" {
			add(storedComment, s.OldObject)
		}
		if s.Object != "" {
			add(requestComment(s)+validateOf(s, validate), withStored(s.Object, report.Objects))
		}
	}
	text := strings.ReplaceAll(note, "# \n", "#\n") + "\n" + strings.Join(documents, "\n---\n")
	return text + "\n"
}

const storedComment = "stored"

// validateOf returns the flag --validate for an operation.
func validateOf(s playground.Scenario, validate string) string {
	if validate != "" && requestComment(s) == "" {
		return "create" + validate
	}
	return validate
}

// requestComment returns the operation of a scenario with its flags; "" creates an object.
func requestComment(s playground.Scenario) string {
	switch s.Operation {
	case playground.OperationUpdateStatus:
		return "status"
	case playground.OperationApply:
		comment := "apply"
		if s.FieldManager != "" {
			comment += " --field-manager=" + s.FieldManager
		}
		if s.Force {
			comment += " --force-conflicts"
		}
		return comment
	case playground.OperationScale:
		return fmt.Sprintf("scale --replicas=%d", s.Replicas)
	case playground.OperationDelete:
		return "delete"
	}
	if s.OldObject != "" && s.Operation != playground.OperationCreate {
		return "update"
	}
	return ""
}

// withStored adds the fields of an accepted object that the API server stores differently.
func withStored(object string, objects []playground.Object) string {
	if len(objects) != 1 || !objects[0].Accepted || objects[0].Deleted {
		return object
	}
	var given, stored map[string]any
	if yaml.Unmarshal([]byte(object), &given) != nil || json.Unmarshal(objects[0].Stored, &stored) != nil {
		return object
	}
	lines := strings.Split(object, "\n")
	for i, line := range lines {
		key, ok := strings.CutSuffix(line, ":")
		if !ok || strings.HasPrefix(key, " ") || key == "metadata" || reflect.DeepEqual(given[key], stored[key]) {
			continue
		}
		value, err := json.Marshal(stored[key])
		if _, found := stored[key]; !found || err != nil {
			value = []byte("absent")
		}
		lines[i] += " # stored: " + string(value)
	}
	return strings.Join(lines, "\n")
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
		if f.Severity == playground.SeverityError && f.Field != "<nil>" {
			all = append(all, "^"+regexp.QuoteMeta(check.Finding{Field: f.Field, Message: f.Message}.Text())+"$")
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
