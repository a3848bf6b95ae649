package main

import (
	"fmt"
	"io"
	"time"
)

// printReport prints a table of the steps, then the totals, which it returns.
func printReport(out io.Writer, outcomes []outcome) tally {
	var total tally
	var took, budget time.Duration
	fmt.Fprintf(out, "--- outcome\n%-10s %-20s %8s %8s %7s %7s %8s\n", "", "step", "seconds", "budget", "passed", "failed", "skipped")
	for _, o := range outcomes {
		total = total.plus(o.tests)
		took += o.took
		budget += o.step.budget
		printRow(out, o.status(), o.step.name, o.took, o.step.budget, o.tests)
	}
	printRow(out, "", "total", took, budget, total)
	fmt.Fprintln(out, total)
	return total
}

func printRow(out io.Writer, status, name string, took, budget time.Duration, tests tally) {
	note := ""
	if took > budget {
		note = "  over budget"
	}
	fmt.Fprintf(out, "%-10s %-20s %8.0f %8.0f %7d %7d %8d%s\n", status, name, took.Seconds(), budget.Seconds(), tests.passed, tests.failed, tests.skipped, note)
}

func (o outcome) status() string {
	switch {
	case o.tests.failed > 0:
		return "FAILED"
	case o.unchanged:
		return "unchanged"
	case o.tests.passed == 0:
		return "skipped"
	}
	return "ok"
}
