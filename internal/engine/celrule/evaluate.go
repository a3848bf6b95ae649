package celrule

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/release"
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
	memory  Memo // of what upstream's validator evaluated
	// blocked: no rule is evaluated, since the object has worse errors.
	blocked bool
	budget  int64  // what is left of it; negative once it is used up
	Cost    uint64 // the sum of the actual costs so far

	Results []playground.RuleResult
	Paths   [][]any // parallel to results
	traces  int     // how many results have one
	// Rule finds the text of rule i of a node in the CRD.
	Rule    func(node *Node, i int) source.Location
	errs    field.ErrorList
	Omitted int // passes beyond maxPasses
	passes  int
	Seen    map[string]bool // the rules, by ID, that apply somewhere
}

func NewEvaluation(ctx context.Context, version string, memory Memo, blocked bool) *evaluation {
	return &evaluation{
		ctx:     ctx,
		version: version,
		memory:  memory,
		blocked: blocked,
		budget:  celconfig.RuntimeCELCostBudget,
		Results: []playground.RuleResult{},
		Seen:    map[string]bool{},
	}
}

// Walk evaluates the rules of node at p, and those below.
func (e *evaluation) Walk(node *Node, p Target) {
	if node == nil || p.Value == nil {
		return
	}
	e.evaluateNode(node, p)
	switch value := p.Value.(type) {
	case []any:
		olds := p.OldItems(node.Schema)
		for i, item := range value {
			e.Walk(node.Items, p.Item(i, item, olds.Get(item)))
		}
	case map[string]any:
		old := p.OldMembers(node.Schema)
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if property, ok := node.Properties[key]; ok {
				e.Walk(property, p.Member(key, p.fieldPath.Child(key), value[key], old[key]))
			}
			if node.Additional != nil {
				e.Walk(node.Additional, p.Member(key, p.fieldPath.Key(key), value[key], old[key]))
			}
		}
	}
}

func (e *evaluation) evaluateNode(node *Node, p Target) {
	variables := Activations{Node: node, Place: p}
	for i := range node.Rules {
		result := playground.RuleResult{ID: ID(e.version, node, i), Path: jsonvalue.PathString(p.Path), Trace: []playground.TraceStep{}}
		e.Seen[result.ID] = true
		switch {
		case e.blocked:
			result.Outcome, result.Why = playground.OutcomeSkipped, playground.WhyBlocked
		case e.budget < 0:
			result.Outcome, result.Why = playground.OutcomeSkipped, playground.WhyBudget
		default:
			e.evaluateRule(node, i, p, &variables, &result)
			e.trace(node, i, &variables, &result)
		}
		e.add(result, p.Path)
	}
}

// trace explains a rule that does not hold. What it costs is not the object's.
func (e *evaluation) trace(node *Node, i int, variables *Activations, result *playground.RuleResult) {
	unexplained := result.Outcome == playground.OutcomeFail || result.Outcome == playground.OutcomeError || result.Why == playground.WhyRatcheted
	if !unexplained || e.traces >= maxTraces || e.budget < 0 || node.Rules[i].Program == nil {
		return
	}
	e.traces++
	result.Trace = append(result.Trace, trace(node, i, variables.of(i), e.Rule(node, i))...)
}

func (e *evaluation) add(result playground.RuleResult, path []any) {
	if result.Outcome == playground.OutcomePass {
		if e.passes++; e.passes > maxPasses {
			e.Omitted++
			return
		}
	}
	e.Results = append(e.Results, result)
	e.Paths = append(e.Paths, path)
}

// evaluateRule follows validateExpressions in
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel.
func (e *evaluation) evaluateRule(node *Node, i int, p Target, variables *Activations, result *playground.RuleResult) {
	compiled, rule := node.Rules[i], node.Schema.XValidations[i]
	if compiled.Error != nil {
		e.fail(result, field.Invalid(p.fieldPath, node.Schema.Type, fmt.Sprintf("rule compile error: %v", compiled.Error)), playground.OutcomeError)
		return
	}
	if compiled.Program == nil {
		result.Outcome = playground.OutcomePass // an empty rule holds
		return
	}
	if compiled.UsesOldSelf && p.Old == nil && !(release.HasRatcheting() && ptr.Deref(rule.OptionalOldSelf, false)) {
		result.Outcome, result.Why = playground.OutcomeSkipped, playground.WhyCreate
		return
	}
	if e.budget == 0 {
		e.exhaust(result, field.Invalid(p.fieldPath, node.Schema.Type, outOfBudget))
		return
	}
	found := e.evaluate(compiled.Program, p, variables, i)
	if !e.pay(found.cost, result) {
		e.exhaust(result, field.Invalid(p.fieldPath, node.Schema.Type, outOfBudget))
		return
	}
	switch {
	case found.err != nil:
		e.fail(result, field.Invalid(p.fieldPath, node.Schema.Type, evaluationError(found.err, rule)), playground.OutcomeError)
		if IsCallLimitError(found.err) {
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
func (e *evaluation) evaluate(program celgo.Program, p Target, variables *Activations, i int) evaluated {
	if known, ok := e.memory.recall(program, p.Value, p.Old); ok {
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
	e.Cost += cost
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

func IsCallLimitError(err error) bool {
	return strings.HasPrefix(err.Error(), "operation cancelled: actual cost limit exceeded")
}

// evaluationError words an error of a rule's evaluation as upstream does.
func evaluationError(err error, rule apiextensionsv1.ValidationRule) string {
	switch {
	case strings.HasPrefix(err.Error(), "no such overload"):
		return fmt.Sprintf("'%v': call arguments did not match a supported operator, function or macro signature for rule: %v", err, ruleName(rule))
	case IsCallLimitError(err):
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
func (e *evaluation) violate(node *Node, i int, p Target, variables *Activations, result *playground.RuleResult) {
	compiled, rule := node.Rules[i], node.Schema.XValidations[i]
	fieldPath, value := p.fieldPath, p.Value
	if compiled.NormalizedRuleFieldPath != "" {
		fieldPath = fieldPath.Child(compiled.NormalizedRuleFieldPath)
	}
	message, fatal := e.message(node, i, p, variables, result)
	if fatal != "" {
		e.exhaust(result, field.Invalid(fieldPath, node.Schema.Type, fatal))
		return
	}
	if node.Schema.Type == "object" || node.Schema.Type == "array" {
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
func (e *evaluation) message(node *Node, i int, p Target, variables *Activations, result *playground.RuleResult) (message, fatal string) {
	compiled, rule := node.Rules[i], node.Schema.XValidations[i]
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
	if found.err != nil && IsCallLimitError(found.err) {
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
