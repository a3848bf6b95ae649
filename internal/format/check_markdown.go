package format

import (
	"fmt"
	"io"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
)

// writeMarkdown writes a summary for comments and job summaries.
func writeMarkdown(out io.Writer, r *check.Result, o Options) {
	fmt.Fprintf(out, "## crdlab: %d of %s rejected\n\nKubernetes %s\n", r.Count().Rejected, counted(len(r.Documents), "document"), releaseNames(r))
	for _, d := range r.Documents {
		for _, g := range groups(d) {
			if findings := g.visible(); g.Rejects() || len(findings) > 0 {
				markdownDocument(out, d, g, findings)
				if address := o.link(d); address != "" {
					fmt.Fprintf(out, "\n[Open in crdlab](%s)\n", address)
				}
			}
		}
	}
	if len(r.WithoutCRD) > 0 {
		fmt.Fprintf(out, "\n### Without a CRD\n\n")
		for _, o := range r.WithoutCRD {
			fmt.Fprintf(out, "- %s: %s\n", code(fmt.Sprintf("%s:%d", o.Path, o.Line)), code(title(o)))
		}
	}
	if len(r.Problems) > 0 {
		fmt.Fprintf(out, "\n### Unusable input\n\n")
		for _, p := range r.Problems {
			fmt.Fprintf(out, "- %s: %s\n", code(p.Path), code(p.Message))
		}
	}
}

func markdownDocument(out io.Writer, d check.Document, g group, findings []manifest.Finding) {
	fmt.Fprintf(out, "\n### %s\n\n", code(title(d.Object)))
	if len(g.releases) > 0 {
		fmt.Fprintf(out, "Kubernetes %s\n\n", g.names())
	}
	fmt.Fprintf(out, "%s\n\n| place | finding | advice |\n|---|---|---|\n", code(g.headline(d)))
	for _, f := range findings {
		fmt.Fprintf(out, "| %s | %s%s | %s |\n", code(f.String()), label(f), code(f.Short()), cell(adviceText(f)))
	}
}

// adviceText returns the hint of a finding, and its fixes.
func adviceText(f manifest.Finding) string {
	_, advice, _ := strings.Cut(f.Explained(), f.Short())
	return strings.TrimSpace(advice)
}

// code returns inline code, which may contain backticks and is a part of a table.
func code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		s = " " + s + " "
	}
	return fence + strings.ReplaceAll(s, "|", `\|`) + fence
}

// cell returns a message as a part of a table.
func cell(s string) string {
	return strings.NewReplacer("\n", " ", "|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`").Replace(s)
}
