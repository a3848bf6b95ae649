package ui

import (
	"encoding/json"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// readLines returns the lines of the object at a version. Stored fields that
// the version lacks are inserted and marked as removed.
func readLines(object playground.Object, version playground.ObjectVersion) []line {
	stored, err := decodeJSON(object.Stored)
	if err != nil {
		return nil
	}
	var changes []stageChange
	for _, steps := range version.LostSteps {
		changes = append(changes, lostFieldChange(stored, steps, version.Name))
	}
	lines, err := objectLines(version.Object, changes, nil)
	if err != nil {
		return nil
	}
	return lines
}

// lostInStorage returns the fields removed by the conversion to the storage
// version.
func lostInStorage(object playground.Object) []playground.Change {
	var lost []playground.Change
	for _, stage := range object.Stages {
		for _, change := range stage.Changes {
			isMetadata := strings.HasPrefix(change.Path, "metadata.")
			if stage.Name == playground.StageStore && change.Op == playground.ChangeRemove && !isMetadata {
				lost = append(lost, change)
			}
		}
	}
	return lost
}

func lostFieldChange(stored any, steps []string, version string) stageChange {
	change := playground.Change{
		Op:      playground.ChangeRemove,
		Steps:   steps,
		Cause:   playground.CausePruned,
		Because: "stored, but not in the schema of " + version,
	}
	value := stored
	for _, step := range steps {
		value = descend(value, step)
	}
	if text, err := json.Marshal(value); err == nil {
		change.Value = text
	}
	return stageChange{stage: playground.StageRead, change: change}
}

// notStored returns why no object is stored after a request.
func notStored(object playground.Object) string {
	switch {
	case len(object.DependsOn) > 0:
		return "depends on a webhook without a response"
	case object.Status.Code == 0:
		return "was not evaluated"
	case object.Accepted:
		return "is deleted"
	}
	return "was rejected"
}
