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
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/celtoken"
)

// A Fault is the sub-expression of a rule that ended its evaluation with an error.
type Fault struct {
	// Violation is the API server's error.
	Violation *field.Error
	// Explanation names the sub-expression and the values of its operands.
	Explanation string
	// Range locates the sub-expression in the CRD.
	Range playground.Range
	// Guard is a rule that checks the operands first and accepts the value; nil if there is none.
	Guard *Guard
	// Refusal is the same for a rule that refuses the value with the rule's message.
	Refusal *Guard
	// Rule is the location of the rule in the CRD.
	Rule source.Location
}

// A Guard is a rule with a check, and the part that differs.
type Guard struct{ Rule, Part string }

// FaultOf returns the cause of an error of a rule, or nil.
func FaultOf(faults []Fault, f playground.Finding) *Fault {
	for i, fault := range faults {
		if f.Field == fault.Violation.Field && f.Message == fault.Violation.ErrorBody() {
			return &faults[i]
		}
	}
	return nil
}

// findFault returns the fault of rule i, or nil if no sub-expression has the error.
func findFault(node *Node, i int, variables map[string]any, evalErr error, location source.Location) *Fault {
	rule := node.tracedRule(i)
	if rule.program == nil {
		return nil
	}
	_, details, _ := rule.program.Eval(variables)
	text := node.Schema.XValidations[i].Rule
	f := faultFinder{text: text, info: rule.checked.NativeRep().SourceInfo(), details: details, err: evalErr.Error()}
	f.walk(rule.checked.NativeRep().Expr(), place{})
	if f.fault == nil {
		return nil
	}
	fault := &Fault{Explanation: "Fails at " + f.explain(), Range: location.Value(), Rule: location}
	if at := f.info.GetStartLocation(f.fault.ID()); at.Line() > 0 {
		fault.Range = location.RangeAt(at.Line(), at.Column()+1)
	}
	for _, guard := range f.guards() {
		switch rule.evaluateInstead(guard.Rule, variables) {
		case types.True:
			fault.Guard = cmp.Or(fault.Guard, &guard)
		case types.False:
			fault.Refusal = cmp.Or(fault.Refusal, &guard)
		}
	}
	return fault
}

// evaluateInstead returns the value of a text in place of the rule, or nil if it does not compile
// or its evaluation fails. The values of a list share the compiled text.
func (r *tracedRule) evaluateInstead(text string, variables map[string]any) ref.Val {
	known, ok := r.guards.Load(text)
	if !ok {
		_, program := r.compiled(text)
		known, _ = r.guards.LoadOrStore(text, program)
	}
	program, _ := known.(celgo.Program)
	if program == nil {
		return nil
	}
	value, _, err := program.Eval(variables)
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
	for _, arg := range call.Args() {
		if arg.Kind() != ast.IdentKind { // not a loop variable
			f.walk(arg, place{})
		}
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

// guards returns the rules in which a check precedes the operand of the rule with the fault.
func (f *faultFinder) guards() []Guard {
	if converted, ok := f.convert(); ok {
		return []Guard{converted}
	}
	check, negated := f.check()
	if check == "" || f.at.operand == nil {
		return nil
	}
	part := f.source(f.at.operand)
	start, end := f.extent(f.at.operand)
	guard := func(text string, binds bool) Guard {
		if !binds && !f.isBracketed(start, end) {
			text = "(" + text + ")"
		}
		return Guard{f.text[:start] + text + f.text[end:], text}
	}
	either := f.at.operator == "" || f.at.operator == operators.LogicalOr
	return []Guard{
		guard(negated+" || "+part, either),
		guard(check+" && "+part, either || f.at.operator == operators.LogicalAnd),
	}
}

// isBracketed reports whether a part of the rule is in parentheses.
func (f *faultFinder) isBracketed(start, end int) bool {
	return strings.HasSuffix(strings.TrimSpace(f.text[:start]), "(") && strings.HasPrefix(strings.TrimSpace(f.text[end:]), ")")
}

// convert passes the operand as a string to a function that parses text. The operand may be a
// number if the schema has x-kubernetes-int-or-string.
func (f *faultFinder) convert() (converted Guard, ok bool) {
	args := operands(f.fault)
	if f.fault.Kind() != ast.CallKind || converters[f.fault.AsCall().FunctionName()] == "" || len(args) != 1 || !strings.HasPrefix(f.err, "no such overload") {
		return converted, false
	}
	start, end := f.extent(args[0])
	text := "string(" + f.text[start:end] + ")"
	return Guard{f.text[:start] + text + f.text[end:], f.fault.AsCall().FunctionName() + "(" + text + ")"}, start < end
}

// converters maps functions that fail for some texts to those that check the text.
var converters = map[string]string{
	"quantity": "isQuantity", "url": "isURL", "ip": "isIP", "cidr": "isCIDR", "semver": "isSemver",
}

// check returns the condition under which the sub-expression has a value, and its negation. It
// returns empty strings if there is no such condition.
func (f *faultFinder) check() (check, negated string) {
	if f.fault.Kind() == ast.SelectKind {
		check = "has(" + f.source(f.fault) + ")"
		return check, "!" + check
	}
	if f.fault.Kind() != ast.CallKind {
		return "", ""
	}
	call, args := f.fault.AsCall(), operands(f.fault)
	switch name := call.FunctionName(); {
	case name == operators.Index && strings.HasPrefix(f.err, "index out of bounds"):
		list, index := f.source(args[0]), f.source(args[1])
		return fmt.Sprintf("size(%s) > %s", list, index), fmt.Sprintf("size(%s) <= %s", list, index)
	case name == operators.Index:
		check = f.source(args[1]) + " in " + f.source(args[0])
		return check, "!(" + check + ")"
	case name == operators.Divide || name == operators.Modulo:
		return f.source(args[1]) + " != 0", f.source(args[1]) + " == 0"
	case name == "value" && len(args) == 1:
		check = f.source(args[0]) + ".hasValue()"
		return check, "!" + check
	case converters[name] != "" && len(args) == 1:
		check = converters[name] + "(" + f.source(args[0]) + ")"
		return check, "!" + check
	}
	return "", ""
}

// source returns the text of an expression.
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
