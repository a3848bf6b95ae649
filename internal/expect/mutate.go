package expect

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/mutant"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// Mutations states which small changes of the CRDs and admission policies the tests notice.
type Mutations struct {
	// Noticed is the number of changes that a test notices.
	Noticed int `json:"noticed"`
	// Missed lists the changes that no test notices, although an object shows the difference.
	Missed []Mutation `json:"missed"`
	// Written lists the files with new tests, which notice changes that no other test noticed.
	Written []Updated `json:"-"`
	// Open lists the changes that no test notices, and for which no such object was found. They may change nothing.
	Open []Mutation `json:"open"`
	// Next is the number of changes up to the last one of a part, and Total that of all.
	Next  int `json:"-"`
	Total int `json:"-"`

	files []mutatedFile
}

// A Mutation is a change of a constraint that no test notices. Line and Column are counted from 1.
type Mutation struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	// Versions lists the versions that have the constraint, or the name of a policy.
	Versions []string `json:"versions"`
	// Field is the path of the values to which the constraint applies; empty for the whole object.
	Field string `json:"field"`
	// Change describes the change, such as "maximum: 10 → 11".
	Change string `json:"change"`
	// Object shows the difference, as YAML; empty without one. Excerpt is its part at the constraint.
	Object  string `json:"object"`
	Excerpt string `json:"excerpt"`
	// Old is the object before an update, as YAML; empty if Object is created.
	Old string `json:"old"`
	// Verdict says what becomes of the object before and after the change.
	Verdict string `json:"verdict"`
	// Test has the documents of a test that would notice the change, and TestPath is the file for it. They are empty
	// unless drafts were requested.
	Test     string `json:"-"`
	TestPath string `json:"-"`
	// At is the range of the constraint.
	At playground.Range `json:"-"`
}

// Describe describes the change in several lines, with its place, and with an object that would notice it.
func (m Mutation) Describe() string {
	text := fmt.Sprintf("%s:%d:%d: no test notices %s %s", m.Path, m.Line, m.Column, m.Change, m.Place())
	if m.Verdict == "" {
		return text
	}
	return text + strings.ReplaceAll("\n"+strings.TrimSpace(m.Excerpt)+"\n"+m.Verdict, "\n", "\n      ")
}

// Place says at which field a change is, or at which versions.
func (m Mutation) Place() string {
	if m.Field == "" {
		return "in " + strings.Join(m.Versions, ", ")
	}
	return "at " + m.Field
}

// Percent returns the share of the noticed changes of those that an object tells apart; 100 if there are none.
func (m Mutations) Percent() float64 {
	if m.Noticed+len(m.Missed) == 0 {
		return 100
	}
	return 100 * float64(m.Noticed) / float64(m.Noticed+len(m.Missed))
}

// Summary describes the result in a sentence.
func (m Mutations) Summary() string {
	text := fmt.Sprintf("the tests notice %d of %d changes of constraints (%.1f %%)", m.Noticed, m.Noticed+len(m.Missed), m.Percent())
	if len(m.Open) > 0 {
		text += fmt.Sprintf("; for %d more, no object was found that shows the difference", len(m.Open))
	}
	return text
}

// MutateOptions configures [Mutate].
type MutateOptions struct {
	// Compare returns the comparison of a worker.
	Compare func() mutant.Compare
	// Of is the CRD or policy to change; nil for all.
	Of *manifest.Document
	// Before has former CRDs: the constraints that they have, too, remain as they are. It may be nil.
	Before *manifest.Input
	// Write adds tests of the changes that no other test notices to the result.
	Write bool
	// Drafts drafts a test of each change that no test notices.
	Drafts bool
	// From is the number of changes to skip. A Budget is the time after which the run ends with a part of the changes;
	// without one, it does them all.
	From   int
	Budget time.Duration
	// Progress receives the number of changes done, and of all.
	Progress func(done, total int)
}

