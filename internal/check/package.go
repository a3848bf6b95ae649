package check

import (
	"fmt"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// addPackage adds the mistakes in Go packages as the findings of a document.
func (c *checker) addPackage(p *manifest.Package) {
	if len(p.Mistakes) == 0 {
		return
	}
	v := Verdict{Accepted: true, Findings: []Finding{}, Output: fmt.Sprintf("The Go package %q has warnings:", p.Pattern)}
	for _, m := range p.Mistakes {
		v.Findings = append(v.Findings, Finding{
			Place: placeIn(m.File, m.Range), Source: m.File.Line(m.Range.Start.Line), Severity: m.Severity,
			Message: m.Message, Hint: m.Hint, Related: []Related{}, Fixes: []string{},
		})
		if m.Severity == playground.SeverityError {
			v.Accepted, v.Output = false, fmt.Sprintf("The Go package %q has errors:", p.Pattern)
		}
	}
	first := v.Findings[0].Place
	d := Document{Object: Object{Path: first.Path, Line: first.Line, Kind: "Go package", Name: p.Pattern}}
	for _, release := range c.Releases {
		v.Kubernetes = release
		d.Verdicts = append(d.Verdicts, v)
	}
	c.result.Documents = append(c.result.Documents, d)
}
