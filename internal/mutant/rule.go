package mutant

import (
	"fmt"

	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/parser"
)

// rewrites returns the expressions that differ from a CEL expression in one place: an operator, a conjunct, a
// negation, a quantifier, a constant or a variable. The list is empty if the expression has a syntax error.
func rewrites(expression string) []string {
	parsed := parse(expression)
	if parsed == nil {
		return nil
	}
	known := map[string]bool{}
	var all []string
	add := func() {
		text, err := parser.Unparse(parsed.Expr(), parsed.SourceInfo())
		if err == nil && !known[text] {
			known[text] = true
			all = append(all, text)
		}
	}
	add()
	r := rewriter{factory: ast.NewExprFactory(), report: add}
	r.visit(parsed.Expr())
	return all[min(1, len(all)):]
}

// A rewriter changes one expression after another, reports the whole expression, and restores it.
type rewriter struct {
	factory ast.ExprFactory
	report  func()
}

// replace reports the whole expression with another one in place of e.
func (r *rewriter) replace(e, with ast.Expr) {
	original := r.factory.CopyExpr(e)
	e.SetKindCase(with)
	r.report()
	e.SetKindCase(original)
}

func (r *rewriter) visit(e ast.Expr) {
	switch e.Kind() {
	case ast.CallKind:
		for _, with := range r.calls(e) {
			r.replace(e, with)
		}
	case ast.LiteralKind:
		for _, value := range near(e.AsLiteral()) {
			r.replace(e, r.factory.NewLiteral(e.ID(), value))
		}
	case ast.IdentKind:
		if current, isOld := currents[e.AsIdent()]; isOld {
			r.replace(e, r.factory.NewIdent(e.ID(), current))
		}
	}
	// The parts are those after the last restoration.
	for _, part := range parts(e) {
		r.visit(part)
	}
}

// parts returns the expressions in an expression.
func parts(e ast.Expr) []ast.Expr {
	switch e.Kind() {
	case ast.CallKind:
		call := e.AsCall()
		if call.IsMemberFunction() {
			return append([]ast.Expr{call.Target()}, call.Args()...)
		}
		return call.Args()
	case ast.SelectKind:
		return []ast.Expr{e.AsSelect().Operand()}
	case ast.ListKind:
		return e.AsList().Elements()
	case ast.MapKind:
		var values []ast.Expr
		for _, entry := range e.AsMap().Entries() {
			values = append(values, entry.AsMapEntry().Value())
		}
		return values
	}
	return nil
}

// parse returns the tree of an expression, or nil if there is a syntax error. Without macros, all() and has() are calls
// like others, and the tree has each part once.
func parse(expression string) *ast.AST {
	p, err := parser.NewParser(parser.EnableOptionalSyntax(true))
	if err != nil {
		return nil
	}
	parsed, issues := p.Parse(common.NewTextSource(expression))
	if len(issues.GetErrors()) > 0 {
		return nil
	}
	return parsed
}

// currents has the variable of the new value for that of the old one, in rules and in policies.
var currents = map[string]string{"oldSelf": "self", "oldObject": "object"}

// others lists the functions that replace another one.
var others = map[string][]string{
	operators.Less:          {operators.LessEquals, operators.GreaterEquals},
	operators.LessEquals:    {operators.Less, operators.Greater},
	operators.Greater:       {operators.GreaterEquals, operators.LessEquals},
	operators.GreaterEquals: {operators.Greater, operators.Less},
	operators.Equals:        {operators.NotEquals},
	operators.NotEquals:     {operators.Equals},
	operators.LogicalAnd:    {operators.LogicalOr},
	operators.LogicalOr:     {operators.LogicalAnd},
	"all":                   {"exists"},
	"exists":                {"all"},
	"exists_one":            {"exists"},
	"startsWith":            {"endsWith"},
	"endsWith":              {"startsWith"},
}

// calls returns the expressions that replace a call.
func (r *rewriter) calls(e ast.Expr) []ast.Expr {
	call := e.AsCall()
	var all []ast.Expr
	copies := func() []ast.Expr {
		var arguments []ast.Expr
		for _, argument := range call.Args() {
			arguments = append(arguments, r.factory.CopyExpr(argument))
		}
		return arguments
	}
	for _, name := range others[call.FunctionName()] {
		if call.IsMemberFunction() {
			all = append(all, r.factory.NewMemberCall(e.ID(), name, r.factory.CopyExpr(call.Target()), copies()...))
		} else {
			all = append(all, r.factory.NewCall(e.ID(), name, copies()...))
		}
	}
	switch call.FunctionName() {
	case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot:
		all = append(all, copies()...)
	case operators.Conditional:
		all = append(all, copies()[1:]...)
	case operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals, operators.In:
	case "has", "matches":
		all = append(all, r.factory.NewLiteral(e.ID(), types.True))
	}
	return all
}

// near returns constants next to one.
func near(value ref.Val) []ref.Val {
	switch value := value.(type) {
	case types.Int:
		return []ref.Val{value + 1, value - 1}
	case types.Uint:
		return []ref.Val{value + 1}
	case types.Double:
		return []ref.Val{value + 1, value - 1}
	case types.Bool:
		return []ref.Val{!value}
	case types.String:
		return []ref.Val{types.String(fmt.Sprintf("%sx", value))}
	}
	return nil
}
