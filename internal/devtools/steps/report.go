package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
)

// excerpt is the number of lines that the report has of a failure.
const excerpt = 20

// report prints the steps and their failures, and returns the total.
func report(out io.Writer, steps []step) tally {
	var total tally
	var took time.Duration
	for _, s := range steps {
		for _, f := range s.tests.failures {
			fmt.Fprintf(out, "\n=== FAIL: %s\n%s\n    repeat: %s\n", strings.TrimSpace(s.target+" "+f.name()), indent(f.output), f.command(s.target))
		}
		if s.tests.failures != nil {
			fmt.Fprintf(out, "    log: %s\n", s.log)
		}
	}
	fmt.Fprintf(out, "\n%-7s %-20s %8s %8s %7s %8s\n", "", "step", "seconds", "passed", "failed", "skipped")
	for _, s := range steps {
		printRow(out, s.status(), s.target, s.took, s.tests)
		took += s.took
		total.add(s.tests)
	}
	printRow(out, "", "all steps", took, total)
	fmt.Fprintf(out, "%d passed, %d failed, %d skipped\n", total.passed, len(total.failures), total.skipped)
	return total
}

func printRow(out io.Writer, status, name string, took time.Duration, tests tally) {
	fmt.Fprintf(out, "%-7s %-20s %8.0f %8d %7d %8d\n", status, name, took.Seconds(), tests.passed, len(tests.failures), tests.skipped)
}

// name returns the package and the test, if they are known.
func (f failure) name() string { return strings.TrimSpace(f.location + " " + f.test) }

// command returns the command that repeats a failed test.
func (f failure) command(target string) string {
	command := "make " + target
	if f.location != "" {
		command += " PACKAGES=./" + f.location
	}
	if f.test == "" {
		return command
	}
	pattern := regexp.QuoteMeta(f.test)
	if f.location != "" {
		pattern = "^" + strings.ReplaceAll(pattern, "/", "/^")
	}
	// Neither make nor the shell may change the pattern.
	return command + " RUN='" + strings.NewReplacer("'", ".", `\$`, ".").Replace(pattern) + "'"
}

// indent returns the first lines of an output as a block.
func indent(output string) string {
	lines := strings.Split(strings.Trim(output, "\n"), "\n")
	if len(lines) > excerpt {
		lines = append(lines[:excerpt], fmt.Sprintf("(%d more lines)", len(lines)-excerpt))
	}
	return "    " + strings.Join(lines, "\n    ")
}
