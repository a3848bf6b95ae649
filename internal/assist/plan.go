package assist

import (
	"context"
	"sync"
	"time"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/upgrade"
)

// plans keeps the last plan, because each request continues it.
type plans struct {
	sync.Mutex
	scenario playground.Scenario
	last     *upgrade.Planner
}

// take removes the plan of a scenario, and returns nil if there is none.
func (p *plans) take(s playground.Scenario) (last *upgrade.Planner) {
	p.Lock()
	defer p.Unlock()
	if p.scenario == s {
		last, p.last = p.last, nil
	}
	return last
}

func (p *plans) keep(s playground.Scenario, last *upgrade.Planner) {
	p.Lock()
	defer p.Unlock()
	p.scenario, p.last = s, last
}

// plan responds to a plan request.
func (a *Assistant) plan(ctx context.Context, request playground.PlanRequest) (*playground.PlanResult, error) {
	s, err := engine.SetDefaults(request.Scenario)
	if err != nil {
		return nil, err
	}
	result := &playground.PlanResult{Steps: []playground.PlanStep{}, Summary: []string{}}
	planner := a.plans.take(s)
	if planner == nil {
		if planner = a.newPlanner(s); planner == nil {
			result.Done = true
			return result, nil
		}
	}
	for start := time.Now(); !result.Done && (len(planner.Planned().Steps) <= request.From || time.Since(start) < budget); {
		more, err := planner.Next(ctx)
		if err != nil {
			return nil, err
		}
		result.Done = !more
	}
	a.plans.keep(s, planner)
	planned := planner.Planned()
	for _, step := range planned.Steps[min(request.From, len(planned.Steps)):] {
		result.Steps = append(result.Steps, playground.PlanStep{Title: step.Title, Outcome: step.Outcome(), Facts: step.Facts(), Scenario: step.Scenario})
	}
	if result.Done {
		result.Summary = planned.Summary()
	}
	return result, nil
}

// newPlanner returns a planner from the previous CRD of a scenario to its CRD, or nil without one of them.
func (a *Assistant) newPlanner(s playground.Scenario) *upgrade.Planner {
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
	return upgrade.NewPlanner(check.Engine{Evaluate: a.engine.Evaluate}, revisions, objects, upgrade.PlanOptions{
		Conversion: s.Conversion, Kubernetes: s.Kubernetes, Assist: a.Respond,
	})
}
