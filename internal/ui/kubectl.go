package ui

import "github.com/crdlab/crdlab/internal/playground"

// resourceArgument returns the resource argument of kubectl, qualified by
// version and group unless the version is the preferred one.
func resourceArgument(crd playground.CRD, version string, preferred bool) string {
	if preferred {
		return crd.Names.Plural
	}
	return crd.Names.Plural + "." + version + "." + crd.Group
}

func noTablesMessage(report playground.Report) string {
	switch {
	case report.CRD.Accepted:
		return "No resources: the CRD serves no version."
	case report.CRD.Status.Code == 0:
		return "No resources: the CRD was not evaluated."
	}
	return "No resources: the CRD was rejected."
}

// emptyTableReason explains an empty table.
func emptyTableReason(report playground.Report) string {
	if len(report.Objects) == 0 {
		return "Add an object to see its row."
	}
	for _, object := range report.Objects {
		if object.Status.Code >= 400 {
			return "The object was rejected. Fix the problems to see its row."
		}
	}
	return "No object is stored after this request."
}
