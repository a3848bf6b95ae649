package errorindex_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/errorindex"
	"github.com/crdlab/crdlab/internal/playground"
)

var update = flag.Bool("update", false, "rewrite findings.json")

const findingsFile = "findings.json"

func TestAllFilesAreInTheIndex(t *testing.T) {
	names, err := filepath.Glob("*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, ".txtar")
	}
	var listed []string
	for _, page := range errorindex.All() {
		listed = append(listed, page.Code)
	}
	slices.Sort(names)
	slices.Sort(listed)
	if !slices.Equal(names, listed) {
		t.Errorf("files %v, listed %v", names, listed)
	}
}

func TestPagesHaveSentences(t *testing.T) {
	for _, page := range errorindex.All() {
		for _, text := range []string{page.Cause, page.Fix} {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s: want sentences: %s", page.Code, text)
			}
		}
	}
}

// TestExamplesHaveTheirError requires that the scenario of each page has the error that the
// page explains.
func TestExamplesHaveTheirError(t *testing.T) {
	evaluate := bundle.Evaluator(engine.New().Evaluate)
	findings := map[string]errorindex.Finding{}
	for _, page := range errorindex.All() {
		report, err := evaluate(t.Context(), page.Scenario)
		if err != nil {
			t.Fatalf("%s: %v", page.Code, err)
		}
		f, ok := findingOf(page, report)
		if !ok {
			t.Errorf("%s: the example has no error %s", page.Code, page.Message)
			continue
		}
		finding := errorindex.Finding{Document: f.Document, Field: f.Field, Message: f.Message, Range: f.Range}
		finding.Fix = fixOf(t, evaluate, page, f.Fixes)
		findings[page.Code] = finding
	}
	var want bytes.Buffer
	encoder := json.NewEncoder(&want)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(findings); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(findingsFile, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(findingsFile); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s differs from the engine's findings (-update): %v", findingsFile, err)
	}
}

// fixOf returns the first quick fix after which everything is accepted without the error; nil if the
// changes of the page lead there instead.
func fixOf(t *testing.T, evaluate playground.Evaluate, page errorindex.Page, fixes []playground.Fix) *playground.Fix {
	for _, fix := range fixes {
		page.Finding.Fix = &fix
		if problemOf(t, evaluate, page) == "" {
			if len(page.Changes) > 0 {
				t.Errorf("%s: has changes, but a quick fix removes the error: %s", page.Code, fix.Title)
			}
			return &fix
		}
	}
	page.Finding.Fix = nil
	if problem := problemOf(t, evaluate, page); problem != "" {
		t.Errorf("%s: not fixed: %s", page.Code, problem)
	}
	return nil
}

// problemOf returns what is wrong with the fixed scenario of a page; empty if everything is accepted
// without an error and without a finding of the page's kind.
func problemOf(t *testing.T, evaluate playground.Evaluate, page errorindex.Page) string {
	scenario, ok := page.Fixed()
	if !ok {
		return "neither a quick fix nor a change removes the error"
	}
	report, err := evaluate(t.Context(), scenario)
	if err != nil {
		t.Fatalf("%s: %v", page.Code, err)
	}
	for _, f := range findingsOf(report) {
		if f.Code == page.Code || f.Severity == playground.SeverityError {
			return f.Field + ": " + f.Message
		}
	}
	if !report.CRD.Accepted || slices.ContainsFunc(report.Objects, func(o playground.Object) bool { return !o.Accepted }) {
		return "not accepted"
	}
	return ""
}

func findingsOf(report playground.Report) []playground.Finding {
	all := slices.Concat(report.CRD.Findings, report.Conversion.Findings)
	for _, object := range report.Objects {
		all = append(all, object.Findings...)
	}
	if report.Admission != nil {
		all = append(all, report.Admission.Findings...)
	}
	return all
}

// findingOf returns the first finding with the code and the message of the page, which may begin
// with the field as in the output of kubectl.
func findingOf(page errorindex.Page, report playground.Report) (playground.Finding, bool) {
	all := findingsOf(report)
	message := messagePattern(page.Message)
	i := slices.IndexFunc(all, func(f playground.Finding) bool {
		return f.Code == page.Code && (message.MatchString(f.Message) || message.MatchString(f.Field+": "+f.Message))
	})
	if i < 0 {
		return playground.Finding{}, false
	}
	return all[i], true
}

var placeholder = regexp.MustCompile(`<[^<>]+>|…`)

// messagePattern returns the pattern of the messages, where a placeholder matches anything.
func messagePattern(message string) *regexp.Regexp {
	var pattern strings.Builder
	pattern.WriteString(`(?s)^`)
	at := 0
	for _, found := range placeholder.FindAllStringIndex(message, -1) {
		pattern.WriteString(regexp.QuoteMeta(message[at:found[0]]) + `.*`)
		at = found[1]
	}
	pattern.WriteString(regexp.QuoteMeta(message[at:]) + `$`)
	return regexp.MustCompile(pattern.String())
}
