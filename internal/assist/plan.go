package assist

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/upgrade"
)

// A planning is a plan that pauses before each evaluation.
type planning struct {
	scenario playground.Scenario
	planner  *upgrade.Planner
	trials   int
	// try evaluates once. It returns false at the end of the plan, and the error of the plan.
	try func(context.Context) (more bool, err error)
	// stop ends the plan.
	stop func()
}

// plans keeps the last planning, which the next request continues.
type plans struct {
	sync.Mutex
	last *planning
}

// replace keeps a planning, or none, in place of the last one, which it returns.
func (p *plans) replace(next *planning) (last *planning) {
	p.Lock()
	defer p.Unlock()
	last, p.last = p.last, next
	return last
}

// plan responds to a plan request.
func (a *Assistant) plan(ctx context.Context, request playground.PlanRequest) (*playground.PlanResult, error) {
	s, err := engine.SetDefaults(request.Scenario)
	if err != nil {
		return nil, err
	}
	p := a.plans.replace(nil)
	if p == nil || p.scenario != s || p.trials > request.Trials {
		if p != nil {
			p.stop()
		}
		if p = a.newPlanning(s); p == nil {
			return &playground.PlanResult{Steps: []playground.PlanStep{}, Done: true, Summary: []string{}}, nil
		}
	}
	more := true
	for start := time.Now(); more && (p.trials <= request.Trials || time.Since(start) < budget); p.trials++ {
		if more, err = p.try(ctx); err != nil {
			return nil, err
		}
	}
	if replaced := a.plans.replace(p); replaced != nil {
		replaced.stop()
	}
	planned := p.planner.Planned()
	result := &playground.PlanResult{Steps: []playground.PlanStep{}, Trials: p.trials, Done: !more, Summary: []string{}}
	for _, step := range planned.Steps[min(request.From, len(planned.Steps)):] {
		result.Steps = append(result.Steps, playground.PlanStep{Title: step.Title, Outcome: step.Outcome(), Facts: step.Facts(), Scenario: step.Scenario})
	}
	if result.Done {
		result.Summary = planned.Summary()
	}
	return result, nil
}

// newPlanning begins the plan from the previous CRD of a scenario to its CRD. It returns nil without one of them.
func (a *Assistant) newPlanning(s playground.Scenario) *planning {
	var revisions []*manifest.Document
	for _, file := range []struct{ path, text string }{{"previous.yaml", s.OldCRD}, {"crd.yaml", s.CRD}} {
		in := manifest.NewInput()
		in.Add(file.path, file.text)
		for _, d := range in.Documents {
			if d.IsCRD {
				revisions = append(revisions, d)
				break
			}
		}
	}
	if len(revisions) < 2 {
		return nil
	}
	objects := manifest.NewInput()
	objects.Add("existing.yaml", s.OldObject)
	p := &planning{scenario: s}
	var present context.Context
	var err error
	resume, stop := iter.Pull(func(pause func(struct{}) bool) {
		evaluate := func(_ context.Context, s playground.Scenario) (playground.Report, error) {
			if !pause(struct{}{}) {
				return playground.Report{}, context.Canceled
			}
			return a.engine.Evaluate(present, s)
		}
		p.planner = upgrade.NewPlanner(check.Engine{Evaluate: evaluate}, revisions, objects, upgrade.PlanOptions{
			Conversion: s.Conversion, Kubernetes: s.Kubernetes, Assist: a.Respond,
		})
		err = p.planner.Run(context.WithoutCancel(present))
	})
	p.stop = stop
	p.try = func(ctx context.Context) (bool, error) {
		present = ctx
		_, more := resume()
		return more, err
	}
	return p
}
