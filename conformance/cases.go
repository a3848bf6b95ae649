package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"

	"github.com/crdlab/crdlab/internal/engine/cases"
	"github.com/crdlab/crdlab/internal/engine/trial"
	"github.com/crdlab/crdlab/internal/engine/verdict"
	"github.com/crdlab/crdlab/internal/playground"
)

// count is how often a subject was compared, and how often it differed.
type count struct{ checks, differences, limited int }

// tally counts by stage and subject, in the order in which they first came.
type tally struct {
	stages, subjects []string
	counts           map[[2]string]*count
}

func newTally() *tally { return &tally{counts: map[[2]string]*count{}} }

func (t *tally) at(stage, subject string) *count {
	key := [2]string{stage, subject}
	if t.counts[key] == nil {
		t.counts[key] = &count{}
		t.stages = appendNew(t.stages, stage)
		t.subjects = appendNew(t.subjects, subject)
	}
	return t.counts[key]
}

func appendNew(list []string, item string) []string {
	for _, known := range list {
		if known == item {
			return list
		}
	}
	return append(list, item)
}

func (t *tally) differences() (n int) {
	for _, c := range t.counts {
		n += c.differences
	}
	return n
}

// print writes a line for each stage and one for all.
func (t *tally) print(w io.Writer) {
	for _, subject := range t.subjects {
		var sum count
		fmt.Fprintf(w, "%-24s %8s %12s %8s\n", subject, "checks", "differences", "limited")
		for _, stage := range t.stages {
			c, ok := t.counts[[2]string{stage, subject}]
			if !ok {
				continue
			}
			fmt.Fprintf(w, "  %-22s %8d %12d %8d\n", stage, c.checks, c.differences, c.limited)
			sum.checks, sum.differences, sum.limited = sum.checks+c.checks, sum.differences+c.differences, sum.limited+c.limited
		}
		fmt.Fprintf(w, "  %-22s %8d %12d %8d\n", "all", sum.checks, sum.differences, sum.limited)
	}
}

// examiner compares subjects with an API server.
type examiner struct {
	trial    *trial.Trial
	subjects []subject
	tally    *tally
	out      io.Writer
}

// examine compares all subjects on one scenario and returns the server's
// verdict.
func (e *examiner) examine(stage, name string, s playground.Scenario) (verdict.Verdict, error) {
	judged, err := e.trial.Judge(s)
	if err != nil {
		return judged, fmt.Errorf("%s: %w", name, err)
	}
	want, err := judged.Normal(s)
	if err != nil {
		return want, err
	}
	for _, subject := range e.subjects {
		difference, limited, err := subject.compare(s, want)
		if err != nil {
			return want, fmt.Errorf("%s: %s: %w", name, subject.name, err)
		}
		c := e.tally.at(stage, subject.name)
		c.checks += 1 + len(want.Objects)
		if limited {
			c.limited++
		}
		if difference != "" {
			c.differences++
			fmt.Fprintf(e.out, "%s (-API server +%s):\n%s\n", name, subject.name, difference)
		}
	}
	return want, nil
}

// compare is how the subject's report on s differs from a normal verdict. One
// that a limit of the playground kept from asking upstream's code is not
// compared.
func (s subject) compare(scenario playground.Scenario, want verdict.Verdict) (difference string, limited bool, err error) {
	report, err := s.evaluate(context.Background(), scenario)
	if err != nil {
		return "", false, err
	}
	if verdict.Limited(report) {
		return "", true, nil
	}
	got, err := verdict.Of(report).Normal(scenario)
	return verdict.Diff(want, got), false, err
}

// cases examines all cases and returns their recordings.
func (e *examiner) cases(all []cases.Case) ([]verdict.Recording, error) {
	var recordings []verdict.Recording
	for _, c := range all {
		judged, err := e.examine(path.Dir(c.Name), c.Name, c.Scenario)
		var unasked *trial.UnaskedError
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
