package format

import (
	"fmt"
	"io"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/expect"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// Test returns the report of tests. In the formats for people, it has the coverage of the
// rules only on request.
func Test(r *expect.Result, problems []check.Problem, cover bool) Report {
	report := Report{
		value: r, problems: problems,
		text: func(w io.Writer) { writeTests(w, r, cover) },
		markdown: func(w io.Writer) {
			fmt.Fprintf(w, "## crdlab: %d of %s failed\n", r.Failed(), counted(len(r.Files), "test file"))
			var text strings.Builder
			writeTests(&text, r, cover)
			writeFenced(w, text.String())
		},
	}
	report.notices = notices(r.Releases)
	suite := junitSuite{Name: "tests"}
	for _, file := range r.Files {
		for _, f := range file.Failures {
			report.annotations = append(report.annotations, annotation{
				Printed: manifest.Printed{Path: f.Path, Line: f.Line}, severity: playground.SeverityError, rule: "expectation", message: f.Message,
			})
		}
		for _, c := range file.Cases() {
			junit := caseOf(c.Object)
			if n := len(c.Failures); n > 0 {
				junit.Failure = &junitMessage{c.Failures[0].Message, failures(c.Failures, "")}
			} else if len(report.notices) > 0 {
				junit.Skipped = &junitMessage{Message: report.notices[0]}
			}
			suite.Cases = append(suite.Cases, junit)
		}
	}
	report.suites = []junitSuite{suite}
	if r.Mutations != nil {
		report.addMutations(*r.Mutations)
	}
	return report
}

// addMutations adds the changes of constraints that no test notices.
func (r *Report) addMutations(m expect.Mutations) {
	suite := junitSuite{Name: "mutations"}
	for _, missed := range m.Missed {
		message := describeMutation(missed)
		r.annotations = append(r.annotations, annotation{
			Printed: manifest.Printed{Path: missed.Path, Line: missed.Line, Column: missed.Column}, severity: playground.SeverityWarning, rule: "mutation", message: message,
		})
		suite.Cases = append(suite.Cases, junitCase{
			Name: fmt.Sprintf("%s:%d:%d %s", missed.Path, missed.Line, missed.Column, missed.Change), ClassName: missed.Path,
			Failure: &junitMessage{message, missed.Excerpt},
		})
	}
	if len(suite.Cases) > 0 {
		r.suites = append(r.suites, suite)
	}
}

// describeMutation says which change no test notices, and where it is.
func describeMutation(m expect.Mutation) string {
	return "no test notices " + m.Change + " " + m.Place()
}

func writeTests(out io.Writer, r *expect.Result, cover bool) {
	for _, file := range r.Files {
		if len(file.Failures) == 0 {
			status := "ok"
			if len(r.Approximate()) > 0 {
				status = "?" // no failure, but no verdict of the release either
			}
			fmt.Fprintf(out, "%-5s %s\n", status, file.Path)
		} else {
			fmt.Fprintf(out, "FAIL  %s\n%s\n", file.Path, failures(file.Failures, "      "))
		}
		for _, note := range file.Notes {
			fmt.Fprintf(out, "      %s:%d: note: %s\n", note.Path, note.Line, indented(note.Message, "            "))
		}
	}
	if cover {
		writeCoverage(out, r.Coverage)
	}
	if r.Mutations != nil {
		writeMutations(out, *r.Mutations)
	}
}

// writeMutations lists the changes that no test notices, each with an object that would.
func writeMutations(out io.Writer, m expect.Mutations) {
	for _, missed := range m.Missed {
		fmt.Fprintln(out, missed.Describe())
	}
	if len(m.Open) > 0 {
		fmt.Fprintln(out, "For these changes, no object was found that shows the difference:")
		for _, open := range m.Open {
			fmt.Fprintf(out, "      %s\n", open.Describe())
		}
	}
	fmt.Fprintf(out, "%s\n", strings.ToUpper(m.Summary()[:1])+m.Summary()[1:])
}

// failures returns a line for each failure.
func failures(all []expect.Failure, indent string) string {
	var lines []string
	for _, f := range all {
		lines = append(lines, fmt.Sprintf("%s%s:%d: %s", indent, f.Path, f.Line, indented(f.Message, indent+"      ")))
	}
	return strings.Join(lines, "\n")
}

func writeCoverage(out io.Writer, c expect.Coverage) {
	fmt.Fprintln(out, c.Summary())
	for _, r := range c.Rules {
		if !r.Covered() {
			fmt.Fprintf(out, "      %s:%d: %s %s: %s\n", r.Path, r.Line, r.Version, r.Missing(), r.Expression)
		}
	}
}
