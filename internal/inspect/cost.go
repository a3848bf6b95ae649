package inspect

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Cost is the cost of the rules of a CRD in CEL cost units.
type Cost struct {
	CRD CRD `json:"crd"`
	// EstimatedCost is the estimated cost of all rules of the most expensive version.
	EstimatedCost uint64       `json:"estimatedCost"`
	CostLimit     uint64       `json:"costLimit"`
	Rules         []RuleCost   `json:"rules"`
	Objects       []ObjectCost `json:"objects"`
}

// RuleCost is the estimated cost of a rule. Line and Column locate its expression, counted
// from 1. The other fields are copied from [playground.Rule].
type RuleCost struct {
	Line           int          `json:"line"`
	Column         int          `json:"column"`
	Version        string       `json:"version"`
	SchemaPath     string       `json:"schemaPath"`
	Rule           string       `json:"rule"`
	EstimatedCost  uint64       `json:"estimatedCost"`
	CostLimit      uint64       `json:"costLimit"`
	ExpressionCost uint64       `json:"expressionCost"`
	Cardinality    uint64       `json:"cardinality"`
	Unbounded      bool         `json:"unbounded"`
	Within         []Repetition `json:"within"`
	// Error is the compiler's message if the rule does not compile.
	Error string `json:"error"`
}

// A Repetition is a list or map around a rule, see [playground.Repetition].
type Repetition struct {
	SchemaPath string `json:"schemaPath"`
	Keyword    string `json:"keyword"`
	Max        *int64 `json:"max"`
}

// ObjectCost is the actual cost of the rules for an object.
type ObjectCost struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Kind   string `json:"kind"`
	Name   string `json:"name"`
	Cost   uint64 `json:"cost"`
	Budget uint64 `json:"budget"`
}

// CostOf returns the cost of the rules of a subject. Its CRD may be rejected because of it.
func CostOf(s Subject) Cost {
	crd := s.Report.CRD
	cost := Cost{CRD: s.crd(), EstimatedCost: crd.EstimatedCost, CostLimit: crd.CostLimit, Rules: []RuleCost{}, Objects: []ObjectCost{}}
	for _, r := range crd.Rules {
		start := s.CRD.InFile(r.Range).Start
		rule := RuleCost{
			Line: start.Line + 1, Column: start.Character + 1, Version: r.Version, SchemaPath: r.SchemaPath, Rule: r.Rule,
			EstimatedCost: r.EstimatedCost, CostLimit: r.CostLimit, ExpressionCost: r.ExpressionCost,
			Cardinality: r.Cardinality, Unbounded: r.Unbounded, Within: []Repetition{}, Error: r.Error,
		}
		for _, w := range r.Within {
			rule.Within = append(rule.Within, Repetition{w.SchemaPath, w.Keyword, w.Max})
		}
		cost.Rules = append(cost.Rules, rule)
	}
	for i, o := range s.Report.Objects {
		if d := s.Objects[i]; o.RulesBudget > 0 {
			cost.Objects = append(cost.Objects, ObjectCost{d.File.Path, d.Line + 1, o.Kind, o.Name, o.RulesCost, o.RulesBudget})
		}
	}
	return cost
}

// TooExpensive reports whether the API server rejects a rule because of its cost.
func (r RuleCost) TooExpensive() bool { return r.CostLimit > 0 && r.EstimatedCost > r.CostLimit }

// WriteText writes the total, and the rules from the most to the least expensive one.
func (c Cost) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s\n", c.CRD.Name, costText("at most ", c.EstimatedCost, c.CostLimit))
	rules := slices.Clone(c.Rules)
	slices.SortStableFunc(rules, func(a, b RuleCost) int { return cmp.Compare(b.EstimatedCost, a.EstimatedCost) })
	for _, r := range rules {
		r.writeText(w, c.CRD.Path)
	}
	for _, o := range c.Objects {
		fmt.Fprintf(w, "  %s:%d: %s %q: %s\n", o.Path, o.Line, o.Kind, o.Name, costText("", o.Cost, o.Budget))
	}
	return nil
}

func costText(atMost string, cost, limit uint64) string {
	if limit == 0 {
		return fmt.Sprintf("%s%s cost units", atMost, digits(cost))
	}
	return fmt.Sprintf("%s%s of %s cost units", atMost, digits(cost), digits(limit))
}

func (r RuleCost) writeText(w io.Writer, path string) {
	place := r.SchemaPath
	if place == "" {
		place = "the root"
	}
	fmt.Fprintf(w, "  %s:%d:%d: %s at %s\n", path, r.Line, r.Column, r.Version, place)
	fmt.Fprintf(w, "      %s\n", strings.ReplaceAll(strings.TrimSpace(r.Rule), "\n", "\n      "))
	if r.Error != "" {
		fmt.Fprintf(w, "      does not compile: %s\n", oneLine(r.Error))
		return
	}
	excess := ""
	if r.TooExpensive() {
		excess = ": too expensive"
	}
	fmt.Fprintf(w, "      %s%s\n", costText("at most ", r.EstimatedCost, r.CostLimit), excess)
	if r.Cardinality > 1 || r.Unbounded {
		fmt.Fprintf(w, "      = %s × %s evaluations\n", digits(r.ExpressionCost), digits(r.Cardinality))
	}
	for _, list := range r.Within {
		size := "no " + list.Keyword
		if list.Max != nil {
			size = fmt.Sprintf("%s %d", list.Keyword, *list.Max)
		}
		fmt.Fprintf(w, "      in %s: %s\n", list.SchemaPath, size)
	}
}

// digits formats a number with a comma between groups of three digits.
func digits(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// oneLine joins lines.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Failed reports whether a rule does not compile or is too expensive.
func (c Cost) Failed() bool {
	return slices.ContainsFunc(c.Rules, func(r RuleCost) bool { return r.Error != "" || r.TooExpensive() }) ||
		c.CostLimit > 0 && c.EstimatedCost > c.CostLimit
}
