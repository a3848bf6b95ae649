package minors

import (
	"context"
	"errors"
	"slices"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/verdict"
)

// An Engine is the engine of the newest release.
type Engine interface {
	Evaluate(context.Context, playground.Scenario) (playground.Report, error)
	// JudgmentRequest returns a request for judgments.
	JudgmentRequest(context.Context, playground.Scenario) (verdict.Request, error)
	// EvaluateJudged evaluates a scenario with the judgments of older releases, by
	// the name of the release.
	EvaluateJudged(context.Context, playground.Scenario, map[string]verdict.Judgment) (playground.Report, error)
}

// An Evaluator evaluates scenarios with the engine of the newest release and the
// programs of older releases. It runs a program only if the scenario has its release,
// or requests the verdicts of all releases.
type Evaluator struct {
	engine Engine
	judges *Judges
}

// NewEvaluator returns an evaluator.
func NewEvaluator(engine Engine, judges *Judges) *Evaluator {
	return &Evaluator{engine, judges}
}

// Evaluate evaluates a scenario, with the errors of the engine. A release whose program
// exceeds its limits gives no verdict.
func (e *Evaluator) Evaluate(ctx context.Context, s playground.Scenario) (playground.Report, error) {
	if !s.Releases && !e.judges.has(s.Kubernetes) {
		return e.engine.Evaluate(ctx, s)
	}
	s.VerdictOnly = false // differences also concern stored objects
	request, err := e.engine.JudgmentRequest(ctx, s)
	if err != nil {
		return playground.Report{}, err
	}
	j := judging{judges: e.judges, request: request, judgments: map[string]verdict.Judgment{}}
	requested := []string{s.Kubernetes}
	if s.Releases {
		requested = e.judges.releases
	}
	if err := j.judge(ctx, requested); err != nil {
		return playground.Report{}, err
	}
	report, err := e.engine.EvaluateJudged(ctx, s, j.judgments)
	if err != nil || s.Releases || len(report.Differences) == 0 {
		return report, err
	}
	// The releases in between show which one introduced each difference.
	if err := j.judge(ctx, e.judges.after(s.Kubernetes)); err != nil {
		return playground.Report{}, err
	}
	return e.engine.EvaluateJudged(ctx, s, j.judgments)
}

// judging collects the judgments on one scenario.
type judging struct {
	judges    *Judges
	request   verdict.Request
	judgments map[string]verdict.Judgment
}

// judge adds the judgments of the releases that have a program.
func (j *judging) judge(ctx context.Context, releases []string) error {
	releases = slices.DeleteFunc(slices.Clone(releases), func(release string) bool { return !j.judges.has(release) })
	for _, release := range releases {
		judgment, err := j.judges.ask(ctx, release, j.request)
		if stopped, ok := errors.AsType[*playground.StoppedError](err); ok {
			judgment, err = verdict.Judgment{Unjudged: stopped.Reason}, nil
		}
		if err != nil {
			return err
		}
		j.judgments[release] = judgment
	}
	return nil
}
