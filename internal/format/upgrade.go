package format

import (
	"fmt"
	"io"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/upgrade"
)

// Diff returns the report of a comparison. It has the compatible changes only on request. In
// the format junit, CRDs with at least the severity failOn fail.
func Diff(r *upgrade.Result, problems []check.Problem, verbose bool, failOn upgrade.Severity) Report {
	report := Report{
		value: r, problems: problems,
		text: func(w io.Writer) {
			for _, c := range r.CRDs {
				writeCRD(w, c, verbose)
			}
			fmt.Fprintln(w, summary(r))
		},
		markdown: func(w io.Writer) {
			fmt.Fprintf(w, "## crdlab diff\n\n%s\n", summary(r))
			for _, c := range r.CRDs {
				if text := crdText(c, verbose); text != "" {
					writeFenced(w, text)
				}
			}
		},
	}
	suite := junitSuite{Name: "CRDs"}
	for _, c := range r.CRDs {
		report.annotations = append(report.annotations, annotationsOf(c, verbose)...)
		path, _ := c.Place()
		junit := junitCase{ClassName: path, Name: c.Name}
		if c.Severity() >= failOn {
			junit.Failure = &junitMessage{fmt.Sprintf("%s %s", c.Name, outcomes[c.Severity()]), strings.TrimRight(crdText(c, verbose), "\n")}
		}
		suite.Cases = append(suite.Cases, junit)
	}
	report.suites = []junitSuite{suite}
	return report
}

// outcomes holds the words for the severities of CRDs.
var outcomes = map[upgrade.Severity]string{upgrade.MayBreak: "may break", upgrade.Breaks: "breaks"}

// severities maps the classes of changes to the severities of annotations.
var severities = map[playground.ChangeClass]playground.Severity{
	playground.ChangeBreaks: playground.SeverityError, playground.ChangeMayBreak: playground.SeverityWarning, playground.ChangeCompatible: playground.SeverityInfo,
}

// annotationsOf returns the changes of a CRD, and their effects on objects.
func annotationsOf(c upgrade.CRD, verbose bool) []annotation {
	var all []annotation
	add := func(place manifest.Printed, severity playground.Severity, rule, message string) {
		all = append(all, annotation{Printed: place, severity: severity, rule: rule, title: c.Name, message: message})
	}
	path, line := c.Place()
	place := manifest.Printed{Path: path, Line: line}
	switch {
	case c.New == "":
		add(place, playground.SeverityError, "removed", c.Name+" is removed, with all its objects")
	case c.Rejected != "" && len(c.Errors) == 0:
		add(place, playground.SeverityError, "rejected", c.Rejected)
	}
	for _, f := range c.Errors {
		add(f.Printed(), playground.SeverityError, "rejected", f.Explained())
	}
	for _, condition := range c.Conditions {
		add(place, playground.SeverityWarning, "condition", conditionText(condition))
	}
	for _, kept := range c.Kept {
		add(kept.Printed(), playground.SeverityInfo, "kept", keptText(kept))
	}
	for _, change := range c.Changes {
		if change.Class != playground.ChangeCompatible || verbose {
			add(manifest.Printed{Path: change.Path, Line: change.Line, Column: change.Column}, severities[change.Class], string(change.Class), change.Text())
		}
	}
	for _, o := range c.Objects {
		severity := playground.SeverityError
		if o.Severity() < upgrade.Breaks {
			severity = playground.SeverityWarning
		}
		add(manifest.Printed{Path: o.Path, Line: o.Line}, severity, "object", strings.Join(append([]string{fmt.Sprintf("%s %q: %s", o.Kind, o.Name, o.Why)}, o.Errors...), "\n"))
	}
	return all
}

// crdText returns the changes of a CRD for people, or "".
func crdText(c upgrade.CRD, verbose bool) string {
	var text strings.Builder
	writeCRD(&text, c, verbose)
	return text.String()
}

func writeCRD(out io.Writer, c upgrade.CRD, verbose bool) {
	switch {
	case c.Old == "":
		fmt.Fprintf(out, "%s is new\n  %s\n\n", c.Name, c.New)
		return
	case c.New == "":
		fmt.Fprintf(out, "%s is removed, with all its objects\n  %s\n\n", c.Name, c.Old)
		return
	case c.Severity() == upgrade.Compatible && len(c.Kept) == 0 && !(verbose && len(c.Changes) > 0):
		return
	}
	fmt.Fprintf(out, "%s\n", c.Name)
	if c.Rejected != "" {
		rejected := c.Rejected
		if len(c.Errors) > 0 { // kubectl lists them after the first line
			rejected, _, _ = strings.Cut(rejected, "\n")
		}
		fmt.Fprintf(out, "  %s\n", indented(rejected, "  "))
	}
	for _, f := range c.Errors {
		writePlaced(out, f, f.Explained())
	}
	for _, condition := range c.Conditions {
		fmt.Fprintf(out, "  %s: %s\n", c.New, conditionText(condition))
	}
	for _, kept := range c.Kept {
		writePlaced(out, kept, keptText(kept))
	}
	for _, change := range c.Changes {
		if change.Class != playground.ChangeCompatible || verbose {
			writeChange(out, change)
		}
	}
	for _, o := range c.Objects {
		fmt.Fprintf(out, "  %s:%d: %s %q: %s\n", o.Path, o.Line, o.Kind, o.Name, o.Why)
		for _, e := range o.Errors {
			fmt.Fprintf(out, "      %s\n", indented(e, "      "))
		}
	}
	fmt.Fprintln(out)
}

// conditionText returns a condition that is not true after the update.
func conditionText(c playground.Condition) string {
	return fmt.Sprintf("may break: the condition %s is %s: %s: %s", c.Type, c.Status, c.Reason, c.Message)
}

// keptText returns a value that apply keeps.
func keptText(f manifest.Finding) string { return "kept: " + f.Explained() }

// writePlaced writes the message of a finding after its place.
func writePlaced(out io.Writer, f manifest.Finding, text string) {
	fmt.Fprintf(out, "  %s: %s\n", f.Place, indented(text, "      "))
}

func writeChange(out io.Writer, c upgrade.Change) {
	fmt.Fprintf(out, "  %s:%d:%d: %s\n", c.Path, c.Line, c.Column, indented(c.Text(), "      "))
}

// summary counts the CRDs and changes.
func summary(r *upgrade.Result) string {
	counts := map[playground.ChangeClass]int{}
	removed, objects := 0, 0
	for _, c := range r.CRDs {
		for _, change := range c.Changes {
			counts[change.Class]++
		}
		if c.New == "" {
			removed++
		}
		objects += len(c.Objects)
	}
	summary := fmt.Sprintf("CRDs: %d, removed: %d; changes that break: %d, may break: %d, compatible: %d", len(r.CRDs), removed,
		counts[playground.ChangeBreaks], counts[playground.ChangeMayBreak], counts[playground.ChangeCompatible])
	if objects > 0 {
		summary += fmt.Sprintf("; affected objects: %d", objects)
	}
	return summary
}
