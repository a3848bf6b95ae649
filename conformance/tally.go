package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// count is how often a subject was compared in a stage, how often it differed,
// and how often a limit of the playground kept it from answering. A check is
// one request to write a CRD or an object, with all that is read afterwards.
type count struct{ checks, differences, limited int }

func (c *count) add(o *count) {
	c.checks, c.differences, c.limited = c.checks+o.checks, c.differences+o.differences, c.limited+o.limited
}

// tally counts by subject and stage, in the order in which they first came.
type tally struct {
	lines []*line
}

type line struct {
	subject, stage string
	count          count
}

func newTally() *tally { return &tally{} }

func (t *tally) at(subject, stage string) *count {
	for _, l := range t.lines {
		if l.subject == subject && l.stage == stage {
			return &l.count
		}
	}
	t.lines = append(t.lines, &line{subject: subject, stage: stage})
	return &t.lines[len(t.lines)-1].count
}

// include adds what another one counted.
func (t *tally) include(o *tally) {
	for _, l := range o.lines {
		t.at(l.subject, l.stage).add(&l.count)
	}
}

func (t *tally) differences() (n int) {
	for _, l := range t.lines {
		n += l.count.differences
	}
	return n
}

// print writes for each subject a line for each stage and one for all.
func (t *tally) print(w io.Writer) {
	slices.SortStableFunc(t.lines, func(a, b *line) int { return cmp.Compare(a.stage, b.stage) })
	sums := newTally()
	for _, l := range t.lines {
		sums.at(l.subject, "all").add(&l.count)
	}
	for _, sum := range sums.lines {
		fmt.Fprintf(w, "%-32s %8s %12s %8s\n", sum.subject, "checks", "differences", "limited")
		for _, l := range append(t.lines, sum) {
			if l.subject == sum.subject {
				fmt.Fprintf(w, "  %-30s %8d %12d %8d\n", l.stage, l.count.checks, l.count.differences, l.count.limited)
			}
		}
	}
}
