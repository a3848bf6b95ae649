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

// maxPasses limits the passing results in the report of an object. The items of a
// long list would otherwise hide all other results.
const maxPasses = 2000

// Options holds the parameters of [Evaluate].
type Options struct {
	Version string // of the object, for the IDs of rules
	// Memo holds the results of upstream's validator.
	Memo Memo
	// Blocked skips all rules, because earlier errors of the object prevent the API
	// server from evaluating them.
	Blocked bool
	// Locate returns the location of a keyword of rule i of a node in the CRD: rule or
	// messageExpression.
	Locate func(node *Node, i int, keyword string) source.Location
}

// Outcome holds the results of all rules at all values of an object.
type Outcome struct {
	Results []playground.RuleResult
	Paths   [][]any // of the values, parallel to Results
	Cost    uint64  // the total actual cost
	Omitted int     // the number of passing results beyond maxPasses
	// Applied holds the IDs of the rules that apply to at least one value.
	Applied map[string]bool
	// MessageErrors lists the violated rules whose messageExpression has no usable value.
	MessageErrors []MessageError
	// Faults lists the causes of errors and violations of rules with a trace.
	Faults []Fault
}

// A MessageError is the reason why the API server ignored a messageExpression.
type MessageError struct {
	Violation *field.Error // the error of the rule
	Reason    string
	At        playground.Range // of the expression, or of the part that failed
	Fails     bool             // reports that the expression failed
}

// Evaluate evaluates the rules of node and of its descendants against t, one by
// one. The results agree with upstream's cel.Validator, which decides
// whether the object is valid.
func Evaluate(ctx context.Context, node *Node, t Target, options Options) Outcome {
	e := evaluation{
		ctx:     ctx,
		options: options,
		budget:  celconfig.RuntimeCELCostBudget,
		Outcome: Outcome{Results: []playground.RuleResult{}, Applied: map[string]bool{}},
	}
	e.walk(node, t)
	return e.Outcome
}

// An evaluation is the state of one call of [Evaluate].
type evaluation struct {
	ctx     context.Context
	options Options
	budget  int64 // the remaining cost budget; negative once it is exhausted
	traces  int   // the number of results with a trace
	passes  int
	Outcome
}

func (e *evaluation) walk(node *Node, t Target) {
	if node == nil || t.Value == nil {
		return
	}
	e.evaluateNode(node, t)
	switch value := t.Value.(type) {
	case []any:
		olds := t.OldItems(node.Schema)
		for i, item := range value {
			e.walk(node.Items, t.Item(i, item, olds.Get(item)))
		}
	case map[string]any:
		old := t.OldMembers(node.Schema)
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if property, ok := node.Properties[key]; ok {
				e.walk(property, t.Member(key, t.fieldPath.Child(key), value[key], old[key]))
			}
			if node.Additional != nil {
				e.walk(node.Additional, t.Member(key, t.fieldPath.Key(key), value[key], old[key]))
			}
		}
	}
}

// An instance is a node with one of its values. All rules of the node share its
// variables.
type instance struct {
	node     *Node
	target   Target
	bindings *Bindings // nil until a rule needs them
}

// variables returns the CEL variables of rule i.
func (n *instance) variables(i int) map[string]any {
	if n.bindings == nil {
		n.bindings = Bind(n.node, n.target)
	}
	if ptr.Deref(n.rule(i).OptionalOldSelf, false) {
		return n.bindings.Optional
	}
	return n.bindings.Plain
}

// rule returns rule i as written in the schema.
func (n *instance) rule(i int) apiextensionsv1.ValidationRule { return n.node.Schema.XValidations[i] }

// invalid returns an error about the type of the value, in upstream's form.
func (n *instance) invalid(message string) *field.Error {
	return field.Invalid(n.target.fieldPath, n.node.Schema.Type, message)
}

