package ui

import (
	"fmt"
	"strconv"

	"github.com/a-h/templ"

	"github.com/crdlab/crdlab/internal/playground"
)

// changeMark returns the mark for the lines of a change.
func changeMark(c stageChange) mark {
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

// changeNote returns a short note about a change, with the CRD line that caused
// it.
func changeNote(c stageChange) string {
	if line, ok := crdLine(c); ok {
		return fmt.Sprintf("%s · CRD line %d", changeLabel(c), line)
	}
	return changeLabel(c)
}

// noteAttributes gives the page's script the parts of a note that names a CRD line.
func noteAttributes(c stageChange) templ.Attributes {
	line, ok := crdLine(c)
	if !ok {
		return nil
	}
	return templ.Attributes{"data-label": changeLabel(c), "data-crd-line": strconv.Itoa(line)}
}

// crdLine returns the one-based line of the CRD that explains a change. Changes
// that every request gets have no such line.
func crdLine(c stageChange) (line int, ok bool) {
	if c.change.SchemaRange == nil || changeMark(c) == markQuiet {
		return 0, false
	}
	return c.change.SchemaRange.Start.Line + 1, true
}

// changeLabel names the effect of a stage on a value.
func changeLabel(c stageChange) string {
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
		return mutationLabel(c.change.Cause)
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

// mutationLabel distinguishes changes by admission plugins from the API
// server's pruning and defaulting of their results.
func mutationLabel(cause playground.ChangeCause) string {
	switch cause {
	case playground.CausePruned:
		return "pruned · not in the schema"
	case playground.CauseDefaulted:
		return "defaulted"
	}
	return "mutated"
}
