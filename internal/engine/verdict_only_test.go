package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestVerdictOnly checks that the verdicts and findings of each case are the same if the report
// has nothing else, and that such a report saves the owners of fields.
func TestVerdictOnly(t *testing.T) {
	all, err := cases.Read("testdata")
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New()
	saved := 0
	for _, c := range all {
		c.Scenario.Now = "2026-01-02T03:04:05Z"
		whole, wholeErr := e.Evaluate(t.Context(), c.Scenario)
		c.Scenario.VerdictOnly = true
		brief, briefErr := e.Evaluate(t.Context(), c.Scenario)
		if (wholeErr == nil) != (briefErr == nil) {
			t.Errorf("%s: %v, want %v", c.Name, briefErr, wholeErr)
		}
		for i := range min(len(whole.Objects), len(brief.Objects)) {
			if len(brief.Objects[i].Stored) < len(whole.Objects[i].Stored) {
				saved++
			}
		}
		if diff := cmp.Diff(verdictsOf(whole), verdictsOf(brief)); diff != "" {
			t.Errorf("%s: the whole report and the brief one differ (-whole +brief):\n%s", c.Name, diff)
		}
	}
	if saved == 0 {
		t.Error("each report has all owners")
	}
}

// verdictsOf reduces a report to the part that the command check reads.
func verdictsOf(r playground.Report) playground.Report {
	verdicts := playground.Report{Kubernetes: r.Kubernetes, Conversion: r.Conversion, StoredObjects: r.StoredObjects}
	verdicts.CRD = playground.CRD{
		Accepted: r.CRD.Accepted, Status: r.CRD.Status, Output: r.CRD.Output, Warnings: r.CRD.Warnings, Findings: r.CRD.Findings,
		EstimatedCost: r.CRD.EstimatedCost, Versions: r.CRD.Versions, Conditions: r.CRD.Conditions,
	}
	for _, o := range r.Objects {
		verdicts.Objects = append(verdicts.Objects, playground.Object{
			Accepted: o.Accepted, Status: o.Status, Output: o.Output, Warnings: o.Warnings, Findings: o.Findings,
			RulesCost: o.RulesCost, DependsOn: o.DependsOn, Scale: o.Scale, Stages: o.Stages,
		})
	}
	return verdicts
}
