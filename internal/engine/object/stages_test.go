package object

import (
	"slices"
	"testing"

	"github.com/crdlab/crdlab/internal/playground"
)

func TestEveryStageHasAFunction(t *testing.T) {
	var names, bound []string
	for _, row := range playground.ObjectStages {
		names = append(names, row.Name)
	}
	for _, stage := range stages {
		bound = append(bound, stage.name)
		if stage.run == nil {
			t.Errorf("stage %s has no function", stage.name)
		}
	}
	if !slices.Equal(names, bound) {
		t.Errorf("functions of the stages %v, want %v", bound, names)
	}
}
