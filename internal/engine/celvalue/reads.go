// Package celvalue finds the values that a CEL rule reads, and converts values of CEL to JSON. It is
// apart from package jsonvalue because the module for Go types contains that, and is a quarter smaller
// without the libraries of CEL.
package celvalue

import (
	"maps"
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// Each is the step of a path to all items of a list or all values of a map.
const Each = "*"

// Limits of the expressions to analyze, in bytes and opening parentheses. Type checking long
// expressions is slow, and the memory for a regular expression grows with the square of its
// groups.
const (
	maxExpression       = 1 << 16
	maxExpressionGroups = 500
)

// IsTooLong reports whether an expression is too long to be analyzed.
func IsTooLong(expression string) bool {
	return len(expression) > maxExpression || strings.Count(expression, "(") > maxExpressionGroups
}

// Reads reports whether an expression reads the value at a path below self or oldSelf. The
// steps of the path are names of properties and [Each]. An expression that compares a value
// reads everything below it. Reads reports false for an expression that cannot be parsed.
func Reads(expression string, path []string) bool {
	return slices.ContainsFunc(parse(expression).reads, func(each read) bool { return each.includes(path) })
}

// Operands returns the paths below self and oldSelf that an expression reads, and its
// literals, in the order of the expression and without repetitions. It returns nothing for
// an expression that cannot be parsed.
func Operands(expression string) (paths [][]string, literals []any) {
	r := parse(expression)
	for _, each := range r.reads {
		if !slices.ContainsFunc(paths, func(path []string) bool { return slices.Equal(path, each.path) }) {
			paths = append(paths, each.path)
		}
	}
	for _, literal := range r.literals {
		if !slices.Contains(literals, literal) {
			literals = append(literals, literal)
		}
	}
	return paths, literals
}

// An Access is an access of an expression to the value at a path below self or oldSelf.
type Access struct {
	Path []string
	// Presence reports that the expression is has() of the value.
	Presence bool
}

// Accesses returns all accesses of an expression. It reports false for an expression that
// cannot be parsed, or that has macros with variables or creates objects, because it may
// access other values by them.
func Accesses(expression string) (accesses []Access, complete bool) {
	r := parse(expression)
	for _, each := range r.reads {
		accesses = append(accesses, Access{each.path, each.presence})
	}
	return accesses, r.parsed && !r.indirect
}

// BuildsText reports whether a string is an expression that concatenates or formats strings. Authors write
// such expressions instead of plain messages.
func BuildsText(text string) bool {
	// Parsing the messages of all rules would take a tenth of a keystroke.
	if !strings.ContainsAny(text, `'"`) || !strings.Contains(text, "+") && !strings.Contains(text, "format") || IsTooLong(text) {
		return false
	}
	parsed, issues := parseEnv().Parse(text)
	if issues.Err() != nil {
		return false
	}
	root := parsed.NativeRep().Expr()
	return root.Kind() == ast.CallKind && slices.Contains([]string{operators.Add, "format"}, root.AsCall().FunctionName())
}

func parseEnv() *celgo.Env {
	return environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).NewExpressionsEnv()
}

// parse returns the reads of an expression.
func parse(expression string) reader {
	r := reader{variables: map[string][]string{cel.ScopedVarName: {}, cel.OldScopedVarName: {}}}
	if IsTooLong(expression) {
		return r
	}
	parsed, issues := parseEnv().Parse(expression)
	if issues.Err() == nil {
		r.parsed = true
		r.walk(parsed.NativeRep().Expr(), false)
	}
	return r
}

// A read is an access to the value at a path below self.
type read struct {
	path []string
	// whole reports that the expression uses the value with everything below it.
	whole bool
	// presence reports that the expression is has() of the value.
	presence bool
}

// includes reports whether the read depends on the value at a path.
func (r read) includes(path []string) bool {
	for i := range min(len(r.path), len(path)) {
		if r.path[i] != path[i] && r.path[i] != Each && path[i] != Each {
			return false
		}
	}
	return r.whole || len(r.path) >= len(path)
}

// A reader collects the reads of an expression.
type reader struct {
	// variables holds the paths of the variables in scope.
	variables map[string][]string
	reads     []read
	// literals holds strings, integers and other numbers.
	literals []any
	// selections holds the expressions that select the wanted path; nil if none is wanted.
	wanted     []string
	selections map[int64]bool
	// parsed reports that the expression is valid, and indirect that it may have reads by
	// other variables than those in scope.
	parsed, indirect bool
}

// walk records the reads of an expression. whole reports that the expression's parent
// uses its value with everything below it.
func (r *reader) walk(e ast.Expr, whole bool) {
	if path, ok := r.path(e); ok {
		presence := e.Kind() == ast.SelectKind && e.AsSelect().IsTestOnly()
		r.reads = append(r.reads, read{path, whole, presence})
		r.walkIndexes(e)
		return
	}
	switch e.Kind() {
	case ast.LiteralKind:
		switch value := e.AsLiteral().Value().(type) {
		case string, int64, float64:
			r.literals = append(r.literals, value)
		}
	case ast.SelectKind:
		r.walk(e.AsSelect().Operand(), whole)
	case ast.CallKind:
		r.call(e.AsCall())
	case ast.ListKind:
		r.walkAll(e.AsList().Elements(), whole)
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			r.walkAll([]ast.Expr{entry.AsMapEntry().Key(), entry.AsMapEntry().Value()}, whole)
		}
	case ast.ComprehensionKind:
		r.indirect = true
		r.comprehension(e.AsComprehension())
	case ast.StructKind:
		r.indirect = true
	}
}

