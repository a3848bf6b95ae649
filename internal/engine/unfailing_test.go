package engine_test

import (
	"os"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestUnfailingRules finds the rules with the prefix "unfailing" in their message.
func TestUnfailingRules(t *testing.T) {
	crd, err := os.ReadFile("testdata/unfailing.yaml")
	if err != nil {
		t.Fatal(err)
	}
	e, s := engine.New(), playground.Scenario{CRD: string(crd)}
	report, err := e.Evaluate(t.Context(), s)
	if err != nil || !report.CRD.Accepted {
		t.Fatalf("%v: %s", err, report.CRD.Status.Message)
	}
	got, err := e.UnfailingRules(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range report.CRD.Rules {
		if want := strings.HasPrefix(rule.Message, "unfailing: "); got[rule.ID] != want {
			t.Errorf("%s (%s): got %v, want %v", rule.Rule, rule.Message, got[rule.ID], want)
		}
	}
}
