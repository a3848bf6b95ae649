package ui

import "github.com/crdlab/crdlab/internal/playground"

func candidateName(c playground.Candidate) string {
	if c.Name == "" {
		return "CRD without a name"
	}
	return c.Name
}

// candidateObjects returns the number of objects that belong to a CRD.
func candidateObjects(c playground.Candidate) string {
	if c.Objects == 0 {
		return "no objects"
	}
	return count(c.Objects, "object")
}

// judgedReports returns the reports on all CRDs of the document: on the chosen one, and then on the
// others. Each has the name in the document, even if the CRD cannot be decoded. missing counts the
// CRDs without a report.
func judgedReports(report playground.Report) (all []playground.Report, missing int) {
	all = []playground.Report{report}
	for _, candidate := range report.CRD.Candidates {
		switch {
		case candidate.Chosen:
			all[0].CRD.Name = candidate.Name
		case candidate.Report != nil:
			other := *candidate.Report
			other.CRD.Name = candidate.Name
			all = append(all, other)
		case len(report.CRD.Candidates) > 1:
			missing++
		}
	}
	return all, missing
}
