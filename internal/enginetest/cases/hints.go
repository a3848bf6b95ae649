package cases

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// Hints has the places of each hint, by its wording: the name of a case and the number of the hint there. A hint of
// several cases is once in a file of all cases, so that another wording changes one expected text.
type Hints map[string][]string

// Add adds the hints of a case.
func (h Hints) Add(name string, report playground.Report) {
	count := 0
	h.add(report, func() string { count++; return fmt.Sprintf("%s %d", name, count) })
}

// add adds the hints of a report. next returns the next hint's place.
func (h Hints) add(report playground.Report, next func() string) {
	add := func(hint string) {
		if hint != "" {
			h[hint] = append(h[hint], next())
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
			h.add(*c.Report, next)
		}
	}
}

// String lists the hints of several cases, each with its places.
func (h Hints) String() string {
	var b strings.Builder
	for _, hint := range slices.Sorted(maps.Keys(h)) {
		if h.isShared(hint) {
			fmt.Fprintf(&b, "%s\n\t%s\n", hint, strings.Join(h[hint], "\n\t"))
		}
	}
	return b.String()
}

// isShared reports whether several cases have a hint.
func (h Hints) isShared(hint string) bool {
	places := h[hint]
	if len(places) == 0 {
		return false
	}
	first, _, _ := strings.Cut(places[0], " ")
	last, _, _ := strings.Cut(places[len(places)-1], " ") // The cases are added one after the other.
	return first != last
}

// of returns a hint as in a case.
func (h Hints) of(hint string) string {
	if h.isShared(hint) {
		return "in hints.txt"
	}
	return hint
}
