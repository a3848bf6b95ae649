package ui

import (
	"encoding/json"

	"github.com/crdlab/crdlab/internal/playground"
)

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

// maxStoredLines limits the lines of a CRD in a panel.
const maxStoredLines = 400

// storedCRDLines returns the stored CRD as YAML without its status, which the controllers set, and
// the differences from the document. It reports false if the report has no stored CRD.
func storedCRDLines(crd playground.CRD) ([]line, []stageChange, bool) {
	var object map[string]json.RawMessage
	if json.Unmarshal(crd.Stored, &object) != nil {
		return nil, nil, false
	}
	delete(object, "status")
	text, err := json.Marshal(object)
	if err != nil {
		return nil, nil, false
	}
	var changes []stageChange
	for _, change := range crd.StoredChanges {
		changes = append(changes, stageChange{stage: "stored", change: change})
	}
	lines, err := objectLines(text, changes, nil)
	return lines, changes, err == nil
}