func (e *evaluation) evaluateNode(node *Node, t Target) {
	n := &instance{node: node, target: t}
	for i := range node.Rules {
		result := playground.RuleResult{ID: node.RuleID(e.options.Version, i), Path: jsonvalue.PathString(t.Path), Trace: []playground.TraceStep{}}
		e.Applied[result.ID] = true
		switch {
		case e.options.Blocked:
			result.Outcome, result.Why = playground.OutcomeSkipped, playground.WhyBlocked
		case e.budget < 0:
			result.Outcome, result.Why = playground.OutcomeSkipped, playground.WhyBudget
		default:
			e.evaluateRule(n, i, &result)
			e.trace(n, i, &result)
		}
		e.add(result, t.Path)
	}
}

// trace adds a trace to the result of a violated rule. Its cost does not count.
func (e *evaluation) trace(n *instance, i int, result *playground.RuleResult) {
	unexplained := result.Outcome == playground.OutcomeFail || result.Outcome == playground.OutcomeError || result.Why == playground.WhyRatcheted
	if !unexplained || e.traces >= maxTraces || e.budget < 0 || n.node.Rules[i].Program == nil {
		return
	}
	e.traces++
	result.Trace = append(result.Trace, traceRule(n.node, i, n.variables(i), e.options.Locate(n.node, i, "rule"))...)
}

// explainFault adds the cause of an error of rule i. Its cost does not count.
func (e *evaluation) explainFault(n *instance, i int, violation *field.Error, err error) {
	if len(e.Faults) >= maxTraces {
		return
	}
	if fault := n.node.tracedRule(i).Fault(n.variables(i), err, e.options.Locate(n.node, i, "rule"), nil); fault != nil {
		fault.Field, fault.Message = violation.Field, violation.ErrorBody()
		e.Faults = append(e.Faults, *fault)
	}
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

// evaluateRule follows validateExpressions of
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel.
func (e *evaluation) evaluateRule(n *instance, i int, result *playground.RuleResult) {
	compiled, rule := n.node.Rules[i], n.rule(i)
	if compiled.Error != nil {
		fail(result, n.invalid(fmt.Sprintf("rule compile error: %v", compiled.Error)), playground.OutcomeError)
		return
	}
	if compiled.Program == nil {
		result.Outcome = playground.OutcomePass // an empty rule
		return
	}
	if compiled.UsesOldSelf && n.target.Old == nil && !(release.HasRatcheting() && ptr.Deref(rule.OptionalOldSelf, false)) {
		result.Outcome, result.Why = playground.OutcomeSkipped, playground.WhyCreate
		return
	}
	if e.budget == 0 {
		e.exhaust(result, n.invalid(outOfBudget))
		return
	}
	found := e.run(compiled.Program, n, i)
	if !e.pay(found.cost, result) {
		e.exhaust(result, n.invalid(outOfBudget))
		return
	}
	switch {
	case found.err != nil:
		err := n.invalid(evaluationError(found.err, rule))
		fail(result, err, playground.OutcomeError)
		if IsCallLimitError(found.err) {
			e.budget = -1
			return
		}
		e.explainFault(n, i, err, found.err)
	case found.value == types.True:
		result.Outcome = playground.OutcomePass
	default:
		e.violate(n, i, result)
	}
}

// run returns the value of rule i, or of its messageExpression. The memo holds the
// values of most rules.
func (e *evaluation) run(program celgo.Program, n *instance, i int) evaluated {
	if known, ok := e.options.Memo.lookUp(program, n.target.Value, n.target.Old); ok {
		return known
	}
	return newEvaluated(program.ContextEval(e.ctx, n.variables(i)))
}

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

// pay deducts the cost of an evaluation from the budget. It reports false if the
// cost is unknown or exceeds the budget.
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

func fail(result *playground.RuleResult, err *field.Error, outcome playground.Outcome) {
	result.Outcome = outcome
	result.Message = err.Detail
}

// exhaust ends the evaluation, because a rule exceeded the budget.
func (e *evaluation) exhaust(result *playground.RuleResult, err *field.Error) {
	fail(result, err, playground.OutcomeError)
	e.budget = -1
}

// IsCallLimitError reports whether an evaluation exceeded the cost limit of a
// single expression.
func IsCallLimitError(err error) bool {
	return strings.HasPrefix(err.Error(), "operation cancelled: actual cost limit exceeded")
}

// evaluationError returns upstream's message for an error in a rule's evaluation.
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
