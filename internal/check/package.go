package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// addPackage adds what is found in Go packages as the findings of a document.
func (c *checker) addPackage(p *manifest.Package) {
	if len(p.Findings) == 0 {
		return
	}
	c.dropConsequences(p.Findings)
	v := Verdict{Accepted: true, Findings: []manifest.Finding{}, Output: fmt.Sprintf("The Go package %q has notes:", p.Pattern)}
	for _, f := range p.Findings {
		switch {
		case f.Severity == playground.SeverityInfo:
			f.Reason = playground.ReasonNote
		case f.Severity == playground.SeverityError:
			v.Accepted, v.Output = false, fmt.Sprintf("The Go package %q has errors:", p.Pattern)
		case v.Accepted:
			v.Output = fmt.Sprintf("The Go package %q has warnings:", p.Pattern)
		}
		v.Findings = append(v.Findings, f)
	}
	first := v.Findings[0].Place
	d := Document{Object: Object{Path: first.Path(), Line: first.Line(), Kind: "Go package", Name: p.Pattern}}
	for _, release := range c.Releases {
		v.Kubernetes = release
		d.Verdicts = append(d.Verdicts, v)
	}
	c.result.Documents = append(c.result.Documents, d)
}

// dropConsequences removes the errors of generated CRDs that follow from errors of the Go types: those about a field
// without a type whose Go type is an error itself, and those about the storage version. A CRD without other errors has no verdict.
func (c *checker) dropConsequences(mistakes []manifest.Finding) {
	follows := func(f manifest.Finding) bool {
		if f.Field == "spec.versions" || f.Field == "status.storedVersions" {
			return slices.ContainsFunc(mistakes, func(m manifest.Finding) bool {
				isVersion := func(r manifest.Related) bool { return r.Path() == f.Path() }
				return m.Field == "spec.versions" && (m.Path() == f.Path() || slices.ContainsFunc(m.Related, isVersion))
			})
		}
		return strings.HasSuffix(f.Field, ".type") && strings.HasPrefix(f.Message, "Required value: must not be empty for specified ") &&
			slices.ContainsFunc(mistakes, func(m manifest.Finding) bool {
				return m.Severity == playground.SeverityError && m.Path() == f.Path() && m.Line() == f.Line()
			})
	}
	for _, d := range c.result.Documents {
		if d.source == nil || !d.source.IsCRD || !d.source.IsGenerated() || d.BuiltBy != "" {
			continue
		}
		for i := range d.Verdicts {
			v := &d.Verdicts[i]
			all := len(v.Findings)
			v.Findings = slices.DeleteFunc(v.Findings, follows)
			isError := func(f manifest.Finding) bool { return f.Severity == playground.SeverityError }
			if len(v.Findings) < all && !slices.ContainsFunc(v.Findings, isError) {
				v.Unknown = goErrors
			}
		}
	}
}
