package assist

import (
	"context"
	"time"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/expect"
	"github.com/crdlab/crdlab/internal/playground"
)

// test responds to a test request: it compares the findings of all CRDs and objects with the
// expectations in their comments.
func (a *Assistant) test(ctx context.Context, request playground.TestRequest) (*playground.TestResult, error) {
	s, err := engine.SetDefaults(request.Scenario)
	if err != nil {
		return nil, err
	}
	return expect.Test(ctx, a.engine.Evaluate, a.engine.UnfailingRules, s)
}

// budget is the time after which a mutate or plan request begins nothing more. A keystroke waits for the end of the request.
const budget = 200 * time.Millisecond

// mutate responds to a mutate request.
func (a *Assistant) mutate(ctx context.Context, request playground.MutateRequest) (*playground.MutateResult, error) {
	s, err := engine.SetDefaults(request.Scenario)
	if err != nil {
		return nil, err
	}
	request.Scenario = s
	return expect.MutateScenario(ctx, a.engine.Evaluate, a.engine.Compare, request, budget)
}

// export responds to an export request: it writes all CRDs and objects as a test.
func (a *Assistant) export(ctx context.Context, request playground.ExportRequest) (*playground.ExportResult, error) {
	s, err := engine.SetDefaults(request.Scenario)
	if err != nil {
		return nil, err
	}
	b, err := a.divider.Divide(s)
	if err != nil {
		return nil, err
	}
	var scenarios []playground.Scenario
	for i := range b.Len() {
		scenarios = append(scenarios, b.At(i))
	}
	return expect.Export(ctx, a.engine.Evaluate, scenarios)
}

// completeComment completes an expectation or a request in a comment. It returns nil elsewhere.
func (a *Assistant) completeComment(ctx context.Context, at playground.Cursor) (*playground.Completion, error) {
	if at.Trial != nil {
		return nil, nil
	}
	s, err := engine.SetDefaults(at.Scenario)
	if err != nil {
		return nil, err
	}
	return expect.CompleteComment(ctx, a.engine.Evaluate, s, at.Document, at.Position)
}
