// Command revisions checks the classes of the changes between two CRDs against the API
// server's request handlers.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/crdlab/crdlab/conformance/seeds"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/generate"
	"github.com/crdlab/crdlab/internal/enginetest/revisions"
	"github.com/crdlab/crdlab/internal/playground"
)

// progressInterval is the time between progress messages.
const progressInterval = 30 * time.Second

type settings struct {
	testdata, corpus string
	seed             uint64
	// first is the number of the first pair, and pairs the number of valid pairs.
	first, pairs, tries int
	limit               time.Duration
}

func main() {
	var s settings
	flag.StringVar(&s.testdata, "cases", "../internal/engine/testdata", "`directory` of the cases")
	flag.StringVar(&s.corpus, "corpus", os.Getenv("CRDLAB_CORPUS"), "`directory` of CRDs and objects")
	flag.Uint64Var(&s.seed, "seed", 1, "random seed")
	flag.IntVar(&s.first, "first", 0, "number of the first pair")
	flag.IntVar(&s.pairs, "pairs", 2000, "number of pairs that the API server accepts")
	flag.IntVar(&s.tries, "tries", 1000, "number of objects to try for each pair of compatible CRDs")
	flag.DurationVar(&s.limit, "time", 0, "time limit; 0 for no limit")
	flag.Parse()
	wrong, err := check(s, os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "revisions:", err)
		os.Exit(2)
	case wrong > 0:
		os.Exit(1)
	}
}

// check checks the pairs in the settings, and returns the number of wrong classes.
func check(s settings, out io.Writer) (wrong int, err error) {
	origins, err := readSeeds(s)
	if err != nil {
		return 0, err
	}
	checker, err := revisions.New(s.tries)
	if err != nil {
		return 0, err
	}
	generator := generate.New(origins, s.seed)
	start, progress := time.Now(), time.NewTicker(progressInterval)
	defer progress.Stop()
	i := s.first
	for ; checker.Tally().Pairs < s.pairs && (s.limit == 0 || time.Since(start) < s.limit); i++ {
		if err := checker.Check(generator.Revision(i)); err != nil {
			return 0, fmt.Errorf("pair %d: %w", i, err)
		}
		found := checker.Tally().Wrong
		for ; wrong < len(found); wrong++ {
			if err := show(out, fmt.Sprintf("-seed %d -first %d -pairs 1", s.seed, i), found[wrong]); err != nil {
				return 0, err
			}
		}
		select {
		case <-progress.C:
			fmt.Fprintf(os.Stderr, "%d of %d pairs, %d wrong\n", checker.Tally().Pairs, s.pairs, wrong)
		default:
		}
	}
	summarize(out, checker.Tally(), time.Since(start))
	fmt.Fprintf(out, "seed %d, pairs %d to %d of %d origins\n", s.seed, s.first, i-1, len(origins))
	return wrong, nil
}

// show prints a wrong class as a case.
func show(out io.Writer, flags string, w revisions.Wrong) error {
	title := fmt.Sprintf("%s: %s of %s (%s)", w.Reason, w.Revision.Change, w.Revision.Seed, flags)
	file, err := cases.Format(title, playground.Scenario{CRD: w.Revision.New, OldCRD: w.Revision.Old, Object: w.Object})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "--- wrong\n%s---\n", file)
	return err
}

func summarize(out io.Writer, t revisions.Tally, duration time.Duration) {
	fmt.Fprintf(out, "%d pairs: %d break, %d may break, %d are compatible; the API server rejects %d others\n", t.Pairs, t.Breaks, t.MayBreak, t.Compatible, t.Rejected)
	fmt.Fprintf(out, "changes: %d break, %d may break, %d are compatible\n", t.Changes[playground.ChangeBreaks], t.Changes[playground.ChangeMayBreak], t.Changes[playground.ChangeCompatible])
	fmt.Fprintf(out, "%d witnesses confirmed; %d tries with compatible pairs, %d of them accepted by the old CRD; %d wrong; %v\n", t.Witnesses, t.Tries, t.Accepted, len(t.Wrong), duration.Round(time.Second))
}

// readSeeds returns the CRDs of the cases and of the corpus, with valid objects.
func readSeeds(s settings) ([]generate.Seed, error) {
	all, err := cases.Read(s.testdata)
	if err != nil {
		return nil, fmt.Errorf("read the cases: %w", err)
	}
	origins, err := seeds.Unchecked(all, s.corpus)
	if err == nil && len(origins) == 0 {
		err = errors.New("no CRDs")
	}
	return origins, err
}
