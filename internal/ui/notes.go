package ui

import (
	"fmt"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// markOf is how lines of a change are marked.
func markOf(c stageChange) mark {
	switch {
	case c.change.Op == playground.ChangeRemove:
		return markRemoved
	case c.stage == playground.StagePrepare || c.stage == playground.StageComplete || c.stage == playground.StageStore:
		return markQuiet
	case c.change.Op == playground.ChangeReplace:
		return markReplaced
	}
	return markAdded
}

// noteOf says in a few words what became of a value and where the cause is.
func noteOf(c stageChange) string {
	if c.change.SchemaRange == nil || markOf(c) == markQuiet {
		return deed(c)
	}
	return fmt.Sprintf("%s · CRD line %d", deed(c), c.change.SchemaRange.Start.Line+1)
}

// deed names what the stage did to a value.
func deed(c stageChange) string {
	switch c.stage {
	case playground.StagePrune:
		return "pruned · not in the schema"
	case playground.StageDefault:
		return "defaulted"
	case playground.StageNulls:
		return "null dropped"
	case playground.StageMetadata:
		return "metadata coerced"
	case playground.StageMutate:
		return mutationDeed(c.change.Because)
	case playground.StagePrepare, playground.StageComplete:
		if c.change.Op == playground.ChangeRemove {
			return "dropped"
		}
		return "set by the API server"
	case playground.StageStore:
		if c.change.Op == playground.ChangeRemove {
			return "not in the storage version"
		}
		return "storage version"
	case playground.StageRead:
		return "not in this version"
	}
	return c.stage
}

// mutationDeed tells what plugins changed from what the API server did to the
// result.
func mutationDeed(because string) string {
	switch {
	case strings.HasPrefix(because, "pruned"):
		return "pruned · not in the schema"
	case strings.HasPrefix(because, "default"):
		return "defaulted"
	}
	return "mutated"
}
