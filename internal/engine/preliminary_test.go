//go:build !js

package engine_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/crdlab/crdlab/internal/engine/whole"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestPreliminary asks for a preliminary answer to each case, however few rules
// its CRD has. Where the rules are fine it has to be the answer; otherwise its
// problems have to be among those of the answer.
func TestPreliminary(t *testing.T) {
	preliminaries := 0
	for _, c := range readCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			e := whole.New()
			e.SetImmediateRules(0)
			early, preliminary, err := e.Preliminary(context.Background(), c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			late, err := e.Evaluate(context.Background(), c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			sole, err := whole.New().Evaluate(context.Background(), c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(encoded(t, sole), encoded(t, late)); diff != "" {
				t.Errorf("the report after a preliminary one differs from the one without (-without +after):\n%s", diff)
			}
			if preliminary {
				preliminaries++
			}
			if preliminary && !late.CRD.Accepted {
				checkAmong(t, early.CRD.Findings, late.CRD.Findings)
				return
			}
			if diff := cmp.Diff(encoded(t, late), encoded(t, early)); diff != "" {
				t.Errorf("the preliminary report differs (-late +early):\n%s", diff)
			}
		})
	}
	if preliminaries == 0 {
		t.Error("no case has a preliminary answer")
	}
}

func encoded(t *testing.T, report playground.Report) string {
	text, err := cases.Encode(report)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func checkAmong(t *testing.T, some, all []playground.Finding) {
	for _, early := range some {
		isLate := slices.ContainsFunc(all, func(late playground.Finding) bool {
			return late.Field == early.Field && late.Message == early.Message
		})
		if !isLate {
			t.Errorf("a finding of the preliminary answer only: %s: %s", early.Field, early.Message)
		}
	}
}

// TestPreliminaryOfManyRules holds the answer to be preliminary if there are many
// rules, until the CRD is known.
func TestPreliminaryOfManyRules(t *testing.T) {
	many, few := generated("rules", 100, fieldWithRule), generated("rules", 10, fieldWithRule)
	e := whole.New()
	check := func(w workload, want bool) playground.Report {
		t.Helper()
		report, preliminary, err := e.Preliminary(context.Background(), playground.Scenario{CRD: w.crd, Object: w.object})
		if err != nil || preliminary != want {
			t.Errorf("preliminary is %v, want %v; error %v", preliminary, want, err)
		}
		return report
	}
	check(few, false)
	check(many, true)
	if _, err := e.Evaluate(context.Background(), playground.Scenario{CRD: many.crd}); err != nil {
		t.Fatal(err)
	}
	check(many, false)
	many.crd = strings.Replace(many.crd, "self.low", "self.lower", 1)
	early := check(many, true)
	late, err := e.Evaluate(context.Background(), playground.Scenario{CRD: many.crd, Object: many.object})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(encoded(t, late), encoded(t, early)); diff != "" || late.CRD.Accepted {
		t.Errorf("the preliminary report of a bad rule differs (-late +early):\n%s", diff)
	}
}

// TestEditOfDescription holds a CRD of which a description alone changed to be
// answered as one that is new, and at once.
func TestEditOfDescription(t *testing.T) {
	w := generated("rules", 100, fieldWithRule)
	before := strings.Replace(w.crd, "type: object", "type: object\n        description: Things.", 1)
	if before == w.crd {
		t.Fatal("no place for a description")
	}
	for _, edit := range []struct {
		name, old, new string
		preliminary    bool
	}{
		{"in the description", "Things.", "All things.", false},
		{"description gone", "description: Things.", "", true},
		{"in a rule", "self.low", "self.lower", true},
		{"in another keyword", "description: Things.", "description: Things.\n        maxProperties: 100", true},
	} {
		t.Run(edit.name, func(t *testing.T) {
			after := playground.Scenario{CRD: strings.Replace(before, edit.old, edit.new, 1), Object: w.object, Now: cases.Now}
			e := whole.New()
			if _, err := e.Evaluate(context.Background(), playground.Scenario{CRD: before}); err != nil {
				t.Fatal(err)
			}
			got, preliminary, err := e.Preliminary(context.Background(), after)
			if err != nil || preliminary != edit.preliminary {
				t.Errorf("preliminary is %v, want %v; error %v", preliminary, edit.preliminary, err)
			}
			want, err := whole.New().Evaluate(context.Background(), after)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(encoded(t, want), encoded(t, got)); diff != "" {
				t.Errorf("the report differs from that of a new engine (-new +got):\n%s", diff)
			}
		})
	}
}
