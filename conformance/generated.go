package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/crdlab/crdlab/internal/apiclient"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/generate"
	"github.com/crdlab/crdlab/internal/playground"
)

// shrinkTime limits the time for shrinking a failing scenario.
const shrinkTime = 20 * time.Second

// progressInterval is the time between progress messages.
const progressInterval = 30 * time.Second

// shownFailures is the number of failing scenarios that are shrunk and printed.
const shownFailures = 20

// A generation describes a series of derived scenarios.
type generation struct {
	title    string // prefix of the groups in the tally
	seeds    []generate.Seed
	seed     uint64
	first, n int
	limit    time.Duration // 0 means unlimited
}

// derive examines mutants, and then histories. Without seeds, there is nothing to
// derive from.
func (e *examiner) derive(g generation) error {
	if len(g.seeds) == 0 {
		return nil
	}
	if err := e.generated(g); err != nil {
		return err
	}
	g.title = "derived: "
	generator := generate.New(g.seeds, g.seed)
	ofObject := func(i int) history {
		if opened := generator.History(i); opened != nil {
			return opened
		}
		return nil
	}
	if err := e.histories(g, "history", (g.n+3)/4, ofObject, objectAfter); err != nil { // one for every fourth mutant
		return err
	}
	ofCRD := func(i int) history { return generator.CRDHistory(i) }
	return e.histories(g, "history of CRD", (g.n+7)/8, ofCRD, crdAfter) // one for every eighth
}

// requests is the maximum number of requests of a history.
const requests = 8

// A history derives successive requests, each from what the cluster has stored before.
type history interface {
	Next(stored string) generate.Mutant
}

// histories examines n histories, until the time limit is reached. The engine determines what is
// stored after each request; stored reports false if nothing can follow.
func (e *examiner) histories(g generation, kind string, n int, open func(i int) history, stored func(playground.Report, string) (string, bool)) error {
	evaluate := engine.New().Evaluate
	start, shown := time.Now(), 0
	for i := g.first; i < g.first+n; i++ {
		if g.limit > 0 && time.Since(start) > g.limit {
			break
		}
		opened, document, goesOn := open(i), "", true
		for request := 0; opened != nil && goesOn && request < requests; request++ {
			mutant := opened.Next(document)
			name := fmt.Sprintf("%s of %s (-seed %d, %s %d, request %d)", mutant.Change, mutant.Seed, g.seed, kind, i, request)
			if err := e.examineDerived(g.title, name, mutant, &shown); err != nil {
				return err
			}
			report, err := evaluate(context.Background(), mutant.Scenario)
			if err != nil {
				return err
			}
			document, goesOn = stored(report, document)
		}
	}
	return nil
}

// crdAfter returns the CRD in the cluster after a request. A refused one changes nothing.
func crdAfter(report playground.Report, before string) (string, bool) {
	if report.CRD.Accepted {
		return string(report.CRD.Stored), true
	}
	return before, true
}

// objectAfter does the same for an object.
func objectAfter(report playground.Report, before string) (string, bool) {
	if !report.CRD.Accepted || len(report.Objects) != 1 {
		return "", false
	}
	if object := report.Objects[0]; object.Accepted {
		return storedDocument(object), true
	}
	return before, true
}

// storedDocument returns the object in the cluster after an accepted request, or an
// empty string if it is gone.
func storedDocument(object playground.Object) string {
	if object.Deleted || len(object.Stored) == 0 || string(object.Stored) == "null" {
		return ""
	}
	return string(object.Stored)
}

// generated examines mutants until the number or the time limit is reached. It
// shrinks and prints the first mutants that fail.
func (e *examiner) generated(g generation) error {
	generator := generate.New(g.seeds, g.seed)
	start, shown := time.Now(), 0
	progress := time.NewTicker(progressInterval)
	defer progress.Stop()
	for i := g.first; i < g.first+g.n; i++ {
		if g.limit > 0 && time.Since(start) > g.limit {
			break
		}
		select {
		case <-progress.C:
			fmt.Fprintf(os.Stderr, "%s%d of %d scenarios, %d with differences\n", g.title, i-g.first, g.n, shown)
		default:
		}
		mutant := generator.Mutant(i)
		name := fmt.Sprintf("%s of %s (-seed %d -first %d -n 1)", mutant.Change, mutant.Seed, g.seed, i)
		if err := e.examineDerived(g.title, name, mutant, &shown); err != nil {
			return err
		}
	}
	return nil
}

// examineDerived examines a mutant. If it is one of the first that fail, it shrinks and
// prints it. shown counts the failures.
func (e *examiner) examineDerived(title, name string, mutant generate.Mutant, shown *int) error {
	var out strings.Builder
	one := e.withOutput(&out)
	_, err := one.examine(title+mutant.Change, name, mutant.Scenario)
	var unsupported *apiclient.UnsupportedError
	if err != nil && !errors.As(err, &unsupported) {
		return err
	}
	e.tally.include(one.tally)
	if one.tally.differences() == 0 {
		return nil
	}
	if *shown++; *shown > shownFailures {
		fmt.Fprintln(e.out, name)
		return nil
	}
	return e.show(name, mutant.Scenario, out.String())
}

// show prints the smallest scenario that fails like s, as a case file, and its
// differences. If the failure does not recur, because the response is random, it
// prints the first differences.
func (e *examiner) show(name string, s playground.Scenario, first string) error {
	s = generate.Shrink(s, shrinkTime, func(s playground.Scenario) bool {
		quiet := e.withOutput(io.Discard)
		_, err := quiet.examine("", "", s)
		return err == nil && quiet.tally.differences() > 0
	})
	file, err := cases.Format(name, s)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "--- smallest case\n%s---\n", file)
	again := e.withOutput(e.out)
	if _, err = again.examine("", name, s); err == nil && again.tally.differences() == 0 {
		fmt.Fprintf(e.out, "not reproduced; first differences:\n%s", first)
	}
	return err
}
