package format

import (
	"fmt"
	"io"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/upgrade"
)

// PlanNames lists the names of the formats of a plan; the first is the default.
var PlanNames = []string{"text", "json", "markdown"}

// Plan returns the report of a plan.
func Plan(p *upgrade.Plan, problems []check.Problem) Report {
	return Report{
		value: p, problems: problems,
		text: func(w io.Writer) {
			for _, c := range p.CRDs {
				if len(c.Steps) > 0 {
					writePlan(w, c)
				}
			}
			fmt.Fprintln(w, planSummary(p))
		},
		markdown: func(w io.Writer) {
			fmt.Fprintf(w, "## crdlab plan\n\n%s\n", planSummary(p))
			for _, c := range p.CRDs {
				if len(c.Steps) > 0 {
					writePlanMarkdown(w, c)
				}
			}
		},
	}
}

// planSummary counts the CRDs and steps.
func planSummary(p *upgrade.Plan) string {
	steps, blocked, breaking := 0, 0, 0
	for _, c := range p.CRDs {
		steps += len(c.Steps)
		if _, isBlocked := c.Blocked(); isBlocked {
			blocked++
		} else if c.Severity() == upgrade.Breaks {
			breaking++
		}
	}
	return fmt.Sprintf("CRDs: %d, steps: %d; CRDs with a refused step: %d, with a step that breaks objects or clients: %d", len(p.CRDs), steps, blocked, breaking)
}

func writePlan(out io.Writer, c upgrade.PlannedCRD) {
	fmt.Fprintf(out, "%s\n", c.Name)
	for _, line := range c.Summary() {
		fmt.Fprintf(out, "  %s\n", indented(line, "    "))
	}
	for i, s := range c.Steps {
		fmt.Fprintf(out, "\n  %d. %s\n", i+1, s.Title)
		for _, f := range s.Facts() {
			fmt.Fprintf(out, "     %-11s %s\n", f.Name+":", indented(f.Text, strings.Repeat(" ", 17)))
		}
	}
	fmt.Fprintln(out)
}

func writePlanMarkdown(out io.Writer, c upgrade.PlannedCRD) {
	fmt.Fprintf(out, "\n### %s\n\n", c.Name)
	for _, line := range c.Summary() {
		fmt.Fprintf(out, "- %s\n", strings.ReplaceAll(line, "\n", " "))
	}
	for i, s := range c.Steps {
		fmt.Fprintf(out, "\n#### %d. %s\n", i+1, s.Title)
		var text strings.Builder
		for _, f := range s.Facts() {
			fmt.Fprintf(&text, "%-11s %s\n", f.Name+":", indented(f.Text, strings.Repeat(" ", 12)))
		}
		writeFenced(out, text.String())
	}
}
