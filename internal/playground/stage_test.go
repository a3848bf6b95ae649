package playground_test

import (
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/playground"
)

// TestRequestStages pins the order of the stages, which is part of the HTTP API.
func TestRequestStages(t *testing.T) {
	const write = "decode metadata prune nulls embedded default prepare validate rules store size read"
	const admitted = "decode metadata prune nulls embedded default prepare mutate complete validate rules admit store size read"
	const scale = "decode find scale prepare validate rules store size read"
	for _, test := range []struct {
		operation            playground.Operation
		without, withPlugins string
	}{
		{playground.OperationCreate, write, admitted},
		{playground.OperationUpdate, write, admitted},
		{playground.OperationUpdateStatus, write, admitted},
		{
			playground.OperationApply, "decode apply prepare validate rules store size read",
			"decode apply prepare mutate complete validate rules admit store size read",
		},
		{playground.OperationDelete, "decode find finalize store size read", "decode find admit finalize store size read"},
		{playground.OperationScale, scale, scale},
	} {
		for admission, want := range map[string]string{"": test.without, " \n": test.without, "kind: A": test.withPlugins} {
			s := playground.Scenario{Operation: test.operation, Admission: admission}
			var names []string
			for _, stage := range playground.RequestStages(s) {
				names = append(names, stage.Name)
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("stages of %s with admission %q: %s, want %s", test.operation, admission, got, want)
			}
		}
	}
}

func TestPermitsSkip(t *testing.T) {
	store, ok := playground.FindObjectStage(playground.StageStore)
	if !ok {
		t.Fatal("no stage store")
	}
	for why, want := range map[string]bool{
		playground.StageSkipUnconverted + " v1": true,
		playground.StageSkipUnconverted + "v1":  false,
		playground.StageSkipDeleted:             false,
		"":                                      false,
	} {
		if got := store.PermitsSkip(why); got != want {
			t.Errorf("PermitsSkip(%q) = %t, want %t", why, got, want)
		}
	}
}
