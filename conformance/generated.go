package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/crdlab/crdlab/conformance/generate"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/whole"
	"github.com/crdlab/crdlab/internal/enginetest/apiclient"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
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

// caseSeeds returns a seed for each case with an accepted CRD. Rejected objects are
// left out.
func caseSeeds(all []cases.Case) ([]generate.Seed, error) {
	var seeds []generate.Seed
	e := whole.New()
	known := map[string]bool{}
	for _, c := range all {
		s := c.Scenario
		if s.OldCRD != "" || s.OldObject != "" || s.Conversion != "" || known[s.CRD+"\x00"+s.Object] {
			continue
		}
		known[s.CRD+"\x00"+s.Object] = true
		seed, ok, err := acceptedSeed(e, c.Name, s)
		if err != nil {
			return nil, err
		}
		if ok {
			seeds = append(seeds, seed)
		}
	}
	return seeds, nil
}

// acceptedSeed returns a seed of a scenario, or false if the CRD is rejected or
// unsuitable.
func acceptedSeed(e *engine.Engine, name string, s playground.Scenario) (generate.Seed, bool, error) {
	report, err := e.Evaluate(context.Background(), s)
	if err != nil || !report.CRD.Accepted {
		return generate.Seed{}, false, err
	}
	object := s.Object
	if len(report.Objects) == 0 || !report.Objects[0].Accepted {
		object = ""
	}
	seed, ok := generate.NewSeed(name, s.CRD, object, s.Now)
	return seed, ok, nil
}

// corpusSeeds returns seeds for the CRDs below a directory: the CRD alone, and with
// each accepted object of its group and kind.
func corpusSeeds(dir string) ([]generate.Seed, error) {
	var crds, objects []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".yaml" {
			return err
		}
		data, err := os.ReadFile(path)
		switch name := entry.Name(); {
		case err != nil:
			return err
		case strings.HasPrefix(name, "crd."):
			crds = append(crds, string(data))
		case strings.HasPrefix(name, "cr."):
			objects = append(objects, string(data))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the corpus: %w", err)
	}
	var seeds []generate.Seed
	e := whole.New()
	for i, crd := range crds {
		matching := []string{""}
		for _, object := range objects {
			if generate.Belongs(crd, object) {
				matching = append(matching, object)
			}
		}
		for _, object := range matching {
			seed, ok, err := acceptedSeed(e, fmt.Sprintf("corpus %d", i), playground.Scenario{CRD: crd, Object: object, Now: cases.Now})
			if err != nil {
				return nil, err
			}
			if ok {
				seeds = append(seeds, seed)
			}
		}
	}
	return seeds, nil
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
		var out strings.Builder
		one := e.withOutput(&out)
		_, err := one.examine(g.title+mutant.Change, name, mutant.Scenario)
		var unsupported *apiclient.UnsupportedError
		if err != nil && !errors.As(err, &unsupported) {
			return err
		}
		e.tally.include(one.tally)
		if one.tally.differences() == 0 {
			continue
		}
		if shown++; shown > shownFailures {
			fmt.Fprintln(e.out, name)
		} else if err := e.show(name, mutant.Scenario, out.String()); err != nil {
			return err
		}
	}
	return nil
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
