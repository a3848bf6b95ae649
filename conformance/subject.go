package main

import (
	"context"
	"errors"

	"github.com/crdlab/crdlab/internal/enginetest/verdict"
	"github.com/crdlab/crdlab/internal/playground"
)

// A subject is compared with an API server: a build of crdlab, or another API
// server.
type subject struct {
	name string
	// run returns the verdict on a scenario, or errLimited.
	run func(playground.Scenario) (verdict.Verdict, error)
}

// errLimited reports that a limit of the playground ended the evaluation. The API
// server has no such limit.
var errLimited = errors.New("limited")

type evaluateFunc func(context.Context, playground.Scenario) (playground.Report, error)

// newBuild returns a subject for a build of crdlab.
func newBuild(name string, evaluate evaluateFunc) subject {
	return subject{name, func(s playground.Scenario) (verdict.Verdict, error) {
		report, err := evaluate(context.Background(), s)
		if err != nil {
			return verdict.Verdict{}, err
		}
		if verdict.IsLimited(report) {
			return verdict.Verdict{}, errLimited
		}
		return verdict.Of(report), nil
	}}
}
