package expect

import (
	"context"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/mutant"
	"github.com/crdlab/crdlab/internal/playground"
)

// tryPolicy returns a trial of a mutant of a policy, or nil if an API server does not accept the mutant.
func (w *worker) tryPolicy(ctx context.Context, t *trial) (*mutant.Trial, error) {
	if w.policy != t.document {
		w.policy, w.asRule = t.document, map[string]mutant.Try{}
	}
	text := strings.TrimRight(t.document.Text, "\n")
	// The documents after it keep their lines.
	changed := t.policy.Text() + strings.Repeat("\n", strings.Count(text, "\n"))
	s := w.scenario("")
	s.Admission = changed
	report, err := w.evaluate(ctx, s)
	if err != nil || report.Admission == nil || slices.ContainsFunc(report.Admission.Findings, isError) {
		return nil, err
	}
	evaluate := func(ctx context.Context, s playground.Scenario) (playground.Report, error) {
		s.Admission = strings.Replace(s.Admission, text, changed, 1)
		return w.evaluate(ctx, s)
	}
	return &mutant.Trial{
		Evaluate: evaluate,
		Tell:     func(ctx context.Context) (*mutant.Telling, error) { return w.tellPolicy(ctx, t, evaluate) },
	}, nil
}

func isError(f playground.Finding) bool { return f.Severity == playground.SeverityError }

// tellPolicy returns an object that tells a policy and its mutant apart, or nil: one that tells two CRDs apart whose rules
// are the conditions of the policies.
func (w *worker) tellPolicy(ctx context.Context, t *trial, changed playground.Evaluate) (*mutant.Telling, error) {
	for _, isUpdate := range []bool{false, true} {
		for _, crd := range t.tests.crds {
			telling, err := w.tellAsRule(ctx, t, crd, isUpdate)
			if err != nil {
				return nil, err
			}
			if telling == nil {
				continue
			}
			s := w.scenario(crd.Text)
			s.Object, s.OldObject, s.Admission = telling.Object, telling.Old, check.AdmissionOf(t.tests.with(nil))
			if telling.Old != "" {
				s.Operation = playground.OperationUpdate
			}
			if telling, err = w.judged(ctx, *telling, s, changed); err != nil || telling != nil {
				return telling, err
			}
		}
	}
	return nil, nil
}

// tellAsRule returns an object that tells a CRD with the condition of a policy as a rule from one with that of its mutant,
// or nil.
func (w *worker) tellAsRule(ctx context.Context, t *trial, crd *manifest.Document, isUpdate bool) (*mutant.Telling, error) {
	doc := parsed(crd)
	if doc == nil {
		return nil, nil
	}
	text, m, ok := t.policy.As(doc, isUpdate)
	if !ok {
		return nil, nil
	}
	try, isKnown := w.asRule[text]
	if !isKnown {
		var err error
		if try, err = w.compare(ctx, w.scenario(text)); err != nil {
			return nil, err
		}
		w.asRule[text] = try
	}
	if try == nil {
		return nil, nil
	}
	changed, err := try(ctx, m)
	if err != nil || changed == nil {
		return nil, err
	}
	return changed.Tell(ctx)
}

// judged returns what becomes of an object with a policy and with the changed policy, or nil if it is the same.
func (w *worker) judged(ctx context.Context, telling mutant.Telling, s playground.Scenario, changed playground.Evaluate) (*mutant.Telling, error) {
	before, err := w.evaluate(ctx, s)
	if err != nil {
		return nil, err
	}
	after, err := changed(ctx, s)
	if err != nil || len(before.Objects) != 1 || len(after.Objects) != 1 {
		return nil, err
	}
	now, then := before.Objects[0], after.Objects[0]
	telling.Accepted, telling.Message, telling.Other = now.Accepted, now.Status.Message, ""
	switch {
	case now.Accepted == then.Accepted && now.Status.Message == then.Status.Message:
		return nil, nil
	case now.Accepted:
		telling.Message = then.Status.Message
	case !then.Accepted:
		telling.Other = then.Status.Message
	}
	return &telling, nil
}
