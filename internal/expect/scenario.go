package expect

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/mutant"
	"github.com/crdlab/crdlab/internal/playground"
)

// CannotFail returns the IDs of the rules in the CRD of a scenario that cannot fail.
type CannotFail = func(context.Context, playground.Scenario) (ids map[string]bool, err error)

// options returns the options for the release and the field validation of a scenario. Both
// must be set.
func options(evaluate playground.Evaluate, s playground.Scenario) check.Options {
	return check.Options{
		Releases: []string{s.Kubernetes}, FieldValidation: s.FieldValidation,
		NewEngine: func() check.Engine { return check.Engine{Evaluate: evaluate} },
	}
}

// Test compares the findings in the CRDs and objects of a scenario with the expectations in
// their comments. The release and the field validation of the scenario must be set.
func Test(ctx context.Context, evaluate playground.Evaluate, cannotFail CannotFail, s playground.Scenario) (*playground.TestResult, error) {
	in := inputOf(s)
	r, err := Run(ctx, in, options(evaluate, s))
	if err != nil {
		return nil, err
	}
	err = r.Coverage.AddUnfailing(func(crd *manifest.Document) (map[string]bool, error) {
		return cannotFail(ctx, playground.Scenario{CRD: crd.Text, Kubernetes: s.Kubernetes})
	})
	if err != nil {
		return nil, err
	}
	tested := &playground.TestResult{
		Documents: r.test.documents(), Rules: r.Coverage.tested(), Problems: []string{}, Approximate: len(r.Approximate()) > 0,
	}
	for _, p := range in.Problems {
		tested.Problems = append(tested.Problems, p.Error())
	}
	return tested, nil
}

// MutateScenario changes the constraints in the CRDs of a scenario one at a time. It skips the first r.From changes, and
// stops when the budget is spent. The release and the field validation of the scenario must be set.
func MutateScenario(ctx context.Context, evaluate playground.Evaluate, compare mutant.Compare, r playground.MutateRequest, budget time.Duration) (*playground.MutateResult, error) {
	in, o := inputOf(r.Scenario), options(evaluate, r.Scenario)
	tested, err := Run(ctx, in, o)
	if err != nil {
		return nil, err
	}
	result := &playground.MutateResult{Missed: []playground.MissedChange{}}
	if result.Failing = tested.Failed() > 0; result.Failing {
		return result, nil
	}
	m, err := Mutate(ctx, in, o, MutateOptions{
		Compare: func() mutant.Compare { return compare }, Drafts: true, From: r.From, Budget: budget, Progress: func(int, int) {},
	})
	if err != nil {
		return nil, err
	}
	result.Next, result.Total, result.Noticed, result.Open = m.Next, m.Total, m.Noticed, len(m.Open)
	for _, missed := range m.Missed {
		result.Missed = append(result.Missed, playground.MissedChange{
			Document: playground.Document(missed.Path), Range: missed.At, Change: missed.Change + " " + missed.Place(), Excerpt: strings.TrimSpace(missed.Excerpt), Verdict: missed.Verdict, Fix: added(r.Scenario.Object, missed.Test),
		})
	}
	return result, nil
}

// added returns a fix that adds a test to the objects; nil without a test.
func added(objects, test string) *playground.Fix {
	if test == "" {
		return nil
	}
	return &playground.Fix{Title: "Add a test", Edits: []playground.TextEdit{AddTest(objects, test)}}
}

// AddTest returns the edit that adds a test to the end of a file with objects.
func AddTest(objects, test string) playground.TextEdit {
	lines := strings.Split(objects, "\n")
	last := lines[len(lines)-1]
	end := playground.Position{Line: len(lines) - 1, Character: len(utf16.Encode([]rune(last)))}
	switch {
	case strings.TrimSpace(objects) == "":
	case strings.TrimSpace(last) == "":
		test = "---\n" + test
	default:
		test = "\n---\n" + test
	}
	return playground.TextEdit{Document: playground.DocumentObject, Range: playground.Range{Start: end, End: end}, NewText: test}
}

