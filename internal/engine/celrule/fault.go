package celrule

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/parser"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/celtoken"
)

// A Fault is the sub-expression that ended the evaluation of an expression with an error, or the
// cause of a violation.
type Fault struct {
	// Field and Message describe the finding about the error.
	Field, Message string
	// Error is the error of the evaluation.
	Error string
	// Explanation names the sub-expression and the values of its operands.
	Explanation string
	// Hint explains a violation.
	Hint string
	// Range locates the sub-expression in its document.
	Range playground.Range
	// Guard is an expression that checks the operands first and is true; it may be nil.
	Guard *Guard
	// Refusal is the same for an expression that is false.
	Refusal *Guard
	// Expression is the location of the whole expression.
	Expression source.Location
	// Lacks describes the objects for which the sub-expression has no value: "without self.a".
	Lacks string
	// Null is the variable that is null, if the sub-expression selects a field of it.
	Null string
	// Selected has the names of a failed selection, which begin with a variable: object, spec, size.
	// It is nil for other sub-expressions.
	Selected []string
	// Rename returns the expression with another name instead of the last of Selected. It is nil if
	// another expression has the selection.
	Rename func(name string) string
	// Key replaces the selection of a field of the key in a macro over a map; nil for others.
	Key *Guard

	checks
}

// checks are the condition under which a sub-expression and the selections of its value have a
// value, the negation, and the same for the sub-expression alone.
type checks struct{ check, negated, first, firstNegated string }

// A Guard is an expression with a check, and the part that differs.
type Guard struct{ Expression, Part string }

// FaultOf returns the cause of an error of a rule, or nil.
func FaultOf(faults []Fault, f playground.Finding) *Fault {
	for i, fault := range faults {
		if f.Field == fault.Field && f.Message == fault.Message {
			return &faults[i]
		}
	}
	return nil
}

// Fault evaluates the expression once more, and returns the fault with the given error; nil if no
// sub-expression has the error. input holds the variables. cause is the fault of another
// expression whose value the sub-expression is, or nil: the guards then check its operands.
func (t *Traced) Fault(input any, evalErr error, location source.Location, cause *Fault) *Fault {
	if t.program == nil {
		return nil
	}
	_, details, _ := t.program.Eval(input)
	f := faultFinder{text: t.text, info: t.checked.NativeRep().SourceInfo(), details: details, err: evalErr.Error(), parents: map[int64]ast.Expr{}, loops: map[string]ast.Expr{}}
	f.isNull = func(variable string) bool { return t.evaluateInstead(variable+" == null", input) == types.True }
	f.walk(t.checked.NativeRep().Expr(), place{})
	if f.fault == nil {
		return nil
	}
	fault := &Fault{Error: evalErr.Error(), Explanation: "Fails at " + f.explain(), Range: location.Value(), Expression: location}
	if at := f.info.GetStartLocation(f.fault.ID()); at.Line() > 0 {
		fault.Range = location.RangeAt(at.Line(), at.Column()+1)
	}
	fault.checks = f.check()
	if _, converts := f.convert(); !converts {
		fault.Lacks = f.lacks()
	}
	fault.Null = f.nullVariable(f.fault)
	fault.Selected, fault.Rename = f.selected()
	fault.Key = f.key()
	if cause != nil {
		fault.Explanation, fault.Range, fault.checks = cause.Explanation, cause.Range, cause.checks
		fault.Lacks, fault.Selected, fault.Rename, fault.Key = cause.Lacks, cause.Selected, nil, nil
	}
	if fault.Key != nil {
		return fault // A check of the field of a key is never true.
	}
	for _, guard := range append(f.guards(fault.check, fault.negated), f.guards(fault.first, fault.firstNegated)...) {
		switch t.evaluateInstead(guard.Expression, input) {
		case types.True:
			fault.Guard = cmp.Or(fault.Guard, &guard)
		case types.False:
			fault.Refusal = cmp.Or(fault.Refusal, &guard)
		}
	}
	return fault
}

// evaluateInstead returns the value of source instead of the expression, or nil if it does not
// compile or its evaluation fails. The values of a list share the compiled source.
func (t *Traced) evaluateInstead(text string, input any) ref.Val {
	known, ok := t.guards.Load(text)
	if !ok {
		_, program := t.compiled(text)
		known, _ = t.guards.LoadOrStore(text, program)
	}
	program, _ := known.(celgo.Program)
	if program == nil {
		return nil
	}
	value, _, err := program.Eval(input)
	if err != nil {
		return nil
	}
	return value
}

// A place is a boolean operand of a rule, together with the operator around it.
type place struct {
	operand  ast.Expr // nil until the walk enters one
	operator string
}

// A faultFinder finds the innermost first sub-expression with the error of an evaluation.
type faultFinder struct {
	text    string
	info    *ast.SourceInfo
	details *celgo.EvalDetails
	err     string
	fault   ast.Expr
	at      place
	// parents has the expression of which another one is an operand, by the other's ID, and loops
	// the range of each variable of a macro around the fault.
	parents map[int64]ast.Expr
	loops   map[string]ast.Expr
	// isNull reports whether a variable is null.
	isNull func(variable string) bool
}

// walk visits an expression, its operands first. at is the operand of the rule to which the
// expression belongs.
func (f *faultFinder) walk(expr ast.Expr, at place) {
	operator := operatorOf(expr)
	if at.operand == nil && operator == "" {
		at.operand = expr
	}
	if macro, ok := f.info.GetMacroCall(expr.ID()); ok {
		f.walkMacro(macro, at)
	} else {
		for _, operand := range operands(expr) {
			below := at
			if operator != "" {
				below.operator = operator
			}
			f.parents[operand.ID()] = expr
			f.walk(operand, below)
		}
	}
	if f.fault == nil && f.fails(expr) {
		f.fault, f.at = expr, at
	}
}

