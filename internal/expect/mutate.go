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

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/mutant"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// Mutations states which small changes of the CRDs the tests notice.
type Mutations struct {
	// Noticed is the number of changes that a test notices.
	Noticed int `json:"noticed"`
	// Missed lists the changes that no test notices, although an object tells the two CRDs apart.
	Missed []Mutation `json:"missed"`
	// Open lists the changes that no test notices, and for which no such object was found. They may change nothing.
	Open []Mutation `json:"open"`
}

// A Mutation is a change of a constraint that no test notices. Line and Column are counted from 1.
type Mutation struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Version string `json:"version"`
	// Field is the path of the values to which the constraint applies; empty for the whole object.
	Field string `json:"field"`
	// Change describes the change, such as "maximum: 10 → 11".
	Change string `json:"change"`
	// Object tells the two CRDs apart, as YAML; empty without one. Excerpt is its part at the constraint.
	Object  string `json:"object"`
	Excerpt string `json:"excerpt"`
	// Verdict says what becomes of the object under both CRDs.
	Verdict string `json:"verdict"`
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
		text += fmt.Sprintf("; for %d more, no object was found that tells the two CRDs apart", len(m.Open))
	}
	return text
}

// Mutate changes each constraint of the accepted CRDs of an input a little, and runs the tests of the CRD on the
// changed one. The tests of the unchanged input must pass. Only the first release judges. progress receives the number
// of changes done, and of all. The error is from an engine, or from ctx.
func Mutate(ctx context.Context, in *manifest.Input, o check.Options, progress func(done, total int)) (*Mutations, error) {
	o.Releases, o.Progress, o.Conditions = o.Releases[:1], nil, nil
	var trials []trial
	for _, d := range in.Documents {
		if d.IsCRD && !d.IsGenerated() {
			trials = append(trials, trialsOf(in, d)...)
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan *trial)
	var workers sync.WaitGroup
	var done atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(trials)) {
		workers.Go(func() {
			engine := o.NewEngine()
			own := o
			own.NewEngine = func() check.Engine { return check.Engine{Evaluate: engine.Evaluate} }
			for t := range queue {
				if err := t.run(ctx, engine, own); err != nil {
					cancel(err)
				}
				engine.ForgetCRDs()
				progress(int(done.Add(1)), len(trials))
			}
		})
	}
	for i := range trials {
		if ctx.Err() != nil {
			break
		}
		queue <- &trials[i]
	}
	close(queue)
	workers.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return sum(trials), nil
}

// sum counts the outcomes of trials.
func sum(trials []trial) *Mutations {
	m := &Mutations{Missed: []Mutation{}, Open: []Mutation{}}
	for _, t := range trials {
		switch t.outcome {
		case noticed:
			m.Noticed++
		case missed:
			m.Missed = append(m.Missed, t.Mutation)
		case open:
			m.Open = append(m.Open, t.Mutation)
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
	// refused means that the API server accepts no such CRD, so that the change cannot go unnoticed.
	refused outcome = iota
	noticed
	missed
	open
)

// A trial is a changed CRD with the documents that test it.
type trial struct {
	Mutation
	outcome outcome
	mutant  mutant.Mutant
	crd     *manifest.Document
	in      *manifest.Input
}

// trialsOf returns the trials of a CRD.
func trialsOf(in *manifest.Input, crd *manifest.Document) []trial {
	file, err := source.Parse(crd.Text, source.DefaultLimits)
	if err != nil || len(file.NonEmpty()) != 1 {
		return nil
	}
	var trials []trial
	for _, m := range mutant.All(file.NonEmpty()[0]) {
		at := crd.InFile(m.Range).Start
		trials = append(trials, trial{
			Mutation: Mutation{
				Path: crd.File.Path, Line: at.Line + 1, Column: at.Character + 1,
				Version: m.Version, Field: m.Field, Change: m.Change,
			},
			mutant: m, crd: crd, in: in,
		})
	}
	return trials
}

// run decides the outcome of a trial.
func (t *trial) run(ctx context.Context, engine check.Engine, o check.Options) error {
	scenario := playground.Scenario{CRD: t.mutant.Text(), Kubernetes: o.Releases[0], FieldValidation: o.FieldValidation}
	report, err := engine.Evaluate(ctx, scenario)
	if err != nil || !report.CRD.Accepted {
		return err
	}
	changed := *t.crd
	changed.Text = scenario.CRD
	in := manifest.NewInput()
	for _, d := range t.in.Documents {
		switch isOfOther := t.in.IsDescribed(d.Kind) && d.Kind != t.crd.Described; {
		case d == t.crd:
			in.Documents = append(in.Documents, &changed)
		case !isOfOther && !(d.IsCRD && d.Described != t.crd.Described):
			in.Documents = append(in.Documents, d)
		}
	}
	result, err := Run(ctx, in, o)
	if err != nil {
		return err
	}
	for _, file := range result.Files {
		for _, f := range file.Failures {
			if isOutside := f.Path != t.crd.File.Path || f.Line <= t.crd.Range.Start.Line || f.Line > t.crd.Range.End.Line; isOutside {
				t.outcome = noticed
				return nil
			}
		}
	}
	return t.distinguish(ctx, engine, scenario)
}

// distinguish looks for an object that tells the CRD and the changed one apart.
func (t *trial) distinguish(ctx context.Context, engine check.Engine, changed playground.Scenario) error {
	t.outcome = open
	for _, direction := range []struct{ old, new, rejected, altered string }{
		{t.crd.Text, changed.CRD, "is accepted now, and would be refused: ", "the changed CRD stores it differently: it "},
		{changed.CRD, t.crd.Text, "is refused now, and would be accepted: ", "the changed CRD stores it differently: now, the API server "},
	} {
		s := changed
		s.OldCRD, s.CRD = direction.old, direction.new
		report, err := engine.Evaluate(ctx, s)
		if err != nil {
			return err
		}
		for _, c := range report.CRD.Changes {
			if c.Witness == nil {
				continue
			}
			t.outcome, t.Object, t.Excerpt = missed, c.Witness.Object, c.Witness.Excerpt
			t.Verdict = direction.rejected + c.Witness.Message
			if c.Witness.Effect == playground.WitnessChanged {
				t.Verdict = direction.altered + c.Witness.Message
			}
			return nil
		}
	}
	return nil
}
