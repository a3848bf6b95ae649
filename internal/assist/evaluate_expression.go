package assist

import (
	"context"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/crdlab/crdlab/internal/assist/celscope"
	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/celvalue"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// maxValue limits the value of an expression in bytes.
const maxValue = 4000

// evaluate compiles an expression as a new rule for the selected value and evaluates it.
// It follows compileRule of
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel, but permits types other than
// Boolean.
func (c *console) evaluate(ctx context.Context, expression string) {
	if strings.TrimSpace(expression) == "" {
		return
	}
	if celvalue.IsTooLong(expression) {
		c.fail("The expression is too long or has too many brackets for crdlab.")
		return
	}
	scope, checked := c.compile(expression)
	if checked == nil {
		return
	}
	c.result.Type = scope.TypeName(checked.OutputType())
	c.result.UsesOldSelf = refersTo(checked, cel.OldScopedVarName)
	c.estimateCost(scope, checked)
	if c.result.UsesOldSelf && !c.result.OptionalOldSelf && c.target.Old == nil {
		c.result.Why = playground.WhyCreate
		return
	}
	variables := c.bindings.Plain
	if c.result.OptionalOldSelf {
		variables = c.bindings.Optional
	}
	if c.evaluateExpression(ctx, scope, checked, variables) {
		c.trace(scope, checked, expression, variables)
	}
}

// compile compiles an expression with oldSelf as a plain value and, if that fails, as an
// optional. If both fail, it reports the errors of the first attempt and returns nil.
func (c *console) compile(expression string) (*celscope.Scope, *celgo.Ast) {
	var issues *celgo.Issues
	for _, optional := range []bool{false, true} {
		if optional && !release.HasRatcheting() {
			break
		}
		scope := c.tracingScope(optional)
		if scope == nil {
			c.fail("CEL cannot be used with this schema.")
			return nil, nil
		}
		checked, found := scope.Compile(expression)
		if found.Err() == nil {
			c.result.OptionalOldSelf = optional
			return scope, checked
		}
		if issues == nil {
			issues = found
		}
	}
	c.result.Outcome = playground.OutcomeError
	source := newExpression(expression)
	for _, err := range issues.Errors() {
		c.result.Errors = append(c.result.Errors, playground.ExpressionError{
			Message: upstream.Repeatable(err.Message),
			Range:   source.RangeAt(err.Location.Line(), err.Location.Column()+1),
		})
	}
	return nil, nil
}

// tracingScope returns a scope that records macro calls as written, for the trace.
func (c *console) tracingScope(optionalOldSelf bool) *celscope.Scope {
	scope := c.scope(optionalOldSelf)
	if scope == nil {
		return nil
	}
	return scope.TrackMacroCalls()
}

// refersTo reports whether an expression refers to a variable.
func refersTo(checked *celgo.Ast, variable string) bool {
	for _, reference := range checked.NativeRep().ReferenceMap() {
		if reference.Name == variable {
			return true
		}
	}
	return false
}

// estimateCost estimates the cost of the expression as a rule of the value's schema.
// Metadata has no cost, because its schema cannot have rules.
func (c *console) estimateCost(scope *celscope.Scope, checked *celgo.Ast) {
	cost, ok := scope.Cost(checked)
	if !ok {
		return
	}
	c.result.ExpressionCost = cost
	root := c.crd.VersionSchema(c.result.Version)
	props := crd.SchemaAt(root, c.node.Path)
	if props == nil {
		return
	}
	if cardinality := crd.CostContextAt(root, c.node.Path).MaxCardinality; cardinality != nil {
		c.result.Cardinality = *cardinality
	} else if result, ok := crd.CompileRule(props, c.node.Root, apiextensions.ValidationRule{Rule: "true"}); ok {
		c.result.Cardinality, c.result.Unbounded = result.MaxCardinality, true
	}
	c.result.EstimatedCost = celrule.MultiplyCosts(cost, c.result.Cardinality)
}

// evaluateExpression evaluates once for the value and the cost. It reports whether the
// evaluation finished within the limits.
func (c *console) evaluateExpression(ctx context.Context, scope *celscope.Scope, checked *celgo.Ast, variables map[string]any) bool {
	program, err := scope.Program(checked,
		celgo.CostLimit(celconfig.PerCallLimit),
		scope.TrackCost(),
		celgo.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		c.result.Outcome, c.result.Failure = playground.OutcomeError, err.Error()
		return false
	}
	value, details, err := program.ContextEval(ctx, variables)
	if details != nil && details.ActualCost() != nil {
		c.result.ActualCost = *details.ActualCost()
	}
	if err != nil {
		c.result.Outcome, c.result.Failure = playground.OutcomeError, upstream.Repeatable(err.Error())
		return !celrule.IsCallLimitError(err) && ctx.Err() == nil
	}
	c.result.Outcome, c.result.Value = playground.OutcomePass, celrule.Truncate(celrule.FormatValue(value), maxValue)
	return true
}

// trace evaluates again to record the values of subexpressions. Recording disables the
// limits, so the caller must have checked that the evaluation finishes within them.
func (c *console) trace(scope *celscope.Scope, checked *celgo.Ast, expression string, variables map[string]any) {
	program, err := scope.Program(checked, celgo.EvalOptions(celgo.OptTrackState))
	if err != nil {
		return
	}
	_, details, _ := program.Eval(variables) // an error is a part of the trace
	c.result.Trace = append(c.result.Trace, celrule.Trace(checked, details.State(), newExpression(expression))...)
}
