package upgrade

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// labels holds the words for the classes of changes.
var labels = map[playground.ChangeClass]string{
	playground.ChangeBreaks: "breaks", playground.ChangeMayBreak: "may break", playground.ChangeCompatible: "compatible",
}

// WriteText writes a result for people. It lists compatible changes only on request.
func WriteText(w io.Writer, r *Result, verbose bool) error {
	out := bufio.NewWriter(w)
	for _, c := range r.CRDs {
		c.writeText(out, verbose)
	}
	fmt.Fprintln(out, r.summary())
	return out.Flush()
}

func (c CRD) writeText(out io.Writer, verbose bool) {
	switch {
	case c.Old == "":
		fmt.Fprintf(out, "%s is new\n  %s\n\n", c.Name, c.New)
		return
	case c.New == "":
		fmt.Fprintf(out, "%s is removed, with all its objects\n  %s\n\n", c.Name, c.Old)
		return
	case c.severity() == Compatible && !(verbose && len(c.Changes) > 0):
		return
	}
	fmt.Fprintf(out, "%s\n", c.Name)
	if c.Rejected != "" {
		fmt.Fprintf(out, "  %s\n", strings.ReplaceAll(c.Rejected, "\n", "\n  "))
	}
	for _, change := range c.Changes {
		if change.Class != playground.ChangeCompatible || verbose {
			change.writeText(out)
		}
	}
	for _, o := range c.Objects {
		fmt.Fprintf(out, "  %s:%d: %s %q: %s\n", o.Path, o.Line, o.Kind, o.Name, o.Why)
		for _, e := range o.Errors {
			fmt.Fprintf(out, "      %s\n", strings.ReplaceAll(e, "\n", "\n      "))
		}
	}
	fmt.Fprintln(out)
}

func (c Change) writeText(out io.Writer) {
	fmt.Fprintf(out, "  %s:%d:%d: %s: %s\n      %s: %s -> %s\n", c.Path, c.Line, c.Column, labels[c.Class], c.Kind, c.Field, short(c.Before), short(c.After))
	if c.Because != "" {
		fmt.Fprintf(out, "      %s\n", c.Because)
	}
	if c.Witness != nil {
		fmt.Fprintf(out, "      an object with this part is %s: %s\n        %s\n", c.Witness.Effect, c.Witness.Message,
			strings.ReplaceAll(strings.TrimSpace(c.Witness.Excerpt), "\n", "\n        "))
	}
}

// maxValue is the maximum number of bytes of a value in a change.
const maxValue = 80

// short returns JSON, or the start of long JSON.
func short(value []byte) string {
	text := string(value)
	if len(text) > maxValue {
		text = strings.ToValidUTF8(text[:maxValue], "") + "…"
	}
	return text
}

func (r *Result) summary() string {
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

// WriteMarkdown writes a summary for comments and job summaries.
func WriteMarkdown(w io.Writer, r *Result, verbose bool) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "## crdlab diff\n\n%s\n", r.summary())
	for _, c := range r.CRDs {
		var text strings.Builder
		c.writeText(&text, verbose)
		if text.Len() == 0 {
			continue
		}
		fence := "```"
		for strings.Contains(text.String(), fence) {
			fence += "`"
		}
		fmt.Fprintf(out, "\n%stext\n%s\n%s\n", fence, strings.TrimRight(text.String(), "\n"), fence)
	}
	return out.Flush()
}
