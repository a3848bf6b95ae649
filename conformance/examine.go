package main

import (
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/crdlab/crdlab/internal/apiclient"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/verdictdiff"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/verdict"
)

// An examiner compares subjects with an API server.
type examiner struct {
	server   *apiclient.Client
	subjects []subject
	tally    *tally
	out      io.Writer
}

// withOutput returns an examiner with its own tally that prints to out.
func (e *examiner) withOutput(out io.Writer) *examiner {
	return &examiner{server: e.server, subjects: e.subjects, tally: newTally(), out: out}
}

// examine compares all subjects on one scenario and counts the result in a group of
// the tally. It returns the normalized verdict of the server, or an
// [apiclient.UnsupportedError].
func (e *examiner) examine(group, name string, s playground.Scenario) (verdict.Verdict, error) {
	want, err := e.server.Run(s)
	if err != nil {
		return want, fmt.Errorf("%s: %w", name, err)
	}
	if want, err = want.Normal(s); err != nil {
		return want, err
	}
	for _, subject := range e.subjects {
		count := e.tally.at(subject.name, group)
		got, err := subject.run(s)
		if errors.Is(err, errLimited) {
			count.limited++
			continue
		}
		if err == nil {
			got, err = got.Normal(s)
		}
		count.checks += 1 + len(want.Objects)
		difference := verdictdiff.Describe(want, got)
		if err != nil {
			difference = "  failed: " + err.Error()
		}
		if difference != "" {
			count.differences++
			fmt.Fprintf(e.out, "%s (-API server +%s)\n%s\n", name, subject.name, difference)
		}
	}
	return want, nil
}

// cases examines all cases and returns the recordings of the server's verdicts.
func (e *examiner) cases(all []cases.Case) ([]cases.Recording, error) {
	var recordings []cases.Recording
	for _, c := range all {
		v, err := e.examine(path.Dir(c.Name), c.Name, c.Scenario)
		var unsupported *apiclient.UnsupportedError
		switch {
		case errors.As(err, &unsupported):
			recordings = append(recordings, cases.RecordUnasked(c, unsupported.Reason))
		case err != nil:
			return recordings, err
		default:
			recordings = append(recordings, cases.Record(c, v))
		}
	}
	return recordings, nil
}
