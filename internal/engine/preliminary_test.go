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

// TestPreliminary compares the preliminary report of each case with the final report. The two must be
// equal, except for witnesses.
func TestPreliminary(t *testing.T) {
	count := 0
	for _, c := range readCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			e := engine.New()
			early, preliminary, err := e.Preliminary(context.Background(), c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			late, err := e.Evaluate(context.Background(), c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			if preliminary {
				count++
				early.CRD.Changes, late.CRD.Changes = withoutWitnesses(early.CRD.Changes), withoutWitnesses(late.CRD.Changes)
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

// TestCRDEdit checks that an edited CRD has the report of a new CRD.
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
			got, err := e.Evaluate(context.Background(), after)
			if err != nil {
				t.Fatal(err)
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
