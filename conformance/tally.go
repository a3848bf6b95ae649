package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// A count holds the results of a subject in a group of scenarios.
type count struct {
	// checks is the number of write requests for CRDs and objects. The requests
	// that read them back belong to the same check.
	checks int
	// differences is the number of scenarios with differences.
	differences int
	// limited is the number of scenarios that exceed a limit of the playground.
	limited int
}

func (c *count) add(o *count) {
	c.checks, c.differences, c.limited = c.checks+o.checks, c.differences+o.differences, c.limited+o.limited
}

// A tally counts by subject and group, in the order of their first result.
type tally struct {
	lines []*line
}

type line struct {
	subject, group string
	count          count
}

func newTally() *tally { return &tally{} }

// at returns the count of a subject in a group.
func (t *tally) at(subject, group string) *count {
	for _, l := range t.lines {
		if l.subject == subject && l.group == group {
			return &l.count
		}
	}
	t.lines = append(t.lines, &line{subject: subject, group: group})
	return &t.lines[len(t.lines)-1].count
}

// include adds the counts of another tally.
func (t *tally) include(o *tally) {
	for _, l := range o.lines {
		t.at(l.subject, l.group).add(&l.count)
	}
}

func (t *tally) differences() (n int) {
	for _, l := range t.lines {
		n += l.count.differences
	}
	return n
}

// print writes a line for each subject and group, and a total for each subject.
func (t *tally) print(w io.Writer) {
	slices.SortStableFunc(t.lines, func(a, b *line) int { return cmp.Compare(a.group, b.group) })
	sums := newTally()
	for _, l := range t.lines {
		sums.at(l.subject, "all").add(&l.count)
	}
	for _, sum := range sums.lines {
		fmt.Fprintf(w, "%-32s %8s %12s %8s\n", sum.subject, "checks", "differences", "limited")
		for _, l := range append(t.lines, sum) {
			if l.subject == sum.subject {
				fmt.Fprintf(w, "  %-30s %8d %12d %8d\n", l.group, l.count.checks, l.count.differences, l.count.limited)
			}
		}
	}
}
