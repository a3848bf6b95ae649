package ui

import (
	"encoding/json"

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
