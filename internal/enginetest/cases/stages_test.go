package cases

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdlab/crdlab/internal/playground"
)

var order = []playground.ObjectStage{{Name: "decode"}, {Name: "prune"}, {Name: "rules"}, {Name: "store"}, {Name: "read"}}

func pass(name string) playground.Stage {
	return playground.Stage{Name: name, Outcome: playground.OutcomePass, Changes: []playground.Change{}}
}

func skip(name, why string) playground.Stage {
	return playground.Stage{Name: name, Outcome: playground.OutcomeSkipped, Why: why, Changes: []playground.Change{}}
}

func TestStageDeviations(t *testing.T) {
	const ended, gone = "the request ended in stage rules", "the object is deleted"
	pruned := pass("prune")
	pruned.Changes = append(pruned.Changes, playground.Change{Path: "spec.unknown"})
	failed := playground.Stage{Name: "rules", Outcome: playground.OutcomeFail, Findings: 1}
	for name, test := range map[string]struct {
		accepted     bool
		stages, want []playground.Stage
	}{
		"a normal pass": {true, []playground.Stage{pass("decode"), pass("prune"), pass("rules"), pass("store"), pass("read")}, nil},
		"a stage with changes": {
			true, []playground.Stage{pass("decode"), pruned, pass("rules"), pass("store"), pass("read")}, []playground.Stage{pruned},
		},
		"the last stage of an accepted object is skipped": {
			true, []playground.Stage{pass("decode"), pass("prune"), pass("rules"), pass("store"), skip("read", gone)},
			[]playground.Stage{skip("read", gone)},
		},
		"a stage fails": {
			false, []playground.Stage{pass("decode"), pass("prune"), failed, skip("store", ended), skip("read", ended)},
			[]playground.Stage{failed, skip("after rules", ended)},
		},
		"one reason among others": {
			false, []playground.Stage{pass("decode"), pass("prune"), skip("rules", "no rules"), skip("store", ended), skip("read", ended)},
			[]playground.Stage{skip("rules", "no rules"), skip("after rules", ended)},
		},
		"all stages are skipped": {
			false, []playground.Stage{skip("decode", gone), skip("prune", gone), skip("rules", gone), skip("store", gone), skip("read", gone)},
			[]playground.Stage{skip("all", gone)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := stageDeviations(playground.Object{Accepted: test.accepted, Stages: test.stages}, order)
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("error %v, deviations (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestStageDeviationsRejectAnotherOrder(t *testing.T) {
	for name, stages := range map[string][]playground.Stage{
		"a missing stage":     {pass("decode"), pass("prune"), pass("rules"), pass("read")},
		"an additional stage": {pass("decode"), pass("prune"), pass("rules"), pass("store"), pass("size"), pass("read")},
		"swapped stages":      {pass("decode"), pass("rules"), pass("prune"), pass("store"), pass("read")},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := stageDeviations(playground.Object{Accepted: true, Stages: stages}, order); err == nil {
				t.Errorf("deviations %v, want an error", got)
			}
		})
	}
}
