// Command steps runs targets of the Makefile and reports their tests.
//
//	steps RESULTS LIST...
//
// A list has targets, separated by commas, that run one after another. The first list runs
// alone, and ends the run if it fails; the others run at the same time. Each target gets an
// empty directory in the variable RESULTS, where it may write results as JUnit XML (*.xml) or
// as the output of "go test -json" (*.json). Its output goes to the file "log" there. A target
// without results counts as one test, which is skipped if it prints a line that begins with
// "skipped: ".
//
// The report lists what failed, each with the command that repeats it, then the steps. Its last
// line is "N passed, N failed, N skipped".
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// A step is one run of a target.
type step struct {
	target string
	tests  tally
	took   time.Duration
	log    string
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: steps RESULTS LIST...")
		os.Exit(2)
	}
	steps, err := run(os.Args[1], os.Args[2:])
	total := report(os.Stdout, steps)
	if err != nil {
		fmt.Fprintln(os.Stderr, "steps:", err)
	}
	if err != nil || len(total.failures) > 0 {
		os.Exit(1)
	}
}

// run returns the steps in the order of the lists.
func run(results string, lists []string) ([]step, error) {
	results, err := filepath.Abs(results)
	if err != nil {
		return nil, err
	}
	steps, err := runList(results, lists[0])
	if err != nil || failed(steps) {
		return steps, err
	}
	lanes, errs := make([][]step, len(lists)), make([]error, len(lists))
	var running sync.WaitGroup
	for i, list := range lists[1:] {
		running.Go(func() { lanes[i], errs[i] = runList(results, list) })
	}
	running.Wait()
	for _, lane := range lanes {
		steps = append(steps, lane...)
	}
	return steps, errors.Join(errs...)
}

func failed(steps []step) bool {
	return slices.ContainsFunc(steps, func(s step) bool { return len(s.tests.failures) > 0 })
}

func runList(results, list string) ([]step, error) {
	var steps []step
	for target := range strings.SplitSeq(list, ",") {
		s, err := runStep(filepath.Join(results, target), target)
		if err != nil {
			return steps, fmt.Errorf("%s: %w", target, err)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

func runStep(directory, target string) (step, error) {
	if err := os.RemoveAll(directory); err != nil {
		return step{}, err
	}
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return step{}, err
	}
	s := step{target: target, log: filepath.Join(directory, "log")}
	log, err := os.Create(s.log)
	if err != nil {
		return step{}, err
	}
	defer log.Close()
	start := time.Now()
	fmt.Printf("--- %s\n", target)
	command := exec.Command(cmp.Or(os.Getenv("MAKE"), "make"), "--no-print-directory", target)
	command.Env = append(os.Environ(), "RESULTS="+directory)
	command.Stdout, command.Stderr = log, log
	ended := command.Run()
	if _, isExit := errors.AsType[*exec.ExitError](ended); ended != nil && !isExit {
		return step{}, ended
	}
	s.took = time.Since(start)
	s.tests, err = s.count(directory, ended != nil)
	fmt.Printf("%s %s: %.0f s\n", s.status(), target, s.took.Seconds())
	return s, err
}

// count returns the results of a step. A failure that no test explains has the end of the log.
func (s step) count(directory string, failed bool) (tally, error) {
	tests, err := readResults(directory)
	if err != nil {
		return tests, err
	}
	log, err := os.ReadFile(s.log)
	if err != nil {
		return tests, err
	}
	switch none := tests.passed+tests.skipped == 0; {
	case len(tests.failures) > 0:
	case failed:
		lines := strings.Split(strings.TrimSpace(string(log)), "\n")
		tests.failures = []failure{{output: strings.Join(lines[max(0, len(lines)-excerpt):], "\n")}}
	case none && bytes.Contains(append([]byte("\n"), log...), []byte("\nskipped: ")):
		tests.skipped++
	case none:
		tests.passed++
	}
	return tests, nil
}

func (s step) status() string {
	switch {
	case len(s.tests.failures) > 0:
		return "FAILED "
	case s.tests.passed == 0:
		return "skipped"
	}
	return "ok     "
}
