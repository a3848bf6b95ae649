package quickfix_test

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/quickfix"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// TestFixesResolveTheirFinding applies each fix of each finding in the cases.
func TestFixesResolveTheirFinding(t *testing.T) {
	for _, c := range readCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			findings := findingsOf(t, c.Scenario)
			for _, f := range findings {
				checkFixes(t, c.Scenario, findings, f)
			}
		})
	}
}

// TestEveryFixOccurs requires a case with a fix for each error of the table that
// has fixes.
func TestEveryFixOccurs(t *testing.T) {
	missing := quickfix.FixableErrors()
	for _, c := range readCases(t) {
		for _, f := range findingsOf(t, c.Scenario) {
			maps.DeleteFunc(missing, func(_ string, fits func(playground.Finding) bool) bool {
				return len(f.Fixes) > 0 && fits(f)
			})
		}
	}
	for name := range missing {
		t.Errorf("no case has a fix for %s", name)
	}
}

// remembered evaluates each scenario once for all tests.
var remembered = new(check.Memory).Remembering(engine.New().Evaluate)

func evaluate(t *testing.T, s playground.Scenario) playground.Report {
	t.Helper()
	report, err := remembered(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func findingsOf(t *testing.T, s playground.Scenario) []playground.Finding {
	t.Helper()
	report := evaluate(t, s)
	findings := slices.Clone(report.CRD.Findings)
	for _, object := range report.Objects {
		findings = append(findings, object.Findings...)
	}
	if report.Admission != nil {
		findings = append(findings, report.Admission.Findings...)
	}
	return findings
}

// checkFixes applies each fix of f, which must reduce the number of such findings and of the
// errors of their field.
func checkFixes(t *testing.T, s playground.Scenario, findings []playground.Finding, f playground.Finding) {
	t.Helper()
	for _, fix := range f.Fixes {
		fixed := applyFix(s, fix)
		after := findingsOf(t, fixed)
		if countSimilar(after, f) >= countSimilar(findings, f) && (fix.Effect != playground.FixKeeps || hasMessage(after, f.Message)) {
			t.Errorf("%q does not mend %s: %s\n%s\n---\n%s", fix.Title, f.Field, f.Message, fixed.CRD, fixed.Object)
		}
		// A fix that refuses the object as before replaces the error by another one.
		most := countErrors(findings, f.Field) - 1
		if fix.Effect == playground.FixKeeps {
			most++
		}
		if f.Severity == playground.SeverityError && f.Field != "" && countErrors(after, f.Field) > most {
			t.Errorf("%q leads to another error of %s: %s\n%s\n---\n%s", fix.Title, f.Field, f.Message, fixed.CRD, fixed.Object)
		}
	}
}

var index = regexp.MustCompile(`\[\d+\]`)

// countSimilar counts the findings with the stage, reason and field of f. It
// ignores indexes, which change if a fix removes an item. Without a field, the
// message counts.
func countSimilar(findings []playground.Finding, f playground.Finding) int {
	n := 0
	for _, other := range findings {
		if other.Stage == f.Stage && other.Reason == f.Reason && index.ReplaceAllString(other.Field, "") == index.ReplaceAllString(f.Field, "") &&
			(f.Field != "" || other.Message == f.Message) {
			n++
		}
	}
	return n
}

// countErrors counts the errors of a field, without indexes.
func countErrors(findings []playground.Finding, field string) int {
	n := 0
	for _, f := range findings {
		if f.Severity == playground.SeverityError && index.ReplaceAllString(f.Field, "") == index.ReplaceAllString(field, "") {
			n++
		}
	}
	return n
}

func hasMessage(findings []playground.Finding, message string) bool {
	return slices.ContainsFunc(findings, func(f playground.Finding) bool { return f.Message == message })
}

// applyFix returns the scenario after a fix.
func applyFix(s playground.Scenario, fix playground.Fix) playground.Scenario {
	edits := map[playground.Document][]edit.Edit{}
	for _, each := range fix.Edits {
		edits[each.Document] = append(edits[each.Document], edit.Edit{Range: each.Range, NewText: each.NewText})
	}
	s.CRD = edit.Apply(s.CRD, edits[playground.DocumentCRD]...)
	s.Object = edit.Apply(s.Object, edits[playground.DocumentObject]...)
	s.Admission = edit.Apply(s.Admission, edits[playground.DocumentAdmission]...)
	s.OldObject = edit.Apply(s.OldObject, edits[playground.DocumentOldObject]...)
	return s
}

// TestErrorPatterns requires that the search for substrings never changes the
// result of a pattern, for the errors of all cases.
func TestErrorPatterns(t *testing.T) {
	patterns, found := quickfix.ErrorPatterns(), 0
	for _, c := range readCases(t) {
		for _, f := range findingsOf(t, c.Scenario) {
			for _, find := range patterns {
				for _, text := range []string{f.Field, f.Message} {
					got, want := find(text)
					if got != want {
						t.Errorf("%s: found is %v, want %v: %s", c.Name, got, want, text)
					}
					if got {
						found++
					}
				}
			}
		}
	}
	if found == 0 {
		t.Error("no pattern is found in any error")
	}
}

func readCases(t testing.TB) []cases.Case {
	all, err := cases.Read("../testdata")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestStatusUpdateFromNothing makes a status update succeed with one fix, although the CRD
// has no status subresource and there is no existing object.
func TestStatusUpdateFromNothing(t *testing.T) {
	all := readCases(t)
	i := slices.IndexFunc(all, func(c cases.Case) bool { return c.Name == "update/update-status-disabled" })
	s := all[i].Scenario
	s.OldObject = ""
	isNote := func(f playground.Finding) bool { return f.Reason == playground.ReasonNote }
	findings := slices.DeleteFunc(findingsOf(t, s), isNote)
	if len(findings) != 1 || len(findings[0].Fixes) != 1 {
		t.Fatalf("findings: %+v", findings)
	}
	fix := findings[0].Fixes[0]
	if fix.Title != "Accept updates of the status alone: enable the subresource, and add the existing object" {
		t.Errorf("title: %s", fix.Title)
	}
	fixed := applyFix(s, fix)
	if remaining := slices.DeleteFunc(findingsOf(t, fixed), isNote); len(remaining) > 0 {
		t.Errorf("findings after the fix: %+v\n%s", remaining, fixed.CRD)
	}
	const existing = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec: {replicas: 2, image: x}\n"
	if fixed.OldObject != existing {
		t.Errorf("existing object: %s", fixed.OldObject)
	}
}
