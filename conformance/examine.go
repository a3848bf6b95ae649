package main

import (
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/crdlab/crdlab/internal/enginetest/apiclient"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/verdict"
	"github.com/crdlab/crdlab/internal/playground"
)

// examiner compares subjects with an API server.
type examiner struct {
	server   *apiclient.Client
	subjects []subject
	tally    *tally
	out      io.Writer
}

// with is an examiner that prints to out and counts anew.
func (e *examiner) with(out io.Writer) *examiner {
	return &examiner{server: e.server, subjects: e.subjects, tally: newTally(), out: out}
}

// examine compares all subjects on one scenario and returns the server's
// verdict, or a [apiclient.UnsupportedError].
func (e *examiner) examine(stage, name string, s playground.Scenario) (verdict.Verdict, error) {
	judged, err := e.server.Run(s)
	if err != nil {
		return judged, fmt.Errorf("%s: %w", name, err)
	}
	want, err := judged.Normal(s)
	if err != nil {
		return want, err
	}
	for _, subject := range e.subjects {
		count := e.tally.at(subject.name, stage)
		got, err := subject.judge(s)
		if errors.Is(err, errLimited) {
			count.limited++
			continue
		}
		if err == nil {
			got, err = got.Normal(s)
		}
		count.checks += 1 + len(want.Objects)
		difference := verdict.Diff(want, got)
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

// cases examines all cases and returns their recordings.
func (e *examiner) cases(all []cases.Case) ([]verdict.Recording, error) {
	var recordings []verdict.Recording
	for _, c := range all {
		judged, err := e.examine(path.Dir(c.Name), c.Name, c.Scenario)
		var unasked *apiclient.UnsupportedError
		switch {
		case errors.As(err, &unasked):
			recordings = append(recordings, verdict.RecordUnasked(c, unasked.Reason))
		case err != nil:
			return recordings, err
		default:
			recordings = append(recordings, verdict.Record(c, judged))
		}
	}
	return recordings, nil
}
