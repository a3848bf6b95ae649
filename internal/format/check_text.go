package format

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// Escape sequences of terminals.
const (
	bold   = "\x1b[1m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
	cyan   = "\x1b[36m"
	dim    = "\x1b[2m"
	reset  = "\x1b[0m"
)

// A text writer formats a result for people.
type text struct {
	io.Writer
	Options
}

func writeText(w io.Writer, r *check.Result, o Options) {
	t := text{w, o}
	for _, d := range r.Documents {
		for _, g := range groups(d) {
			t.document(d, g)
		}
	}
	for _, o := range r.WithoutCRD {
		fate := " has no CRD here"
		if strings.HasPrefix(o.APIVersion, check.AdmissionGroup+"/") {
			fate = " is not evaluated, and the objects are judged without it"
		}
		fmt.Fprintf(t, "%s:%d: %s\n", o.Path, o.Line, t.styled(dim, title(o)+fate))
	}
	for _, o := range r.BuiltIn {
		if t.Verbose {
			fmt.Fprintf(t, "%s:%d: %s\n", o.Path, o.Line, t.styled(dim, title(o)+" is built in, and not judged"))
		}
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(t, "%s: %s\n", s.Path, t.styled(dim, "skipped: "+s.Reason))
	}
	for _, p := range r.Packages {
		if p.Options != "" {
			fmt.Fprintf(t, "%s: %s\n", p.Pattern, t.styled(dim, fmt.Sprintf("generated with crd:%s, from %s", p.Options, p.OptionsFrom)))
		}
	}
	for _, b := range r.Builds {
		leftOut := ""
		if len(b.LeftOut) > 0 {
			leftOut = ", without " + strings.Join(b.LeftOut, ", ")
		}
		fmt.Fprintf(t, "%s: %s\n", b.Path, t.styled(dim, "built: "+counted(b.Objects, "object")+leftOut))
	}
	t.summary(r)
}

func (t text) styled(style, s string) string {
	if !t.Colour {
		return s
	}
	return style + s + reset
}

func (t text) document(d check.Document, g group) {
	findings := g.visible()
	if g.Accepted && g.Unknown == "" && len(findings) == 0 && !t.Verbose {
		return
	}
	if len(g.releases) > 0 {
		fmt.Fprintf(t, "[%s] ", g.names())
	}
	style := ""
	if g.Rejects() {
		style = bold
	}
	fmt.Fprintln(t, t.styled(style, g.headline(d)))
	for _, f := range findings {
		t.finding(f)
	}
	if g.Cost > 0 {
		t.cost(d, g)
	}
	fmt.Fprintln(t)
}

func (t text) finding(f manifest.Finding) {
	style := red
	switch f.Severity {
	case playground.SeverityWarning:
		style = yellow
	case playground.SeverityInfo:
		style = cyan
	}
	fmt.Fprintf(t, "  %s %s%s\n", t.styled(bold, f.String()+":"), t.styled(style, label(f)), indented(f.Short(), "  "))
	t.excerpt(f, style)
	for _, r := range f.Related {
		fmt.Fprintf(t, "      %s: %s\n", r.Place, indented(r.Message, "      "))
	}
	for _, advice := range f.Advice() {
		fmt.Fprintf(t, "      %s %s\n", t.styled(cyan, advice.Label), indented(advice.Text, "      "))
	}
}

// indented returns a message whose further lines are indented.
func indented(message, indent string) string {
	return strings.ReplaceAll(strings.TrimRight(message, "\n"), "\n", "\n"+indent)
}

// maxExcerpt is the maximum number of characters of a source line in the output.
const maxExcerpt = 160

// excerpt prints the line of a finding with carets below the finding.
func (t text) excerpt(f manifest.Finding, style string) {
	if strings.TrimSpace(f.Source()) == "" {
		return
	}
	before, marked, after := split(f)
	if n := len(before) - maxExcerpt/2; n > 0 {
		before = append([]rune("…"), before[n:]...)
	}
	marked = marked[:min(len(marked), maxExcerpt)]
	if n := max(0, maxExcerpt-len(before)-len(marked)); len(after) > n {
		after = append(after[:n:n], '…')
	}
	number := fmt.Sprintf("%5d", f.Line())
	fmt.Fprintf(t, "%s %s %s\n", t.styled(dim, number), t.styled(dim, "|"), string(before)+string(marked)+string(after))
	carets := strings.Repeat("^", max(1, len(marked)))
	fmt.Fprintf(t, "%s %s %s%s\n", strings.Repeat(" ", len(number)), t.styled(dim, "|"), blank(before), t.styled(style, carets))
}

// split divides the line of a finding: before, in and after its range.
func split(f manifest.Finding) (before, marked, after []rune) {
	units := utf16.Encode([]rune(f.Source()))
	start := min(f.Range.Start.Character, len(units))
	end := len(units)
	if f.Range.End.Line == f.Range.Start.Line {
		end = max(start, min(f.Range.End.Character, len(units)))
	}
	return utf16.Decode(units[:start]), utf16.Decode(units[start:end]), utf16.Decode(units[end:])
}

// blank returns blanks of the same width. Tabs remain.
func blank(line []rune) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(line))
}

func (t text) cost(d check.Document, g group) {
	atMost := ""
	if d.CRD == "" {
		atMost = "at most "
	}
	fmt.Fprintf(t, "      %s %s%s of %s\n", t.styled(cyan, "cost of rules:"), atMost, thousands(g.Cost), thousands(g.CostLimit))
}

func (t text) summary(r *check.Result) {
	n := r.Count()
	fmt.Fprintf(t, "%s: %d accepted, %d rejected", counted(len(r.Documents), "document"), n.Accepted, n.Rejected)
	for _, more := range []struct {
		n     int
		label string
	}{{n.Unknown, "not judged"}, {len(r.WithoutCRD), "without a CRD"}, {len(r.BuiltIn), "built in"}, {len(r.Problems), "unusable"}} {
		if more.n > 0 {
			fmt.Fprintf(t, ", %d %s", more.n, more.label)
		}
	}
	fmt.Fprintf(t, " (Kubernetes %s)\n", releaseNames(r))
}
