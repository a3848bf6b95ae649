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
