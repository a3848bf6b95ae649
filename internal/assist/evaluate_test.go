package assist_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestEvaluateAgreesWithRules evaluates the rules of the cases as expressions, for the
// same values.
func TestEvaluateAgreesWithRules(t *testing.T) {
	e := engine.New()
	compared := 0
	for _, c := range readCases(t) {
		report, err := e.Evaluate(t.Context(), c.Scenario)
		if err != nil {
			t.Fatal(err)
		}
		rules := map[string]playground.Rule{}
		for _, rule := range report.CRD.Rules {
			rules[rule.ID] = rule
		}
		for i, object := range report.Objects {
			for _, result := range object.Rules {
				if result.Outcome == playground.OutcomeSkipped || strings.TrimSpace(rules[result.ID].Rule) == "" {
					continue
				}
				if c.Name == "rules/budget" && result.Outcome == playground.OutcomeError {
					continue // An expression has a budget of its own.
				}
				compared++
				trial := playground.Expression{Expression: rules[result.ID].Rule, Object: i, Path: result.Path}
				got := respond(t, e, playground.AssistRequest{Try: &playground.TryRequest{Scenario: c.Scenario, Trial: trial}}).Try
				if difference := compareResult(got, rules[result.ID], result); difference != "" {
					t.Errorf("%s: %s at %q: %s", c.Name, result.ID, result.Path, difference)
				}
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d results were compared", compared)
	}
}

// compareResult describes the difference between an expression and a rule, or returns "".
func compareResult(got *playground.TryResult, rule playground.Rule, result playground.RuleResult) string {
	want := map[playground.Outcome]string{playground.OutcomePass: "true", playground.OutcomeFail: "false", playground.OutcomeError: ""}[result.Outcome]
	switch {
	case got.Value != want, !strings.Contains(result.Message, got.Failure):
		return fmt.Sprintf("got %+v, want %s: %s", got, result.Outcome, result.Message)
	case got.ExpressionCost != rule.ExpressionCost, got.Cardinality != rule.Cardinality, got.Unbounded != rule.Unbounded, got.EstimatedCost != rule.EstimatedCost:
		return fmt.Sprintf("got the estimate %d × %d, want %d × %d", got.ExpressionCost, got.Cardinality, rule.ExpressionCost, rule.Cardinality)
	case got.ActualCost > result.ActualCost, got.ActualCost < result.ActualCost && rule.MessageExpression == "":
		return fmt.Sprintf("got the cost %d, want %d", got.ActualCost, result.ActualCost)
	}
	return ""
}
