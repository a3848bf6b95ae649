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
	case isRoutine(c.stage) && !(isKept(c) && c.change.Op == playground.ChangeReplace):
		return markQuiet
	case c.change.Op == playground.ChangeReplace:
		return markReplaced
	}
	return markAdded
}

// isKept reports whether a request kept a value of the existing object, outside the metadata.
func isKept(c stageChange) bool {
	return c.stage == playground.StagePrepare && len(c.change.Steps) > 0 && c.change.Steps[0] != "metadata" && c.change.Op != playground.ChangeRemove
}

// isRoutine reports whether every request gets the changes of a stage.
func isRoutine(name playground.StageName) bool {
	stage, ok := playground.FindObjectStage(name)
	return ok && stage.Routine
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
// that every request gets, and kept values, have no such line.
func crdLine(c stageChange) (line int, ok bool) {
	if c.change.SchemaRange == nil || changeMark(c) == markQuiet || isKept(c) {
		return 0, false
	}
	return c.change.SchemaRange.Start.Line + 1, true
}

// changeLabel names the effect of a stage on a value.
func changeLabel(c stageChange) string {
	name := c.stage
	if name == playground.StageStore && c.change.Cause == playground.CauseServer {
		return storeLabel(c.change.Op)
	}
	if isKept(c) {
		return "kept from the existing object"
	}
	if c.change.Cause == playground.CausePreserved {
		return "kept in an annotation"
	}
	if name == playground.StageMutate {
		name = mutationStage(c.change.Cause)
	}
	stage, ok := playground.FindObjectStage(name)
	if !ok {
		return c.stage
	}
	return stage.LabelOf(c.change.Op)
}

// storeLabel names the effect of storing an object at its own version.
func storeLabel(op playground.ChangeOp) string {
	if op == playground.ChangeRemove {
		return "not stored"
	}
	return "set by etcd"
}

// mutationStage returns the stage whose label fits a change during mutation,
// because the API server prunes and defaults the results of admission plugins.
func mutationStage(cause playground.ChangeCause) playground.StageName {
	switch cause {
	case playground.CausePruned:
		return playground.StagePrune
	case playground.CauseDefaulted:
		return playground.StageDefault
	}
	return playground.StageMutate
}
