package finding

import (
	"fmt"
	"slices"

	"github.com/crdlab/crdlab/internal/playground"
)

// MaxDescribed is the maximum number of findings that a report describes for one
// document, and for all objects together. Each finding needs time to locate it and to
// find fixes, and nobody reads more.
const MaxDescribed = 500

// A Collector collects findings up to a maximum and counts the others. If it is full,
// errors replace findings of lower severities.
type Collector struct {
	described []playground.Finding
	maximum   int
	// omitted counts the findings that are not described. first is one of them.
	omitted int
	first   playground.Finding
	stages  map[playground.StageName]*Tally
	// messages holds the messages of all findings.
	messages map[string]bool
}

// A Tally counts the findings of a stage, whether or not they are described.
type Tally struct{ Findings, Errors int }

// NewCollector returns an empty collector that describes at most maximum findings.
func NewCollector(maximum int) *Collector {
	return &Collector{maximum: maximum, stages: map[playground.StageName]*Tally{}, messages: map[string]bool{}}
}

// Limit changes the maximum of an empty collector.
func (c *Collector) Limit(maximum int) { c.maximum = maximum }

// Add adds findings.
func (c *Collector) Add(findings ...playground.Finding) {
	for _, f := range findings {
		c.AddLazily(f, func(f playground.Finding) playground.Finding { return f })
	}
}

// AddLazily adds the finding that describe makes of f. It calls describe only if the
// collector has room. describe must not change the severity or the stage.
func (c *Collector) AddLazily(f playground.Finding, describe func(playground.Finding) playground.Finding) {
	c.count(f)
	if len(c.described) >= c.maximum && !c.makeRoom(f.Severity) {
		c.omit(f)
		return
	}
	c.described = append(c.described, describe(f))
}

func (c *Collector) count(f playground.Finding) {
	c.messages[f.Message] = true
	tally := c.stages[f.Stage]
	if tally == nil {
		tally = &Tally{}
		c.stages[f.Stage] = tally
	}
	tally.Findings++
	if f.Severity == playground.SeverityError {
		tally.Errors++
	}
}

// Has reports whether a finding has a message, whether or not it is described.
func (c *Collector) Has(message string) bool { return c.messages[message] }

// makeRoom omits a finding that is less severe than an error with the given severity.
func (c *Collector) makeRoom(severity playground.Severity) bool {
	if severity != playground.SeverityError {
		return false
	}
	for i, f := range slices.Backward(c.described) {
		if f.Severity != playground.SeverityError {
			c.omit(f)
			c.described = slices.Delete(c.described, i, i+1)
			return true
		}
	}
	return false
}

func (c *Collector) omit(f playground.Finding) {
	if c.omitted == 0 {
		c.first = f
	}
	c.omitted++
}

// Tally returns the number of findings of a stage.
func (c *Collector) Tally(stage playground.StageName) Tally {
	if tally := c.stages[stage]; tally != nil {
		return *tally
	}
	return Tally{}
}

// FirstError returns the first error, which is always described.
func (c *Collector) FirstError() (f playground.Finding, ok bool) {
	for _, f := range c.described {
		if f.Severity == playground.SeverityError {
			return f, true
		}
	}
	return playground.Finding{}, false
}

// List returns the findings, errors first and never nil. If some are omitted, the last
// finding of the list states their number.
func (c *Collector) List() []playground.Finding {
	list := append([]playground.Finding{}, c.described...)
	playground.SortFindings(list)
	if c.omitted == 0 {
		return list
	}
	noun := "findings are"
	if c.omitted == 1 {
		noun = "finding is"
	}
	f := New(playground.SeverityInfo, c.first.Document, c.first.Stage, playground.Range{},
		fmt.Sprintf("%d more %s not listed", c.omitted, noun))
	f.Reason = playground.ReasonOmitted
	return append(list, f)
}

// reservedDescribed is the number of findings that [Share] reserves for each further
// document.
const reservedDescribed = 4

// Share returns the number of findings to describe for the next of several documents,
// if the previous ones have used some of [MaxDescribed].
func Share(used, documents int) int {
	return max(1, MaxDescribed-used-reservedDescribed*(documents-1))
}
