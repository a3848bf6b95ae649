// Command steps runs the test steps of the Makefile and totals their tests.
//
//	steps [-reuse NAMES] [-programs NAMES] RESULTS NAME=SECONDS...
//
// Each step is a target with a budget in seconds. A step writes its results as
// JUnit XML into the directory in its variable RESULTS, a subdirectory of
// RESULTS. A step without such files counts as a single test, which is skipped
// if the step prints a line that begins with "skipped: ".
//
// The last line of the output is "N passed, N failed, N skipped".
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A step is a target of the Makefile.
type step struct {
	name   string
	budget time.Duration
	// reusable permits the result of an earlier run with the same inputs.
	reusable bool
}

func main() {
	reuse := flag.String("reuse", "", "comma-separated `steps` to omit if they passed with the same inputs")
	programs := flag.String("programs", "", "comma-separated `programs` that are inputs")
	flag.Parse()
	failed, err := run(flag.Args(), split(*reuse), split(*programs))
	if err != nil {
		fmt.Fprintln(os.Stderr, "steps:", err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

// run reports whether a test failed.
func run(arguments, reuse, programs []string) (failed bool, err error) {
	if len(arguments) < 2 {
		return false, fmt.Errorf("want a directory and steps, got %q", arguments)
	}
	steps, err := parseSteps(arguments[1:], reuse)
	if err != nil {
		return false, err
	}
	results, err := filepath.Abs(arguments[0])
	if err != nil {
		return false, err
	}
	r := runner{results: results, inputs: func() (string, error) { return hashInputs(programs) }, out: os.Stdout}
	var outcomes []outcome
	for _, s := range steps {
		o, err := r.run(s)
		if err != nil {
			return true, fmt.Errorf("%s: %w", s.name, err)
		}
		outcomes = append(outcomes, o)
	}
	return printReport(os.Stdout, outcomes).failed > 0, nil
}

func parseSteps(arguments, reuse []string) ([]step, error) {
	var steps []step
	for _, argument := range arguments {
		name, budget, _ := strings.Cut(argument, "=")
		seconds, err := strconv.Atoi(budget)
		if err != nil {
			return nil, fmt.Errorf("step %q has no budget in seconds", argument)
		}
		steps = append(steps, step{name, time.Duration(seconds) * time.Second, slices.Contains(reuse, name)})
	}
	return steps, nil
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}
