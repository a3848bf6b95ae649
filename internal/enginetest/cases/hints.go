package cases

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// Hints has the names of the cases with each hint, by its text. A hint of several cases stands once, in a file
// of all cases, so that another wording changes one expected text.
type Hints map[string][]string

// Add adds the hints of a case.
func (h Hints) Add(name string, report playground.Report) {
	add := func(hint string) {
		if hint != "" && !slices.Contains(h[hint], name) {
			h[hint] = append(h[hint], name)
		}
	}
	of := func(findings []playground.Finding) {
		for _, f := range findings {
			add(f.Hint)
		}
	}
	of(report.CRD.Findings)
	for _, step := range report.CRD.UpgradeSteps {
		add(step.Do)
	}
	for _, o := range report.Objects {
		of(o.Findings)
		for _, scale := range o.Scale {
			add(scale.Hint)
		}
	}
	for _, o := range report.StoredObjects {
		of(o.Findings)
	}
	of(report.Conversion.Findings)
	if report.Admission != nil {
		of(report.Admission.Findings)
	}
	for _, c := range report.CRD.Candidates {
		if c.Report != nil {
			h.Add(name, *c.Report)
		}
	}
}

// String lists the hints of several cases, each with the names of its cases.
func (h Hints) String() string {
	var b strings.Builder
	for _, hint := range slices.Sorted(maps.Keys(h)) {
		if len(h[hint]) > 1 {
			fmt.Fprintf(&b, "%s\n\t%s\n", hint, strings.Join(h[hint], "\n\t"))
		}
	}
	return b.String()
}

// of returns a hint as it stands in a case.
func (h Hints) of(hint string) string {
	if len(h[hint]) > 1 {
		return "in hints.txt"
	}
	return hint
}
