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

// removedInStorage returns the fields removed by the conversion to the storage version: those
// that the version of the request no longer returns, and fields that the conversion rules keep in
// an annotation.
func removedInStorage(object playground.Object) (lost, kept []playground.Change) {
	read := readAtRequest(object)
	for _, stage := range object.Stages {
		for _, change := range stage.Changes {
			isMetadata := strings.HasPrefix(change.Path, "metadata.")
			switch {
			case stage.Name != playground.StageStore || change.Op != playground.ChangeRemove || isMetadata:
			case change.Cause == playground.CausePreserved:
				kept = append(kept, change)
			case valueAt(read, change.Steps) == nil:
				lost = append(lost, change)
			}
		}
	}
	return lost, kept
}

// readAtRequest returns the object as read at the version of the request, or nil.
func readAtRequest(object playground.Object) any {
	for _, version := range object.Versions {
		if version.Name == shortVersion(object.APIVersion) {
			if read, err := decodeJSON(version.Object); err == nil {
				return read
			}
		}
	}
	return nil
}

// valueAt returns the value at a path, or nil.
func valueAt(value any, steps []string) any {
	for _, step := range steps {
		value = descend(value, step)
	}
	return value
}

func lostFieldChange(stored any, steps []string, version string) stageChange {
	change := playground.Change{
		Op:      playground.ChangeRemove,
		Steps:   steps,
		Cause:   playground.CausePruned,
		Because: "stored, but not in the schema of " + version,
	}
	if text, err := json.Marshal(valueAt(stored, steps)); err == nil {
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
