package assist

import (
	"context"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/library"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/celtoken"
)

// maxTriedValue is the length in bytes at which the value of an expression is
// cut.
const maxTriedValue = 4000

// evaluate compiles an expression as a new rule of the node and evaluates it,
// as compileRule of
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel does, but for the
// type: a rule has to be a Boolean.
func (c *console) evaluate(ctx context.Context, expression string) {
	if strings.TrimSpace(expression) == "" {
		return
	}
	if isTooLong(expression) {
		c.fail("The expression is longer than the playground tries, or has too many brackets.")
		return
	}
	scope, checked := c.compile(expression)
	if checked == nil {
		return
	}
	c.tried.Type = scope.celTypeName(checked.OutputType())
	c.tried.UsesOldSelf = mentions(checked, cel.OldScopedVarName)
	c.estimate(scope, checked)
	if c.tried.UsesOldSelf && !c.tried.OptionalOldSelf && c.place.Old == nil {
		c.tried.Why = playground.WhyCreate
		return
	}
	variables := c.bound.Plain
	if c.tried.OptionalOldSelf {
		variables = c.bound.Optional
	}
	if c.run(ctx, scope, checked, variables) {
		c.trace(scope, checked, expression, variables)
	}
}

// compile compiles with oldSelf as it is, or else, if that helps, as an
// optional. It reports the errors of the former and returns no syntax tree if
// neither does.
func (c *console) compile(expression string) (*celScope, *celgo.Ast) {
	var issues *celgo.Issues
	for _, optional := range []bool{false, true} {
		if optional && !release.HasRatcheting() {
			break
		}
		scope := c.tracing(optional)
		if scope == nil {
			c.fail("CEL cannot be used with this schema.")
			return nil, nil
		}
		checked, found := scope.env.Compile(expression)
		if found.Err() == nil {
			c.tried.OptionalOldSelf = optional
			return scope, checked
		}
		if issues == nil {
			issues = found
		}
	}
	c.tried.Outcome = playground.OutcomeError
	text := celtoken.NewExpression(expression)
	for _, err := range issues.Errors() {
		c.tried.Errors = append(c.tried.Errors, playground.ExpressionError{
			Message: upstream.Repeatable(err.Message),
			Range:   text.RangeAt(err.Location.Line(), err.Location.Column()+1),
		})
	}
	return nil, nil
}

// tracing is the scope with an environment that remembers how macros were
// written.
func (c *console) tracing(optionalOldSelf bool) *celScope {
	scope := c.scope(optionalOldSelf)
	if scope == nil {
		return nil
	}
	env, err := scope.env.Extend(celgo.EnableMacroCallTracking())
	if err != nil {
		return nil
	}
	scope.env = env
	return scope
}

// mentions says whether an expression refers to a variable.
func mentions(checked *celgo.Ast, variable string) bool {
	for _, reference := range checked.NativeRep().ReferenceMap() {
		if reference.Name == variable {
			return true
		}
	}
	return false
}

// estimate reckons what the expression would cost as a rule of the node. No
// rule can stand within the metadata.
func (c *console) estimate(scope *celScope, checked *celgo.Ast) {
	cost, ok := scope.cost(checked)
	if !ok {
		return
	}
	c.tried.ExpressionCost = cost
	root := c.crd.VersionSchema(c.tried.Version)
	props := crd.SchemaAt(root, c.node.Path)
	if props == nil {
		return
	}
	if cardinality := crd.CostContextAt(root, c.node.Path).MaxCardinality; cardinality != nil {
		c.tried.Cardinality = *cardinality
	} else if result, ok := crd.CompileRule(props, c.node.Root, apiextensions.ValidationRule{Rule: "true"}); ok {
		c.tried.Cardinality, c.tried.Unbounded = result.MaxCardinality, true
	}
	c.tried.EstimatedCost = celrule.MultiplyCosts(cost, c.tried.Cardinality)
}

// run evaluates once, for the value and the cost. It reports whether the
// evaluation came to its end within the limits.
func (c *console) run(ctx context.Context, scope *celScope, checked *celgo.Ast, variables map[string]any) bool {
	program, err := scope.env.Program(checked,
		celgo.CostLimit(celconfig.PerCallLimit),
		celgo.CostTracking(&library.CostEstimator{SizeEstimator: sizeEstimator{scope}}),
		celgo.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		c.tried.Outcome, c.tried.Failure = playground.OutcomeError, err.Error()
		return false
	}
	value, details, err := program.ContextEval(ctx, variables)
	if details != nil && details.ActualCost() != nil {
		c.tried.ActualCost = *details.ActualCost()
	}
	if err != nil {
		c.tried.Outcome, c.tried.Failure = playground.OutcomeError, upstream.Repeatable(err.Error())
		return !celrule.IsCallLimitError(err) && ctx.Err() == nil
	}
	c.tried.Outcome, c.tried.Value = playground.OutcomePass, celrule.Truncate(celrule.FormatValue(value), maxTriedValue)
	return true
}

// trace evaluates once more for the values of the parts, which takes the limits
// away: it is for what has come to its end within them.
func (c *console) trace(scope *celScope, checked *celgo.Ast, expression string, variables map[string]any) {
	program, err := scope.env.Program(checked, celgo.EvalOptions(celgo.OptTrackState))
	if err != nil {
		return
	}
	_, details, _ := program.Eval(variables) // an error is a part of the trace
	c.tried.Trace = append(c.tried.Trace, celrule.Trace(checked, details.State(), celtoken.NewExpression(expression))...)
}