// Mutate changes each constraint of the accepted CRDs and admission policies of an input a little, and runs the tests on
// the changed one. A rule or pattern whose removal no test notices counts once. The tests of the unchanged input must pass.
// Only the first release judges, as the libraries emulate it. The error is from an engine, or from ctx.
func Mutate(ctx context.Context, in *manifest.Input, o check.Options, m MutateOptions) (*Mutations, error) {
	o.Releases, o.Progress, o.Conditions, o.After = o.Releases[:1], nil, nil, nil
	trials, groups := divide(in, m)
	total := len(trials)
	if m.Budget > 0 {
		trials = trials[min(max(m.From, 0), total):]
		groups = [][]*trial{trials}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var workers sync.WaitGroup
	var done atomic.Int64
	start := time.Now()
	isOver := func() bool { return m.Budget > 0 && time.Since(start) > m.Budget }
	queue := make(chan []*trial, len(groups))
	for _, group := range groups {
		queue <- group
	}
	close(queue)
	for range min(runtime.GOMAXPROCS(0), len(groups)) {
		workers.Go(func() {
			w := worker{compare: m.Compare(), options: o, evaluate: o.NewEngine().Evaluate}
			// One engine compiles the CRD once for all tests that are written.
			w.options.NewEngine = func() check.Engine { return check.Engine{Evaluate: w.evaluate} }
			for group := range queue {
				if err := w.runAll(ctx, group, isOver, func() { m.Progress(int(done.Add(1)), len(trials)) }); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	result := sum(trials)
	result.Next, result.Total = total-len(trials)+int(done.Load()), total
	return result, nil
}

// divide returns the trials of an input, and the groups that a worker runs in their order.
func divide(in *manifest.Input, m MutateOptions) (trials []*trial, groups [][]*trial) {
	for _, d := range in.Documents {
		if d.IsGenerated() || !d.IsCRD && !check.IsPolicy(d) || m.Of != nil && m.Of != d {
			continue
		}
		tests := newTests(in, d)
		own := trialsOf(d, tests, m.Before)
		trials = append(trials, own...)
		if m.Write || m.Drafts {
			// Each test that is written may notice the later mutants of the CRD.
			groups = append(groups, own)
			s := newSuite(in, d, tests)
			s.drafts = m.Drafts
			for _, t := range own {
				t.suite = s
			}
			continue
		}
		for len(own) > 0 {
			// Neighbours have the same schema nodes, for which a comparison remembers objects.
			end := min(len(own), 16)
			for end < len(own) && own[end].mutant.Finer {
				end++
			}
			groups, own = append(groups, own[:end]), own[end:]
		}
	}
	return trials, groups
}

// sum counts the outcomes of trials.
func sum(trials []*trial) *Mutations {
	m := &Mutations{Missed: []Mutation{}, Open: []Mutation{}}
	for _, t := range trials {
		m.note(t)
		switch t.outcome {
		case noticed:
			m.Noticed++
		case missed:
			m.Missed = append(m.Missed, t.Mutation)
		case open:
			m.Open = append(m.Open, t.Mutation)
		}
	}
	for _, t := range trials {
		if s := t.suite; s != nil && len(s.texts) > s.known && !slices.Contains(m.Written, Updated{s.path, s.text()}) {
			m.Written = append(m.Written, Updated{s.path, s.text()})
		}
	}
	for _, list := range [][]Mutation{m.Missed, m.Open} {
		slices.SortStableFunc(list, func(a, b Mutation) int {
			return cmp.Or(strings.Compare(a.Path, b.Path), a.Line-b.Line, a.Column-b.Column)
		})
	}
	return m
}

type outcome int

const (
	// uncounted means that the API server accepts no such CRD, or that a coarser change goes unnoticed.
	uncounted outcome = iota
	noticed
	missed
	open
)

// A trial is a mutant of a CRD or an admission policy with the documents that test it.
type trial struct {
	Mutation
	outcome outcome
	mutant  mutant.Mutant
	// policy is the mutant of a policy; nil for that of a CRD.
	policy *mutant.Policy
	// document is what the mutant changes.
	document *manifest.Document
	tests    *tests
	// suite receives a test if there is none; nil to write none.
	suite *suite
}

// parsed returns the only document in the text of a document, or nil.
func parsed(d *manifest.Document) *source.Document {
	file, err := source.Parse(d.Text, source.DefaultLimits)
	if err != nil || len(file.NonEmpty()) != 1 {
		return nil
	}
	return file.NonEmpty()[0]
}

// mutantsOf returns the trials of a CRD or policy without tests.
func mutantsOf(d *manifest.Document) []*trial {
	var all []*trial
	doc := parsed(d)
	switch {
	case doc == nil:
	case d.IsCRD:
		for _, m := range mutant.All(doc) {
			all = append(all, &trial{mutant: m})
		}
	default:
		for _, p := range mutant.Policies(doc) {
			p.Versions = []string{d.Name}
			all = append(all, &trial{mutant: p.Mutant, policy: &p})
		}
	}
	return all
}

// trialsOf returns the trials of a CRD or policy that are none of a former one.
func trialsOf(d *manifest.Document, tests *tests, before *manifest.Input) []*trial {
	type change struct{ field, constraint, change string }
	known := map[change]bool{}
	if before != nil {
		for _, former := range before.Documents {
			if former.Kind != d.Kind || former.Described != d.Described || former.Name != d.Name {
				continue
			}
			for _, t := range mutantsOf(former) {
				known[change{t.mutant.Field, t.mutant.Constraint, t.mutant.Change}] = true
			}
		}
	}
	var trials []*trial
	for _, t := range mutantsOf(d) {
		m := t.mutant
		if known[change{m.Field, m.Constraint, m.Change}] {
			continue
		}
		at := d.InFile(m.Range).Start
		t.Mutation = Mutation{
			Path: d.File.Path, Line: at.Line + 1, Column: at.Character + 1,
			Versions: m.Versions, Field: m.Field, Change: m.Change, At: d.InFile(m.Range),
		}
		t.document, t.tests = d, tests
		trials = append(trials, t)
	}
	return trials
}
