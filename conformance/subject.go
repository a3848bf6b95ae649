package main

import (
	"context"
	"errors"

	"github.com/crdlab/crdlab/internal/enginetest/verdict"
	"github.com/crdlab/crdlab/internal/playground"
)

// subject is what is compared with an API server: a build of crdlab, or
// another API server.
type subject struct {
	name string
	// judge is the verdict on a scenario, or errLimited.
	judge func(playground.Scenario) (verdict.Verdict, error)
}

// errLimited: a limit of the playground kept the subject from asking the API
// server's code, which knows no such limit.
var errLimited = errors.New("limited")

type evaluateFunc func(context.Context, playground.Scenario) (playground.Report, error)

// build is a build of crdlab as a subject.
func build(name string, evaluate evaluateFunc) subject {
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
