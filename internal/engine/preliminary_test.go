//go:build !js

package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestPreliminary compares the preliminary report of each case with the final report,
// for any number of rules. The two must be equal if the CRD is accepted, except for
// witnesses and for notes, which only the final report has. Otherwise the final findings must include the preliminary ones.
func TestPreliminary(t *testing.T) {
	count := 0
	for _, c := range readCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			e := engine.New()
			e.SetImmediateRules(0)
			early, preliminary, err := e.Preliminary(context.Background(), c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			late, err := e.Evaluate(context.Background(), c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			fresh, err := engine.New().Evaluate(context.Background(), c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(encode(t, fresh), encode(t, late)); diff != "" {
				t.Errorf("the report after a preliminary one differs from the report of a new engine (-new +after):\n%s", diff)
			}
			if preliminary {
				count++
				early.CRD.Changes, late.CRD.Changes = withoutWitnesses(early.CRD.Changes), withoutWitnesses(late.CRD.Changes)
				late.CRD.Findings = slices.DeleteFunc(slices.Clone(late.CRD.Findings), func(f playground.Finding) bool { return f.Stage == playground.StageNotes })
			}
			if preliminary && !late.CRD.Accepted {
				checkSubset(t, early.CRD.Findings, late.CRD.Findings)
				return
			}
			if diff := cmp.Diff(encode(t, late), encode(t, early)); diff != "" {
				t.Errorf("the preliminary report differs (-late +early):\n%s", diff)
			}
		})
	}
	if count == 0 {
		t.Error("no case has a preliminary report")
	}
}

// withoutWitnesses returns changes without the results of the search for witnesses.
func withoutWitnesses(changes []playground.CRDChange) []playground.CRDChange {
	out := slices.Clone(changes)
	for i := range out {
		out[i].Class, out[i].Witness = "", nil
	}
	return out
}

func encode(t *testing.T, report playground.Report) string {
	data, err := cases.Encode(report)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// checkSubset fails if a finding of some is not in all.
func checkSubset(t *testing.T, some, all []playground.Finding) {
	for _, early := range some {
		isLate := slices.ContainsFunc(all, func(late playground.Finding) bool {
			return late.Field == early.Field && late.Message == early.Message
		})
		if !isLate {
			t.Errorf("only the preliminary report has a finding: %s: %s", early.Field, early.Message)
		}
	}
}

// TestPreliminaryLimit checks that only the report of a CRD with more than
// crd.MaxImmediateRules new rules is preliminary.
func TestPreliminaryLimit(t *testing.T) {
	large, small := generate("rules", 100, fieldWithRule), generate("rules", 10, fieldWithRule)
	e := engine.New()
	check := func(w workload, want bool) playground.Report {
		t.Helper()
		report, preliminary, err := e.Preliminary(context.Background(), playground.Scenario{CRD: w.crd, Object: w.object})
		if err != nil || preliminary != want {
			t.Errorf("preliminary is %v, want %v; error %v", preliminary, want, err)
		}
		return report
	}
	check(small, false)
	e = engine.New() // the two CRDs have equal rules
	check(large, true)
	if _, err := e.Evaluate(context.Background(), playground.Scenario{CRD: large.crd}); err != nil {
		t.Fatal(err)
	}
	check(large, false)
	edited := large
	edited.crd = strings.Replace(large.crd, "self.low", "self.lower", 1)
	check(edited, false)
	large.crd = strings.ReplaceAll(large.crd, "self.low", "self.lowest")
	early := check(large, true)
	late, err := e.Evaluate(context.Background(), playground.Scenario{CRD: large.crd, Object: large.object})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(encode(t, late), encode(t, early)); diff != "" || late.CRD.Accepted {
		t.Errorf("the preliminary report of an invalid rule differs (-late +early):\n%s", diff)
	}
}

// TestCRDEdit checks that an edited CRD has the report of a new CRD, but no preliminary
// report.
func TestCRDEdit(t *testing.T) {
	w := generate("rules", 100, fieldWithRule)
	before := strings.Replace(w.crd, "type: object", "type: object\n        description: Things.", 1)
	if before == w.crd {
		t.Fatal("no place for a description")
	}
	for _, edit := range []struct{ name, old, new string }{
		{"in the description", "Things.", "All things."},
		{"description gone", "description: Things.", ""},
		{"in a rule", "self.low", "self.lower"},
		{"in another keyword", "description: Things.", "description: Things.\n        maxProperties: 100"},
	} {
		t.Run(edit.name, func(t *testing.T) {
			after := playground.Scenario{CRD: strings.Replace(before, edit.old, edit.new, 1), Object: w.object, Now: cases.Now}
			e := engine.New()
			if _, err := e.Evaluate(context.Background(), playground.Scenario{CRD: before}); err != nil {
				t.Fatal(err)
			}
			got, preliminary, err := e.Preliminary(context.Background(), after)
			if err != nil || preliminary {
				t.Errorf("preliminary is %v, want false; error %v", preliminary, err)
			}
			want, err := engine.New().Evaluate(context.Background(), after)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(encode(t, want), encode(t, got)); diff != "" {
				t.Errorf("the report differs from that of a new engine (-new +got):\n%s", diff)
			}
		})
	}
}
