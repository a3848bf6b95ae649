package ui

import (
	"encoding/json"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// readLines prints the object as a version returns it, with what the stored
// object has beyond that put back in and marked.
func readLines(object playground.Object, version playground.ObjectVersion) []line {
	stored, err := decodeJSON(object.Stored)
	if err != nil {
		return nil
	}
	var changes []stageChange
	for _, path := range version.Lost {
		changes = append(changes, lostField(stored, path, version.Name))
	}
	lines, err := objectLines(version.Object, changes)
	if err != nil {
		return nil
	}
	return lines
}

// storingLoss are the fields that the conversion to the storage version took away.
func storingLoss(object playground.Object) []playground.Change {
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

func lostField(stored any, path, version string) stageChange {
	change := playground.Change{
		Op:      playground.ChangeRemove,
		Path:    path,
		Because: "stored, but not in the schema of " + version,
	}
	value := stored
	for _, step := range pathSteps(path, stored) {
		value = descend(value, step)
	}
	if text, err := json.Marshal(value); err == nil {
		change.Value = text
	}
	return stageChange{stage: playground.StageRead, change: change}
}