func (r *reader) walkAll(all []ast.Expr, whole bool) {
	for _, e := range all {
		r.walk(e, whole)
	}
}

// partFunctions lists the functions whose result does not depend on the items and
// fields of their arguments.
var partFunctions = []string{"size", operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.NotStrictlyFalse}

func (r *reader) call(call ast.CallExpr) {
	whole := !slices.Contains(partFunctions, call.FunctionName())
	if call.IsMemberFunction() {
		r.walk(call.Target(), whole)
	}
	r.walkAll(call.Args(), whole)
}

// comprehension records the reads of a macro. Its variables are the items of the
// range, or a value that cel.bind names.
func (r *reader) comprehension(c ast.ComprehensionExpr) {
	r.walk(c.IterRange(), false)
	r.walk(c.AccuInit(), false)
	outer := maps.Clone(r.variables)
	defer func() { r.variables = outer }()
	if path, ok := r.path(c.IterRange()); ok {
		item := c.IterVar()
		if c.HasIterVar2() {
			item = c.IterVar2()
		}
		r.variables[item] = append(slices.Clip(path), Each)
	}
	if path, ok := r.path(c.AccuInit()); ok {
		r.variables[c.AccuVar()] = path
	}
	r.walkAll([]ast.Expr{c.LoopCondition(), c.LoopStep(), c.Result()}, false)
}

// walkIndexes records the reads of the indexes within a path.
func (r *reader) walkIndexes(e ast.Expr) {
	switch e.Kind() {
	case ast.SelectKind:
		r.walkIndexes(e.AsSelect().Operand())
	case ast.CallKind:
		call := e.AsCall()
		if call.IsMemberFunction() {
			r.walkIndexes(call.Target())
			r.walkAll(call.Args(), true)
			return
		}
		r.walkIndexes(call.Args()[0])
		r.walkAll(call.Args()[1:], true)
	}
}

// path returns the path of a chain of field accesses that begins with a variable. It
// reports false for other expressions.
func (r *reader) path(e ast.Expr) (path []string, ok bool) {
	switch e.Kind() {
	case ast.IdentKind:
		path, ok = r.variables[e.AsIdent()]
		return path, ok
	case ast.SelectKind:
		path, ok = r.step(e.AsSelect().Operand(), e.AsSelect().FieldName())
	case ast.CallKind:
		path, ok = r.callPath(e.AsCall())
		if name := e.AsCall().FunctionName(); name != operators.OptSelect {
			return path, ok
		}
	}
	if ok && r.selections != nil && slices.Equal(path, r.wanted) {
		r.selections[e.ID()] = true
	}
	return path, ok
}

// callPath returns the path of an index, an optional field access, or the value of an
// optional.
func (r *reader) callPath(call ast.CallExpr) (path []string, ok bool) {
	switch call.FunctionName() {
	case operators.Index, operators.OptIndex, operators.OptSelect:
		name := Each
		if key := call.Args()[1]; key.Kind() == ast.LiteralKind {
			if text, isString := key.AsLiteral().Value().(string); isString {
				name = text
			}
		}
		return r.step(call.Args()[0], name)
	case "value", "orValue", "hasValue":
		if call.IsMemberFunction() {
			return r.path(call.Target())
		}
	}
	return nil, false
}

func (r *reader) step(operand ast.Expr, name string) (path []string, ok bool) {
	if path, ok = r.path(operand); !ok {
		return nil, false
	}
	if unescaped, isEscaped := apiservercel.Unescape(name); isEscaped {
		name = unescaped
	}
	return append(slices.Clip(path), name), true
}

// Selections returns the offsets in bytes at which an expression names the last step of a path below self or
// oldSelf. It returns nothing for an expression that cannot be parsed.
func Selections(expression string, path []string) []int {
	r := reader{variables: map[string][]string{cel.ScopedVarName: {}, cel.OldScopedVarName: {}}, wanted: path, selections: map[int64]bool{}}
	if IsTooLong(expression) {
		return nil
	}
	parsed, issues := parseEnv().Parse(expression)
	if issues.Err() != nil {
		return nil
	}
	r.walk(parsed.NativeRep().Expr(), false)
	info := parsed.NativeRep().SourceInfo()
	var offsets []int
	for id := range r.selections {
		// The location of a selection is its dot, and that of has() its parenthesis.
		at := info.GetStartLocation(id)
		offset := 0
		for range at.Line() - 1 {
			offset += strings.IndexByte(expression[offset:], '\n') + 1
		}
		offset += len(string([]rune(expression[offset:])[:at.Column()]))
		if rest := expression[offset:]; rest[0] == '(' {
			argument := strings.TrimRight(rest[1:closing(rest)], " \t\r\n")
			offsets = append(offsets, offset+1+strings.LastIndexAny(argument, ".? \t\r\n")+1)
		} else {
			offsets = append(offsets, len(expression)-len(strings.TrimLeft(rest, ".? \t\r\n")))
		}
	}
	slices.Sort(offsets)
	return slices.Compact(offsets)
}

// closing returns the offset of the parenthesis that closes the first one.
func closing(text string) int {
	depth := 0
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}
