package ui

import (
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// admissionCounts counts the policies and webhooks: "1 policy, 2 webhooks".
func admissionCounts(a playground.ObjectAdmission) string {
	var parts []string
	if n := len(a.Policies); n == 1 {
		parts = append(parts, "1 policy")
	} else if n > 1 {
		parts = append(parts, formatInt(n)+" policies")
	}
	if n := len(a.Webhooks); n > 0 {
		parts = append(parts, count(n, "webhook"))
	}
	applies := slices.ContainsFunc(a.Policies, func(p playground.AdmissionPolicy) bool { return p.Outcome != playground.OutcomeSkipped })
	if len(a.Policies) > 0 && !applies {
		parts[0] += ", which does not apply to this request"
		if len(a.Policies) > 1 {
			parts[0] = formatInt(len(a.Policies)) + " policies, none of which applies to this request"
		}
	}
	return strings.Join(parts, ", ")
}

// isNotable reports whether the details of an outcome are shown unfolded.
func isNotable(outcome playground.Outcome) bool {
	return outcome == playground.OutcomeFail || outcome == playground.OutcomeError
}

func actionsText(actions []string) string { return strings.Join(actions, ", ") }

// invocationTitle distinguishes an invocation from others by its parameter and
// round. It is empty for a single invocation without a parameter.
func invocationTitle(invocation playground.AdmissionInvocation, several bool) string {
	var parts []string
	if invocation.Param != "" {
		parts = append(parts, "with "+invocation.Param)
	}
	switch {
	case invocation.Reinvocation:
		parts = append(parts, "reinvoked")
	case several && invocation.Param == "":
		parts = append(parts, "first call")
	}
	return strings.Join(parts, ", ")
}

// shownExpressions omits repeated evaluations of a variable and skipped message
// expressions.
func shownExpressions(all []playground.AdmissionExpression) []playground.AdmissionExpression {
	var shown []playground.AdmissionExpression
	variables := map[string]bool{}
	for _, e := range all {
		repeated := e.Kind == playground.ExpressionVariable && variables[e.Name]
		unneeded := e.Kind == playground.ExpressionMessage && e.Outcome == playground.OutcomeSkipped
		if repeated || unneeded {
			continue
		}
		variables[e.Name] = variables[e.Name] || e.Kind == playground.ExpressionVariable
		shown = append(shown, e)
	}
	return shown
}

var expressionKinds = map[string]string{
	playground.ExpressionMatchCondition:  "match condition",
	playground.ExpressionVariable:        "variable",
	playground.ExpressionValidation:      "validation",
	playground.ExpressionMessage:         "message",
	playground.ExpressionAuditAnnotation: "audit annotation",
	playground.ExpressionMutation:        "mutation",
}

// expressionTitle returns the kind of an expression, with its name if it is not
// an index.
func expressionTitle(e playground.AdmissionExpression) string {
	switch e.Kind {
	case playground.ExpressionMatchCondition, playground.ExpressionVariable, playground.ExpressionAuditAnnotation:
		return expressionKinds[e.Kind] + " " + e.Name
	}
	return expressionKinds[e.Kind]
}

// expressionValue returns the result of an expression, or an empty string if
// the outcome already implies it.
func expressionValue(e playground.AdmissionExpression) string {
	if isNull(e.Value) || e.Kind == playground.ExpressionValidation || e.Kind == playground.ExpressionMatchCondition {
		return ""
	}
	return truncateJSON(e.Value)
}

func webhookKind(w playground.AdmissionWebhook) string {
	if w.Kind == "MutatingWebhookConfiguration" {
		return "mutating webhook of " + w.Configuration
	}
	return "validating webhook of " + w.Configuration
}

func requestTitle(call playground.AdmissionCall) string {
	if call.Reinvocation {
		return "AdmissionReview request after a reinvocation, because the object changed"
	}
	return "AdmissionReview request"
}
