package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/verdict"
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

// newBuild returns a subject for a build of crdlab. It evaluates each scenario several
// times, and fails if the reports differ.
func newBuild(name string, evaluate evaluateFunc, repeat int) subject {
	return subject{name, func(s playground.Scenario) (verdict.Verdict, error) {
		report, err := evaluateRepeatedly(evaluate, s, repeat)
		if err != nil {
			return verdict.Verdict{}, err
		}
		if verdict.IsLimited(report) {
			return verdict.Verdict{}, errLimited
		}
		return verdict.Of(report), nil
	}}
}

// evaluateRepeatedly returns the report of a scenario, or an error if repetitions have
// other reports.
func evaluateRepeatedly(evaluate evaluateFunc, s playground.Scenario, repeat int) (report playground.Report, err error) {
	var first []byte
	for range repeat {
		if report, err = evaluate(context.Background(), s); err != nil {
			return report, err
		}
		report.Timing = playground.Timing{}
		encoded, err := json.Marshal(report)
		if err != nil {
			return report, err
		}
		if first != nil && !bytes.Equal(first, encoded) {
			return report, fmt.Errorf("two evaluations have different reports:\n%s\n%s", first, encoded)
		}
		first = encoded
	}
	return report, nil
}
