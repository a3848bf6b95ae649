package assist

import (
	"context"
	"sync/atomic"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/feature"
	"github.com/crdlab/crdlab/internal/playground"
)

// test responds to a test request: it compares the findings of all CRDs and objects with the
// expectations in their comments.
func (a *Assistant) test(ctx context.Context, request playground.TestRequest) (tested *playground.TestResult, missing bool, err error) {
	if a.engine.Features.Test == nil {
		return nil, true, nil
	}
	s, err := engine.SetDefaults(request.Scenario)
	if err != nil {
		return nil, false, err
	}
	var incomplete atomic.Bool
	tested, err = a.engine.Features.Test(ctx, a.evaluator(&incomplete), a.cannotFail, s)
	return tested, incomplete.Load(), err
}

func (a *Assistant) cannotFail(ctx context.Context, s playground.Scenario) (map[string]bool, error) {
	return a.engine.UnfailingRules(ctx, s)
}

// export responds to an export request: it writes all CRDs and objects as a test.
func (a *Assistant) export(ctx context.Context, request playground.ExportRequest) (file *playground.TestFile, missing bool, err error) {
	if a.engine.Features.Export == nil {
		return nil, true, nil
	}
	s, err := engine.SetDefaults(request.Scenario)
	if err != nil {
		return nil, false, err
	}
	b, err := a.divider.Divide(s)
	if err != nil {
		return nil, false, err
	}
	var scenarios []playground.Scenario
	for i := range b.Len() {
		scenarios = append(scenarios, b.At(i))
	}
	var incomplete atomic.Bool
	file, err = a.engine.Features.Export(ctx, a.evaluator(&incomplete), scenarios)
	return file, incomplete.Load(), err
}

// evaluator returns a function that evaluates scenarios, and sets incomplete if the engine
// lacks a feature for one of them.
func (a *Assistant) evaluator(incomplete *atomic.Bool) feature.Evaluate {
	return func(ctx context.Context, s playground.Scenario) (playground.Report, error) {
		report, err := a.engine.Evaluate(ctx, s)
		if len(report.Missing) > 0 {
			incomplete.Store(true)
		}
		return report, err
	}
}
