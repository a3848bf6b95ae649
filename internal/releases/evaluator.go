package releases

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/procpool"
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
	engine   Engine
	releases []string
	judge    procpool.Call
}

// NewEvaluator returns an evaluator. judge has the contract of [Programs.Judge] for the releases,
// which are in ascending order. A child process, which cannot start programs, calls its parent.
func NewEvaluator(engine Engine, releases []string, judge procpool.Call) *Evaluator {
	return &Evaluator{engine, releases, judge}
}

// NewEvaluator returns an evaluator with these programs.
func (p *Programs) NewEvaluator(engine Engine) *Evaluator {
	return NewEvaluator(engine, p.Releases(), p.Judge)
}

// Evaluate evaluates a scenario, with the errors of the engine. A release whose program
// exceeds its limits gives no verdict.
func (e *Evaluator) Evaluate(ctx context.Context, s playground.Scenario) (playground.Report, error) {
	if !s.Releases && !slices.Contains(e.releases, s.Kubernetes) {
		return e.engine.Evaluate(ctx, s)
	}
	s.VerdictOnly = false // differences also concern stored objects
	request, err := e.engine.JudgmentRequest(ctx, s)
	if err != nil {
		return playground.Report{}, err
	}
	j := judging{Evaluator: e, request: request, judgments: map[string]verdict.Judgment{}}
	requested := []string{s.Kubernetes}
	if s.Releases {
		requested = e.releases
	}
	if err := j.add(ctx, requested); err != nil {
		return playground.Report{}, err
	}
	report, err := e.engine.EvaluateJudged(ctx, s, j.judgments)
	if err != nil || s.Releases || len(report.Differences) == 0 {
		return report, err
	}
	// The releases in between show which one introduced each difference.
	if err := j.add(ctx, e.releases[slices.Index(e.releases, s.Kubernetes)+1:]); err != nil {
		return playground.Report{}, err
	}
	return e.engine.EvaluateJudged(ctx, s, j.judgments)
}

// judging collects the judgments on one scenario.
type judging struct {
	*Evaluator
	request   verdict.Request
	judgments map[string]verdict.Judgment
}

// add adds the judgments of the releases that have a program.
func (j *judging) add(ctx context.Context, releases []string) error {
	for _, release := range releases {
		if !slices.Contains(j.releases, release) {
			continue
		}
		judgment, err := j.ask(ctx, release)
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

// ask returns the judgment of a release.
func (j *judging) ask(ctx context.Context, release string) (judgment verdict.Judgment, err error) {
	body, err := json.Marshal(j.request)
	if err != nil {
		return judgment, fmt.Errorf("encode the request to the program of %s: %w", release, err)
	}
	reply, err := j.judge(ctx, release, body)
	if err != nil {
		return judgment, err
	}
	if judgment, err = verdict.DecodeJudgment(reply); err != nil {
		return judgment, fmt.Errorf("release %s: %w", release, err)
	}
	return judgment, nil
}
