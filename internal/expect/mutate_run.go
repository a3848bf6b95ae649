package expect

import (
	"context"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/mutant"
	"github.com/crdlab/crdlab/internal/playground"
)

// A worker runs one trial after the other.
type worker struct {
	compare  mutant.Compare
	options  check.Options
	evaluate playground.Evaluate
	// crd is the CRD of try.
	crd *manifest.Document
	try mutant.Try
	// asRule compares the CRDs that have the conditions of policy as rules, by their text. A large CRD needs much memory.
	policy *manifest.Document
	asRule map[string]mutant.Try
}

// runAll runs neighbouring trials until isOver returns true, but at least the first one with its finer ones. It skips the
// finer trials of a change that no test notices.
func (w *worker) runAll(ctx context.Context, trials []*trial, isOver func() bool, done func()) error {
	isMissed := false
	for i, t := range trials {
		if i > 0 && !t.mutant.Finer && isOver() {
			break
		}
		if !t.mutant.Finer || !isMissed {
			if err := w.run(ctx, t); err != nil {
				return err
			}
		}
		if !t.mutant.Finer {
			isMissed = t.outcome == missed || t.outcome == open
		}
		done()
	}
	// Tests that were written later may notice a change for which none could be written.
	for _, t := range trials {
		if t.suite == nil || t.suite.drafts || t.outcome != missed {
			continue
		}
		if err := w.run(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// run decides the outcome of a trial.
func (w *worker) run(ctx context.Context, t *trial) error {
	change := w.tryCRD
	if t.policy != nil {
		change = w.tryPolicy
	}
	changed, err := change(ctx, t)
	if err != nil || changed == nil {
		return err
	}
	isNoticed, err := w.notices(ctx, t, t.tests.reaching(t.mutant), changed)
	if err != nil {
		return err
	}
	if isNoticed {
		t.outcome = noticed
		return nil
	}
	telling, err := changed.Tell(ctx)
	if err != nil || telling == nil {
		t.outcome = open
		return err
	}
	t.outcome, t.Object, t.Old, t.Excerpt = missed, telling.Object, telling.Old, telling.Excerpt
	t.Verdict = verdictOf(telling)
	if t.suite == nil {
		return nil
	}
	text, documents, err := w.draft(ctx, t, telling, changed)
	switch {
	case text == "":
	case t.suite.drafts:
		t.Test, t.TestPath = text, t.suite.path
	default:
		t.suite.texts = append(t.suite.texts, text)
		t.tests.add(documents...)
		t.outcome = noticed
	}
	return err
}

// tryCRD returns a trial of a mutant of a CRD, or nil if an API server does not accept the mutant.
func (w *worker) tryCRD(ctx context.Context, t *trial) (*mutant.Trial, error) {
	if w.crd != t.document {
		try, err := w.compare(ctx, w.scenario(t.document.Text))
		if err != nil {
			return nil, err
		}
		w.crd, w.try = t.document, try
	}
	if w.try == nil {
		return nil, nil
	}
	return w.try(ctx, t.mutant)
}

// scenario returns a scenario with a CRD.
func (w *worker) scenario(crd string) playground.Scenario {
	return playground.Scenario{CRD: crd, Kubernetes: w.options.Releases[0], FieldValidation: w.options.FieldValidation}
}

// verdictOf says what becomes of an object under a CRD and a changed one.
func verdictOf(t *mutant.Telling) string {
	request := ""
	switch {
	case t.Status:
		request = "as a new status, "
	case t.Old != "":
		request = "as an update, "
	}
	if t.Other != "" {
		return request + "is refused now with: " + t.Message + "\nand would be refused with: " + t.Other
	}
	switch isAltered := t.Effect == playground.WitnessChanged; {
	case t.Accepted && isAltered:
		return request + "the changed CRD stores it differently: it " + t.Message
	case t.Accepted:
		return request + "is accepted now, and would be refused: " + t.Message
	case isAltered:
		return request + "the changed CRD stores it differently: now, the API server " + t.Message
	}
	return request + "is refused now, and would be accepted: " + t.Message
}
