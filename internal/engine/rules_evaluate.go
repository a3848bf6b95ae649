package engine

import (
	"context"
	"fmt"
	"math"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// maxPasses is how many passing results an object's report lists; a list of
// ten thousand items would bury the others.
const maxPasses = 2000

// evaluation evaluates the rules of an object one by one. Its results agree
// with those of upstream's cel.Validator, which gives the verdict.
type evaluation struct {
	ctx     context.Context
	version string
	memory  memory // of what upstream's validator evaluated
	// blocked: no rule is evaluated, since the object has worse errors.
	blocked bool
	budget  int64  // what is left of it; negative once it is used up
	cost    uint64 // the sum of the actual costs so far

	results []playground.RuleResult
	paths   [][]any // parallel to results
	traces  int     // how many results have one
	// rule finds the text of rule i of a node in the CRD.
	rule    func(node *ruleNode, i int) source.Location
	errs    field.ErrorList
	omitted int // passes beyond maxPasses
	passes  int
	seen    map[string]bool // the rules, by ID, that apply somewhere
}

func newEvaluation(ctx context.Context, version string, memory memory, blocked bool) *evaluation {
	return &evaluation{
		ctx:     ctx,
		version: version,
		memory:  memory,
		blocked: blocked,
		budget:  celconfig.RuntimeCELCostBudget,
		results: []playground.RuleResult{},
		seen:    map[string]bool{},
	}
}

// walk evaluates the rules of node at p, and those below.
func (e *evaluation) walk(node *ruleNode, p place) {
	if node == nil || p.value == nil {
		return
	}
	e.evaluateNode(node, p)
	switch value := p.value.(type) {
	case []any:
		olds := p.oldItems(node.schema)
		for i, item := range value {
			e.walk(node.items, p.item(i, item, olds.Get(item)))
		}
	case map[string]any:
		old := p.oldMembers(node.schema)
		for _, key := range sortedKeys(value) {
			if property, ok := node.properties[key]; ok {
				e.walk(property, p.member(key, p.fieldPath.Child(key), value[key], old[key]))
			}
			if node.additional != nil {
				e.walk(node.additional, p.member(key, p.fieldPath.Key(key), value[key], old[key]))
			}
		}
	}
}

func (e *evaluation) evaluateNode(node *ruleNode, p place) {
	variables := activations{node: node, place: p}
	for i := range node.rules {
		result := playground.RuleResult{ID: ruleID(e.version, node, i), Path: valuePath(p.path), Trace: []playground.TraceStep{}}
		e.seen[result.ID] = true
		switch {
		case e.blocked:
			result.Outcome, result.Why = playground.OutcomeSkipped, playground.WhyBlocked
		case e.budget < 0:
			result.Outcome, result.Why = playground.OutcomeSkipped, playground.WhyBudget
		default:
			e.evaluateRule(node, i, p, &variables, &result)
			e.trace(node, i, &variables, &result)
		}
		e.add(result, p.path)
	}
}

// trace explains a rule that does not hold. What it costs is not the object's.
func (e *evaluation) trace(node *ruleNode, i int, variables *activations, result *playground.RuleResult) {
	unexplained := result.Outcome == playground.OutcomeFail || result.Outcome == playground.OutcomeError || result.Why == playground.WhyRatcheted
	if !unexplained || e.traces >= maxTraces || e.budget < 0 || node.rules[i].Program == nil {
		return
	}
	e.traces++
	result.Trace = append(result.Trace, trace(node, i, variables.of(i), e.rule(node, i))...)
}

func (e *evaluation) add(result playground.RuleResult, path []any) {
	if result.Outcome == playground.OutcomePass {
		if e.passes++; e.passes > maxPasses {
			e.omitted++
			return
		}
	}
	e.results = append(e.results, result)
	e.paths = append(e.paths, path)
}

// evaluateRule follows validateExpressions in
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel.
func (e *evaluation) evaluateRule(node *ruleNode, i int, p place, variables *activations, result *playground.RuleResult) {
	compiled, rule := node.rules[i], node.schema.XValidations[i]
	if compiled.Error != nil {
		e.fail(result, field.Invalid(p.fieldPath, node.schema.Type, fmt.Sprintf("rule compile error: %v", compiled.Error)), playground.OutcomeError)
		return
	}
	if compiled.Program == nil {
		result.Outcome = playground.OutcomePass // an empty rule holds
		return
	}
	if compiled.UsesOldSelf && p.old == nil && !(ratchets() && ptr.Deref(rule.OptionalOldSelf, false)) {
		result.Outcome, result.Why = playground.OutcomeSkipped, playground.WhyCreate
		return
	}
	if e.budget == 0 {
		e.exhaust(result, field.Invalid(p.fieldPath, node.schema.Type, outOfBudget))
		return
	}
	found := e.evaluate(compiled.Program, p, variables, i)
	if !e.pay(found.cost, result) {
		e.exhaust(result, field.Invalid(p.fieldPath, node.schema.Type, outOfBudget))
		return
	}
	switch {
	case found.err != nil:
		e.fail(result, field.Invalid(p.fieldPath, node.schema.Type, evaluationError(found.err, rule)), playground.OutcomeError)
		if isCallLimit(found.err) {
			e.budget = -1
		}
	case found.value == types.True:
		result.Outcome = playground.OutcomePass
	default:
		e.violate(node, i, p, variables, result)
	}
}

// evaluate returns the value of rule i, or of its message, at p. The values of
// most rules are in the memory.
func (e *evaluation) evaluate(program celgo.Program, p place, variables *activations, i int) evaluated {
	if known, ok := e.memory.recall(program, p.value, p.old); ok {
		return known
	}
	return newEvaluated(program.ContextEval(e.ctx, variables.of(i)))
}

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

// pay takes the cost of an evaluation from the budget. It reports false if
// the budget does not suffice.
func (e *evaluation) pay(actual *uint64, result *playground.RuleResult) bool {
	if actual == nil {
		return false
	}
	cost := *actual
	if cost > math.MaxInt64 || int64(cost) > e.budget {
		return false
	}
	e.budget -= int64(cost)
	e.cost += cost
	result.ActualCost += cost
	return true
}

func (e *evaluation) fail(result *playground.RuleResult, err *field.Error, outcome playground.Outcome) {
	result.Outcome = outcome
	result.Message = err.Detail
	e.errs = append(e.errs, err)
}

func (e *evaluation) exhaust(result *playground.RuleResult, err *field.Error) {
	e.fail(result, err, playground.OutcomeError)
	e.budget = -1
}

func isCallLimit(err error) bool {
	return strings.HasPrefix(err.Error(), "operation cancelled: actual cost limit exceeded")
}

// evaluationError words an error of a rule's evaluation as upstream does.
func evaluationError(err error, rule apiextensionsv1.ValidationRule) string {
	switch {
	case strings.HasPrefix(err.Error(), "no such overload"):
		return fmt.Sprintf("'%v': call arguments did not match a supported operator, function or macro signature for rule: %v", err, ruleName(rule))
	case isCallLimit(err):
		return fmt.Sprintf("'%v': no further validation rules will be run due to call cost exceeds limit for rule: %v", err, ruleName(rule))
	}
	return fmt.Sprintf("%v evaluating rule: %v", err, ruleName(rule))
}

func ruleName(rule apiextensionsv1.ValidationRule) string {
	if rule.Message != "" {
		return strings.TrimSpace(rule.Message)
	}
	return strings.TrimSpace(rule.Rule)
}

// violate reports a rule that does not hold.
func (e *evaluation) violate(node *ruleNode, i int, p place, variables *activations, result *playground.RuleResult) {
	compiled, rule := node.rules[i], node.schema.XValidations[i]
	fieldPath, value := p.fieldPath, p.value
	if compiled.NormalizedRuleFieldPath != "" {
		fieldPath = fieldPath.Child(compiled.NormalizedRuleFieldPath)
	}
	message, fatal := e.message(node, i, p, variables, result)
	if fatal != "" {
		e.exhaust(result, field.Invalid(fieldPath, node.schema.Type, fatal))
		return
	}
	if node.schema.Type == "object" || node.schema.Type == "array" {
		value = field.OmitValueType{}
	}
	if !compiled.UsesOldSelf && p.unchanged() {
		result.Outcome, result.Why, result.Message = playground.OutcomeSkipped, playground.WhyRatcheted, message
		return
	}
	e.fail(result, violation(fieldPath, value, message, rule.Reason), playground.OutcomeFail)
}

// message is what the violation of a rule says: the value of its
// messageExpression if that is usable, else its message, else a default.
// fatal is not empty if evaluating the expression used the budget up.
func (e *evaluation) message(node *ruleNode, i int, p place, variables *activations, result *playground.RuleResult) (message, fatal string) {
	compiled, rule := node.rules[i], node.schema.XValidations[i]
	fallback := strings.TrimSpace(rule.Message)
	if rule.Message == "" {
		fallback = "failed rule: " + ruleName(rule)
	}
	if compiled.MessageExpression == nil {
		return fallback, ""
	}
	found := e.evaluate(compiled.MessageExpression, p, variables, i)
	if !e.pay(found.cost, result) {
		return "", "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
	}
	if found.err != nil && isCallLimit(found.err) {
		return "", fmt.Sprintf("no further validation rules will be run due to call cost exceeds limit for messageExpression: %q", rule.MessageExpression)
	}
	if found.err != nil {
		return fallback, ""
	}
	text, ok := found.value.Value().(string)
	text = strings.TrimSpace(text)
	if !ok || text == "" || strings.Contains(text, "\n") || len(text) > celconfig.MaxEvaluatedMessageExpressionSizeBytes {
		return fallback, ""
	}
	return text, ""
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