// walkMacro visits the operands of a macro. The last argument of a macro such as all is a
// condition of its own.
func (f *faultFinder) walkMacro(macro ast.Expr, at place) {
	call := macro.AsCall()
	if !call.IsMemberFunction() { // has(a.b) evaluates a, but not a.b
		for _, arg := range call.Args() {
			if arg.Kind() == ast.SelectKind {
				f.walk(arg.AsSelect().Operand(), at)
			}
		}
		return
	}
	f.walk(call.Target(), at)
	variable := ""
	if args := call.Args(); len(args) > 1 && args[0].Kind() == ast.IdentKind && args[1].Kind() != ast.IdentKind {
		variable = args[0].AsIdent()
		f.loops[variable] = call.Target()
	}
	for _, arg := range call.Args() {
		if arg.Kind() != ast.IdentKind { // not a loop variable
			f.walk(arg, place{})
		}
	}
	if f.fault == nil {
		delete(f.loops, variable)
	}
}

// fails reports whether an expression has the error as its value.
func (f *faultFinder) fails(expr ast.Expr) bool {
	value, ok := f.details.State().Value(expr.ID())
	failed, isError := value.(*types.Err)
	return ok && isError && failed.String() == f.err
}

// operatorOf returns the logical operator of an expression, or an empty string.
func operatorOf(expr ast.Expr) string {
	if expr.Kind() == ast.CallKind {
		switch name := expr.AsCall().FunctionName(); name {
		case operators.LogicalAnd, operators.LogicalOr, operators.LogicalNot, operators.Conditional:
			return name
		}
	}
	return ""
}

func operands(expr ast.Expr) []ast.Expr {
	switch expr.Kind() {
	case ast.CallKind:
		call := expr.AsCall()
		if call.IsMemberFunction() {
			return append([]ast.Expr{call.Target()}, call.Args()...)
		}
		return call.Args()
	case ast.SelectKind:
		return []ast.Expr{expr.AsSelect().Operand()}
	case ast.ListKind:
		return expr.AsList().Elements()
	case ast.MapKind:
		var values []ast.Expr
		for _, entry := range expr.AsMap().Entries() {
			values = append(values, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
		return values
	case ast.StructKind:
		var values []ast.Expr
		for _, member := range expr.AsStruct().Fields() {
			values = append(values, member.AsStructField().Value())
		}
		return values
	}
	return nil
}

// explain names the sub-expression and the scalar values of its operands.
func (f *faultFinder) explain() string {
	text := f.source(f.fault)
	var values []string
	for _, operand := range operands(f.fault) {
		value, ok := f.details.State().Value(operand.ID())
		if ok && operand.Kind() != ast.LiteralKind && !isContainer(value) {
			values = append(values, fmt.Sprintf("%s is %s", f.source(operand), Truncate(FormatValue(value), maxTraceValue)))
		}
	}
	values = slices.Compact(values)
	if len(values) > 0 {
		text += ", where " + strings.Join(values, " and ")
	}
	return text
}

// source returns the source of an expression.
func (f *faultFinder) source(expr ast.Expr) string {
	start, end := f.extent(expr)
	if start < end {
		return f.text[start:end]
	}
	text, _ := parser.Unparse(expr, f.info)
	return text
}

// extent returns the start and end of an expression in the rule, in bytes. CEL reports only the
// position of one token of each sub-expression: the dot of a selection, the bracket of a call.
func (f *faultFinder) extent(expr ast.Expr) (start, end int) {
	first, last := int32(math.MaxInt32), int32(-1)
	f.eachPosition(expr, func(offset int32) { first, last = min(first, offset), max(last, offset) })
	tokens, _ := celtoken.Tokenize(f.text)
	from, to := f.tokenAt(tokens, first), f.tokenAt(tokens, last)
	if from < 0 || to < 0 {
		return 0, 0
	}
	if tokens[from].Text == "(" && from > 0 {
		from-- // the name of the function
	}
	for to+1 < len(tokens) && (tokens[to].Text == "." || tokens[to].Text == "?") {
		to++ // the name of the field
	}
	depth, lowest := 0, 0
	for _, token := range tokens[from : to+1] {
		depth += token.Nesting()
		lowest = min(lowest, depth)
	}
	for ; lowest < 0 && from > 0; depth, lowest = depth+tokens[from].Nesting(), lowest+tokens[from].Nesting() {
		from--
	}
	for ; depth > 0 && to+1 < len(tokens); depth += tokens[to].Nesting() {
		to++
	}
	return tokens[from].Start, tokens[to].End
}

// tokenAt returns the index of the token at an offset in code points, or -1.
func (f *faultFinder) tokenAt(tokens []celtoken.Token, offset int32) int {
	runes := []rune(f.text)
	if offset < 0 || int(offset) >= len(runes) {
		return -1
	}
	at := len(string(runes[:offset]))
	return slices.IndexFunc(tokens, func(t celtoken.Token) bool { return t.Start == at })
}

// eachPosition passes the offset of each sub-expression, in code points.
func (f *faultFinder) eachPosition(expr ast.Expr, pass func(int32)) {
	if at, ok := f.info.GetOffsetRange(expr.ID()); ok {
		pass(at.Start)
	}
	if macro, ok := f.info.GetMacroCall(expr.ID()); ok {
		expr = macro
	}
	for _, operand := range operands(expr) {
		f.eachPosition(operand, pass)
	}
}
