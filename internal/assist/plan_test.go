package assist

import (
	"reflect"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

const disks = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: disks.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Disk, plural: disks, singular: disk, listKind: DiskList}
  versions:
  - {name: v1alpha1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}}
`

// planOf requests the steps after the first ones until there are no more. A response to other may come in between.
func planOf(t *testing.T, a *Assistant, s playground.Scenario, from int, other *playground.Scenario) (steps []playground.PlanStep, summary []string) {
	trials := 0
	for {
		request := playground.PlanRequest{Scenario: s, From: from + len(steps), Trials: trials}
		response, err := a.Respond(t.Context(), playground.AssistRequest{Plan: &request})
		if err != nil {
			t.Fatal(err)
		}
		if response.Plan.Trials <= trials && !response.Plan.Done {
			t.Fatalf("after %d trials, there are %d", trials, response.Plan.Trials)
		}
		steps, trials = append(steps, response.Plan.Steps...), response.Plan.Trials
		if response.Plan.Done {
			return steps, response.Plan.Summary
		}
		if other != nil {
			planOf(t, a, *other, 0, nil)
		}
	}
}

// TestPlan checks that the steps do not depend on the requests before.
func TestPlan(t *testing.T) {
	s := playground.Scenario{OldCRD: disks, CRD: strings.Replace(disks, "v1alpha1", "v1", 1)}
	s.OldObject = "apiVersion: example.com/v1alpha1\nkind: Disk\nmetadata: {name: a}\nspec: {size: 3}\n"
	e := engine.New()
	steps, summary := planOf(t, New(e), s, 0, nil)
	var titles []string
	for _, step := range steps {
		titles = append(titles, step.Title)
	}
	want := []string{"Serve v1 beside v1alpha1", "Store new objects as v1", "Stop serving v1alpha1", "Write all objects again, which stores them as v1", "Remove v1alpha1 from status.storedVersions", "Remove v1alpha1"}
	if !reflect.DeepEqual(titles, want) {
		t.Errorf("the steps are %q", titles)
	}
	later, same := planOf(t, New(e), s, 4, nil)
	if !reflect.DeepEqual(later, steps[4:]) || !reflect.DeepEqual(same, summary) {
		t.Errorf("the steps after the fourth are %v, %q, want %v, %q", later, same, steps[4:], summary)
	}
	mixed, same := planOf(t, New(e), s, 0, &playground.Scenario{OldCRD: disks, CRD: strings.Replace(disks, "integer", "string", 1)})
	if !reflect.DeepEqual(mixed, steps) || !reflect.DeepEqual(same, summary) {
		t.Errorf("beside another plan, the steps are %v, %q, want %v, %q", mixed, same, steps, summary)
	}
	if none, _ := planOf(t, New(e), playground.Scenario{CRD: disks}, 0, nil); len(none) > 0 {
		t.Errorf("without a previous CRD, there are steps: %v", none)
	}

	// A step is an update that the engine judges as the plan does.
	for _, step := range steps {
		if step.Scenario == nil {
			continue
		}
		report, err := e.Evaluate(t.Context(), *step.Scenario)
		if err != nil {
			t.Fatal(err)
		}
		if !report.CRD.Accepted || len(report.Objects) != 3 {
			t.Errorf("%s: the CRD is accepted: %v, with %d objects", step.Title, report.CRD.Accepted, len(report.Objects))
		}
		for _, o := range report.Objects {
			if !o.Accepted {
				t.Errorf("%s: %s", step.Title, o.Output)
			}
		}
	}
}
