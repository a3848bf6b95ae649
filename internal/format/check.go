package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// Options configure the report of a check.
type Options struct {
	// Verbose lists accepted documents, too.
	Verbose bool
	// Colour permits escape sequences of terminals.
	Colour bool
	// Link returns the address of a page that shows a document and its CRD, or "". It may
	// be nil.
	Link func(check.Document) string
}

// link returns the address of a page that shows a document, or "".
func (o Options) link(d check.Document) string {
	if o.Link == nil {
		return ""
	}
	return o.Link(d)
}

// reasonRejected is the rule of findings to which the API server gives no reason.
const reasonRejected = "Rejected"

// Check returns the report of a check.
func Check(r *check.Result, o Options) Report {
	report := Report{
		value: r, problems: r.Problems,
		text:     func(w io.Writer) { writeText(w, r, o) },
		markdown: func(w io.Writer) { writeMarkdown(w, r, o) },
	}
	for _, d := range r.Documents {
		for _, g := range groups(d) {
			for _, f := range g.visible() {
				report.annotations = append(report.annotations, annotation{
					f.Printed(), f.Severity, cmp.Or(f.Reason, reasonRejected), d.Kind + " " + d.Name, messageOf(f, g), f.Related,
				})
			}
		}
	}
	report.notices = notices(r.Releases)
	for i, release := range r.Releases {
		report.suites = append(report.suites, suiteOf(r, i, releaseName(release)))
	}
	return report
}

// suiteOf returns the verdicts of a release, with a case for each document.
func suiteOf(r *check.Result, release int, name string) junitSuite {
	suite := junitSuite{Name: "Kubernetes " + name}
	for _, d := range r.Documents {
		g := group{Verdict: d.Verdicts[release]}
		c := caseOf(d.Object)
		switch {
		case g.Unknown != "":
			c.Skipped = &junitMessage{Message: g.headline(d)}
		case g.Rejects():
			c.Failure = &junitMessage{g.headline(d), listOf(g)}
		case g.Approximate:
			c.Skipped = &junitMessage{Message: notice(r.Releases[release])}
		default:
			c.Output = listOf(g)
		}
		suite.Cases = append(suite.Cases, c)
	}
	for _, o := range r.WithoutCRD {
		c := caseOf(o)
		c.Skipped = &junitMessage{Message: "there is no CRD"}
		suite.Cases = append(suite.Cases, c)
	}
	return suite
}

// listOf returns the findings of a group with their places.
func listOf(g group) string {
	var lines []string
	for _, f := range g.visible() {
		lines = append(lines, fmt.Sprintf("%s: %s", f.Place, messageOf(f, group{})))
	}
	return strings.Join(lines, "\n")
}

// messageOf returns a finding as a message of its own.
func messageOf(f manifest.Finding, g group) string {
	message := f.Explained()
	if len(g.releases) > 0 {
		message = "[Kubernetes " + g.names() + "] " + message
	}
	return message
}

// A group holds the releases with the same verdict on a document.
type group struct {
	check.Verdict
	// releases is empty if all releases have the verdict.
	releases []string
}

// groups returns the different verdicts on a document in the order of the releases.
func groups(d check.Document) []group {
	var all []group
	for _, v := range d.Verdicts {
		release := v.Kubernetes
		v.Kubernetes, v.Approximate = "", false
		i := slices.IndexFunc(all, func(g group) bool { return same(g.Verdict, v) })
		if i < 0 {
			i = len(all)
			all = append(all, group{Verdict: v})
		}
		all[i].releases = append(all[i].releases, release)
	}
	if len(all) == 1 {
		all[0].releases = nil
	}
	return all
}

// same reports whether two verdicts print the same.
func same(a, b check.Verdict) bool {
	before, err := json.Marshal(a)
	after, _ := json.Marshal(b) // fails as the first
	return err == nil && bytes.Equal(before, after)
}

// names returns the releases of a group as a prefix or suffix of messages.
func (g group) names() string { return strings.Join(g.releases, ", ") }

// visible returns the findings for people: errors, warnings and crdlab's own notes.
func (g group) visible() []manifest.Finding {
	return slices.DeleteFunc(slices.Clone(g.Findings), func(f manifest.Finding) bool {
		return f.Severity == playground.SeverityInfo && f.Reason != playground.ReasonNote
	})
}

// label returns the label of a finding that is no error.
func label(f manifest.Finding) string {
	switch f.Severity {
	case playground.SeverityWarning:
		return "warning: "
	case playground.SeverityInfo:
		return "note: "
	}
	return ""
}

// reasonInvalid is the reason of the API server for an object with invalid fields.
const reasonInvalid = "Invalid"

// headline returns kubectl's message about a document without the warnings and the list of
// the invalid fields, which the findings repeat with their places.
func (g group) headline(d check.Document) string {
	switch {
	case g.Unknown != "":
		return fmt.Sprintf("The %s %q is not judged: %s", d.Kind, d.Name, g.Unknown)
	case g.Rejects() && g.Status.Reason == reasonInvalid:
		return fmt.Sprintf("The %s %q is invalid:", d.Kind, d.Name)
	}
	return strings.TrimRight(g.withoutWarnings(), "\n")
}

// withoutWarnings returns the output of kubectl without the warnings at its start.
func (g group) withoutWarnings() string {
	output := g.Output
	for {
		isFirst := func(f manifest.Finding) bool { return strings.HasPrefix(output, "Warning: "+f.Message+"\n") }
		i := slices.IndexFunc(g.Findings, isFirst)
		if i < 0 {
			return output
		}
		output = strings.TrimPrefix(output, "Warning: "+g.Findings[i].Message+"\n")
	}
}

// title names an object in lists.
func title(o check.Object) string {
	name := o.Name
	if o.Namespace != "" {
		name = o.Namespace + "/" + name
	}
	return fmt.Sprintf("%s %q (%s)", o.Kind, name, o.APIVersion)
}

// notices returns a message for each release whose verdicts are approximate.
func notices(releases []check.Release) []string {
	var all []string
	for _, release := range releases {
		if release.Approximate {
			all = append(all, notice(release))
		}
	}
	return all
}

// notice says why a release has not accepted anything.
func notice(r check.Release) string {
	return fmt.Sprintf("the libraries of Kubernetes %s have not judged: the verdict is an approximation by those of the newest release", r.Kubernetes)
}

// releaseNames returns the names of the releases that judged.
func releaseNames(r *check.Result) string {
	var names []string
	for _, release := range r.Releases {
		names = append(names, releaseName(release))
	}
	return strings.Join(names, ", ")
}

// releaseName names a release, and says if its verdicts are approximate.
func releaseName(r check.Release) string {
	if r.Approximate {
		return r.Kubernetes + " (approximate)"
	}
	return r.Kubernetes
}
