package cases

import (
	"fmt"
	"slices"

	"github.com/crdlab/crdlab/internal/playground"
)

// Names that replace several stages in a case.
const (
	everyStage = "all"
	stagesPast = "after " // and the name of a stage
)

// stageDeviations returns the stages of an object that deviate from a normal
// pass, so that a new stage changes only the cases that it affects. The rows describe
// all stages of the request. If the stages of the object have other names or another
// order, stageDeviations fails.
//
// In a normal pass, each stage has the outcome pass, no changes and no findings.
// If the object is rejected, the trailing stages that are skipped for the same
// reason become one stage: its name is "all", or "after" and the name of the
// stage that precedes them.
func stageDeviations(object playground.Object, rows []playground.ObjectStage) ([]playground.Stage, error) {
	isOf := func(stage playground.Stage, row playground.ObjectStage) bool { return stage.Name == row.Name }
	if !slices.EqualFunc(object.Stages, rows, isOf) {
		return nil, fmt.Errorf("the stages of object %q are %v, want those of %v", object.Name, object.Stages, rows)
	}
	rest := len(object.Stages)
	if !object.Accepted {
		rest = trailingSkips(object.Stages)
	}
	var deviations []playground.Stage
	for _, stage := range object.Stages[:rest] {
		if !isNormal(stage) {
			deviations = append(deviations, stage)
		}
	}
	if rest < len(object.Stages) {
		skipped := object.Stages[rest]
		skipped.Name = everyStage
		if rest > 0 {
			skipped.Name = stagesPast + object.Stages[rest-1].Name
		}
		deviations = append(deviations, skipped)
	}
	return deviations, nil
}

// checkSkips returns an error if a stage is skipped for a reason that its row does
// not permit. It ignores the stages that follow the end of a rejected request.
func checkSkips(object playground.Object, rows []playground.ObjectStage) error {
	rest := len(object.Stages)
	if !object.Accepted {
		rest = trailingSkips(object.Stages)
	}
	for i, stage := range object.Stages[:rest] {
		if isSkipped(stage) && !rows[i].PermitsSkip(stage.Why) {
			return fmt.Errorf("the table of stages does not permit to skip %q because %q", stage.Name, stage.Why)
		}
	}
	return nil
}

// trailingSkips returns the index of the first of the trailing stages that are
// skipped for the same reason.
func trailingSkips(stages []playground.Stage) int {
	i := len(stages)
	for i > 0 && isSkipped(stages[i-1]) && stages[i-1].Why == stages[len(stages)-1].Why {
		i--
	}
	return i
}

func isSkipped(stage playground.Stage) bool {
	return stage.Outcome == playground.OutcomeSkipped && len(stage.Changes) == 0 && stage.Findings == 0
}

func isNormal(stage playground.Stage) bool {
	return stage.Outcome == playground.OutcomePass && stage.Why == "" && len(stage.Changes) == 0 && stage.Findings == 0
}
