package assist

import (
	"context"
	"fmt"

	"github.com/crdlab/crdlab/internal/assist/celscope"
	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/celvalue"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// evaluate responds to a request of the console: it evaluates an expression for a value of
// an object.
func (a *Assistant) evaluate(ctx context.Context, request playground.TryRequest) (*playground.TryResult, error) {
	restore, err := release.Emulate(request.Scenario)
	if err != nil {
		return nil, err
	}
	defer restore()
	c, err := a.newConsole(ctx, request.Scenario)
	if err != nil {
		return nil, err
	}
	if c.selectValue(request.Trial, request.Position) {
		c.evaluate(ctx, request.Trial.Expression)
	}
	return &c.result, nil
}

// A console evaluates an expression for a value of an object, as the value is before the
// stage that validates it.
type console struct {
	result  playground.TryResult
	crd     *crd.CRD
	types   *crdschema.Types
	file    *source.File
	objects []*object.Request
	// documents holds the index of each object's document in the file.
	documents []int

	// node is the schema of the selected value, target its position in the object, and
	// bindings hold self and oldSelf; set by selectValue.
	node     *celrule.Node
	target   celrule.Target
	bindings *celrule.Bindings
}

func emptyResult() playground.TryResult {
	return playground.TryResult{
		Objects: []string{}, Paths: []string{}, Errors: []playground.ExpressionError{}, Trace: []playground.TraceStep{},
		Outcome: playground.OutcomeSkipped, CostLimit: crd.RuleCostLimit,
	}
}

// fail records the reason why no expression can be evaluated, and returns false.
func (c *console) fail(format string, arguments ...any) bool {
	c.result.Problem = fmt.Sprintf(format, arguments...)
	return false
}

// consoleContext returns the context of a cursor in the console's expression.
func (a *Assistant) consoleContext(ctx context.Context, at playground.Cursor) (*cursorContext, error) {
	c, err := a.newConsole(ctx, at.Scenario)
	if err != nil {
		return nil, err
	}
	cursor := &cursorContext{position: at.Position, types: c.types}
	cursor.Text = at.Trial.Expression
	cursor.Before = newExpression(cursor.Text).Before(at.Position)
	cursor.Word = playground.Range{Start: at.Position, End: at.Position}
	if !celvalue.IsTooLong(cursor.Text) && c.selectValue(*at.Trial, nil) {
		cursor.console = c.scope(false)
	}
	return cursor, nil
}

// scope returns the scope of expressions for the selected value, or nil if its type cannot
// be declared.
func (c *console) scope(optionalOldSelf bool) *celscope.Scope {
	schema := crdschema.Schema{Types: c.types}
	if kind := c.crd.KindOfVersion(c.types, c.result.Version); kind != nil {
		schema = kind.Root.At(c.target.Path)
	}
	return celscope.NewSelfScope(c.node.DeclType, schema, optionalOldSelf)
}