// inputOf returns the CRDs, the objects and the policies of a scenario as files.
func inputOf(s playground.Scenario) *manifest.Input {
	in := manifest.NewInput()
	in.Add(string(playground.DocumentCRD), s.CRD)
	in.Add(string(playground.DocumentObject), s.Object)
	policies := s.Admission
	_, webhooks := policiesIn(s.Admission)
	for _, webhook := range webhooks {
		policies = strings.Replace(policies, webhook, strings.Repeat("\n", strings.Count(webhook, "\n")), 1)
	}
	if strings.TrimSpace(policies) != "" {
		in.Add(string(playground.DocumentAdmission), policies)
	}
	return in
}

// documents returns the documents of the input, each with its expectations and with the
// other failures in its lines. It omits documents that nothing judges, such as the parameters of policies.
func (t *test) documents() []playground.TestedDocument {
	all := []playground.TestedDocument{}
	for i, d := range t.input.Documents {
		start := d.Range.Start.Line
		if i == 0 || t.input.Documents[i-1].File != d.File {
			start = 0
		}
		if tested := t.document(d, start, t.endOf(i)); t.judged[d] || len(tested.Unexpected) > 0 {
			all = append(all, tested)
		}
	}
	return all
}

// endOf returns the line at which the next document of the same file begins.
func (t *test) endOf(i int) int {
	d := t.input.Documents[i]
	if i+1 < len(t.input.Documents) && t.input.Documents[i+1].File == d.File {
		return t.input.Documents[i+1].Range.Start.Line
	}
	return math.MaxInt
}

// document returns a document that has the lines from start to end of its file.
func (t *test) document(d *manifest.Document, start, end int) playground.TestedDocument {
	tested := playground.TestedDocument{
		Document: playground.Document(d.File.Path), Range: lineOf(d.File, d.Line), Kind: d.Kind.Kind, Name: d.Name,
		Operation: t.requests[d].name(), Expectations: []playground.Expectation{}, Unexpected: []playground.Unexpected{},
	}
	isInside := func(line int) bool { return start <= line && line < end }
	stored := map[int]string{} // the problems by line
	for _, f := range t.byPath[d.File.Path].Failures {
		switch {
		case !isInside(f.Line - 1):
		case f.isUnmet:
			stored[f.Line-1] = f.Message
		default:
			tested.Unexpected = append(tested.Unexpected, playground.Unexpected{Range: lineOf(d.File, f.Line-1), Message: f.Message})
		}
	}
	add := func(line int, text, problem string) {
		if isInside(line) {
			tested.Expectations = append(tested.Expectations, playground.Expectation{Range: lineOf(d.File, line), Text: text, Problem: problem})
		}
	}
	for _, w := range t.expectations[d.File.Path].wants {
		add(w.written, w.text(), strings.Join(w.problems(t.releases), "\n"))
	}
	for _, s := range t.expectations[d.File.Path].stored {
		add(s.line, "stored: "+s.value, stored[s.line])
	}
	slices.SortStableFunc(tested.Expectations, func(a, b playground.Expectation) int { return a.Range.Start.Line - b.Range.Start.Line })
	return tested
}

// text formats the expectation as in its comment.
func (w *want) text() string {
	if w.line != w.written {
		return fmt.Sprintf("want@%+d %q", w.line-w.written, w.pattern)
	}
	return fmt.Sprintf("want %q", w.pattern)
}

// tested returns the rules for the page.
func (c Coverage) tested() []playground.TestedRule {
	all := []playground.TestedRule{}
	for _, r := range c.Rules {
		all = append(all, playground.TestedRule{
			Range: lineOf(r.crd.File, r.Line-1), Version: r.Version, Rule: r.Expression,
			Holds: r.Holds, Fails: r.Fails, CannotFail: r.CannotFail, Unevaluated: r.Unevaluated,
		})
	}
	return all
}

// lineOf returns the range of a line, counted from 0.
func lineOf(file *manifest.File, line int) playground.Range {
	length := len(utf16.Encode([]rune(file.Line(line))))
	return playground.Range{Start: playground.Position{Line: line}, End: playground.Position{Line: line, Character: length}}
}
