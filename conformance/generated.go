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

// shrinkTime is the most that making a failing scenario smaller may take.
const shrinkTime = 20 * time.Second

// progressInterval is how often a run says how far it is.
const progressInterval = 30 * time.Second

// shownFailures is how many failing scenarios are made smaller and shown.
const shownFailures = 20

// generation is how many scenarios to derive, and from what.
type generation struct {
	title    string // of what they are put before
	seeds    []generate.Seed
	seed     uint64
	first, n int
	limit    time.Duration // 0: none
}

// caseSeeds are the cases whose CRD is accepted, with their object if it is.
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

// corpusSeeds are the CRDs below a directory, each with the objects of its
// group and kind that are accepted.
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
		own := []string{""}
		for _, object := range objects {
			if generate.Belongs(crd, object) {
				own = append(own, object)
			}
		}
		for _, object := range own {
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

// generated examines mutants until there are enough or the time is over, and
// shows the failing ones as small as they get.
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
		name := fmt.Sprintf("%s of %s (-seed %d -first %d -n 1)", mutant.Stage, mutant.Seed, g.seed, i)
		var out strings.Builder
		one := e.with(&out)
		_, err := one.examine(g.title+mutant.Stage, name, mutant.Scenario)
		var unasked *apiclient.UnsupportedError
		if err != nil && !errors.As(err, &unasked) {
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

// show prints the smallest scenario that fails like s, as a case file, and how
// it fails, or else how s failed: an answer that is random may not come again.
func (e *examiner) show(name string, s playground.Scenario, first string) error {
	s = generate.Shrink(s, shrinkTime, func(s playground.Scenario) bool {
		quiet := e.with(io.Discard)
		_, err := quiet.examine("", "", s)
		return err == nil && quiet.tally.differences() > 0
	})
	file, err := cases.Format(name, s)
	if err != nil {
		return err
	}
	fmt.Fprintf(e.out, "--- smallest case\n%s---\n", file)
	again := e.with(e.out)
	if _, err = again.examine("", name, s); err == nil && again.tally.differences() == 0 {
		fmt.Fprintf(e.out, "not again; at first:\n%s", first)
	}
	return err
}
