package celrule

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// violate sets the result of a rule that evaluated to false.
func (e *evaluation) violate(n *instance, i int, result *playground.RuleResult) {
	compiled := n.node.Rules[i]
	fieldPath, value := n.target.fieldPath, n.target.Value
	if compiled.NormalizedRuleFieldPath != "" {
		fieldPath = fieldPath.Child(compiled.NormalizedRuleFieldPath)
	}
	message, ignored, fatal := e.message(n, i, result)
	if fatal != "" {
		e.exhaust(result, field.Invalid(fieldPath, n.node.Schema.Type, fatal))
		return
	}
	if n.node.Schema.Type == "object" || n.node.Schema.Type == "array" {
		value = field.OmitValueType{}
	}
	if !compiled.UsesOldSelf && n.target.isUnchanged() {
		result.Outcome, result.Why, result.Message = playground.OutcomeSkipped, playground.WhyRatcheted, message
		return
	}
	err := violation(fieldPath, value, message, n.rule(i).Reason)
	fail(result, err, playground.OutcomeFail)
	if e.traces < maxTraces {
		if fault := n.explainViolation(i, e.options.Locate(n.node, i, "rule")); fault != nil {
			fault.Field, fault.Message = err.Field, err.ErrorBody()
			e.Faults = append(e.Faults, *fault)
		}
	}
	if ignored != "" {
		e.MessageErrors = append(e.MessageErrors, e.explainIgnored(n, i, err, ignored))
	}
}

// MessageAdvice returns what to do about a messageExpression that failed for the reason.
func MessageAdvice(reason string) string {
	if strings.HasPrefix(reason, "no such key") {
		return ". If the field may be absent, write a.?b.orValue('')"
	}
	return ""
}

// explainIgnored returns the reason why the API server ignored the messageExpression of rule i. If
// its evaluation failed, the reason names the part. Its cost does not count.
func (e *evaluation) explainIgnored(n *instance, i int, violation *field.Error, reason string) MessageError {
	location := e.options.Locate(n.node, i, "messageExpression")
	ignored := MessageError{Violation: violation, Reason: reason, At: location.Value()}
	if len(e.MessageErrors) >= maxTraces {
		return ignored
	}
	if fault := n.node.tracedMessage(i).Fault(n.variables(i), errors.New(reason), location, nil); fault != nil {
		ignored.Reason, ignored.At, ignored.Fails = reason+". "+fault.Explanation+MessageAdvice(reason), fault.Range, true
	}
	return ignored
}

// message returns the message of a violated rule: the value of its
// messageExpression if usable, otherwise its message, otherwise a default. ignored is
// the reason why the API server ignores the expression; empty if it uses the value. fatal
// is set if evaluating the expression exhausted the budget.
func (e *evaluation) message(n *instance, i int, result *playground.RuleResult) (message, ignored, fatal string) {
	compiled, rule := n.node.Rules[i], n.rule(i)
	fallback := strings.TrimSpace(rule.Message)
	if rule.Message == "" {
		fallback = "failed rule: " + ruleName(rule)
	}
	if compiled.MessageExpression == nil {
		return fallback, "", ""
	}
	found := e.run(compiled.MessageExpression, n, i)
	if !e.pay(found.cost, result) {
		return "", "", "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
	}
	if found.err != nil && IsCallLimitError(found.err) {
		return "", "", fmt.Sprintf("no further validation rules will be run due to call cost exceeds limit for messageExpression: %q", rule.MessageExpression)
	}
	if found.err != nil {
		return fallback, found.err.Error(), ""
	}
	text, _ := found.value.Value().(string)
	text = strings.TrimSpace(text)
	if ignored := unusable(text); ignored != "" {
		return fallback, ignored, ""
	}
	return text, "", ""
}

// unusable returns the reason why the API server ignores the value of a
// messageExpression; empty if it uses the value.
func unusable(message string) string {
	switch {
	case message == "":
		return "the value is empty"
	case strings.Contains(message, "\n"):
		return "the value contains line breaks"
	case len(message) > celconfig.MaxEvaluatedMessageExpressionSizeBytes:
		return fmt.Sprintf("the value exceeds %d bytes", celconfig.MaxEvaluatedMessageExpressionSizeBytes)
	}
	return ""
}

func violation(fieldPath *field.Path, value any, message string, reason *apiextensionsv1.FieldValueErrorReason) *field.Error {
	switch ptr.Deref(reason, apiextensionsv1.FieldValueInvalid) {
	case apiextensionsv1.FieldValueForbidden:
		return field.Forbidden(fieldPath, message)
	case apiextensionsv1.FieldValueRequired:
		return field.Required(fieldPath, message)
	case apiextensionsv1.FieldValueDuplicate:
		return field.Duplicate(fieldPath, value)
	}
	return field.Invalid(fieldPath, value, message)
}

// explainViolation returns the cause of a violation of rule i that authors rarely expect, or nil:
// an empty value is present, so that has() of it is true, and it is the first value of an immutable
// field.
func (n *instance) explainViolation(i int, location source.Location) *Fault {
	rule := n.rule(i)
	if n.node.Rules[i].UsesOldSelf && n.target.Old == "" && !ptr.Deref(rule.OptionalOldSelf, false) {
		const check = "oldSelf == ''"
		return &Fault{
			Expression: location, Lacks: "whose stored value is empty", Guard: &Guard{check + " || (" + rule.Rule + ")", check},
			Hint: "The stored value is an empty string, which a transition rule treats like any other value.",
		}
	}
	traced := n.node.tracedRule(i)
	if traced.program == nil || !strings.Contains(rule.Rule, operators.Has+"(") {
		return nil
	}
	input := n.variables(i)
	for _, tested := range traced.testedFields() {
		test := operators.Has + "(" + tested + ")"
		if isEmpty(traced.evaluateInstead(tested, input)) && traced.evaluateInstead(strings.ReplaceAll(rule.Rule, test, "false"), input) == types.True {
			return &Fault{Hint: fmt.Sprintf("%s is true because the field is present, even though its value is empty. "+
				"Remove the field from the object, or compare its value in the rule.", test)}
		}
	}
	return nil
}

// testedFields returns the operands of has().
func (t *Traced) testedFields() (fields []string) {
	info := t.checked.NativeRep().SourceInfo()
	finder := faultFinder{text: t.text, info: info}
	for _, macro := range info.MacroCalls() {
		if call := macro.AsCall(); call.FunctionName() == operators.Has {
			fields = append(fields, finder.source(call.Args()[0]))
		}
	}
	slices.Sort(fields)
	return slices.Compact(fields)
}

// isEmpty reports whether a value is an empty string, list or map.
func isEmpty(value ref.Val) bool {
	sized, ok := value.(traits.Sizer)
	return ok && sized.Size() == types.Int(0)
}
