package celrule

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/traits"
)

// guards returns the expressions in which a check precedes the operand with the fault.
func (f *faultFinder) guards(check, negated string) []Guard {
	if converted, ok := f.convert(); ok {
		return []Guard{converted}
	}
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

// convert passes the operand as a string to a function that parses it. The operand may be a
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

// converters maps functions that fail for some strings to functions that check the string.
var converters = map[string]string{
	"quantity": "isQuantity", "url": "isURL", "ip": "isIP", "cidr": "isCIDR", "semver": "isSemver",
}

// check returns the condition under which the sub-expression has a value. It includes the selections
// from its value, which may also be absent. It returns empty strings if there is no such condition.
func (f *faultFinder) check() checks {
	check, negated := f.checkOf(f.fault)
	all := checks{check, negated, check, negated}
	if check == "" {
		return all
	}
	for inner, outer := f.fault, f.parents[f.fault.ID()]; outer != nil; inner, outer = outer, f.parents[outer.ID()] {
		isIndex := outer.Kind() == ast.CallKind && outer.AsCall().FunctionName() == operators.Index && outer.AsCall().Args()[0].ID() == inner.ID()
		if outer.Kind() != ast.SelectKind && !isIndex {
			break
		}
		check, negated := f.checkOf(outer)
		all.check, all.negated = all.check+" && "+check, all.negated+" || "+negated
	}
	return all
}

// checkOf returns the condition under which an expression whose operands have values has one, and its
// negation.
func (f *faultFinder) checkOf(expr ast.Expr) (check, negated string) {
	if variable := f.nullVariable(expr); variable != "" {
		return variable + " != null", variable + " == null"
	}
	if expr.Kind() == ast.SelectKind {
		check = "has(" + f.source(expr) + ")"
		return check, "!" + check
	}
	if expr.Kind() != ast.CallKind {
		return "", ""
	}
	call, args := expr.AsCall(), operands(expr)
	switch name := call.FunctionName(); {
	case name == operators.Index && (strings.HasPrefix(f.err, "index out of bounds") || expr != f.fault && isNumber(args[1])):
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

func isNumber(expr ast.Expr) bool {
	return expr.Kind() == ast.LiteralKind && expr.AsLiteral().Type() == types.IntType
}

// lacks describes the objects for which the sub-expression has no value.
func (f *faultFinder) lacks() string {
	args := operands(f.fault)
	if variable := f.nullVariable(f.fault); variable != "" {
		return "when " + variable + " is null"
	}
	if f.fault.Kind() != ast.CallKind {
		return "without " + f.source(f.fault)
	}
	switch name := f.fault.AsCall().FunctionName(); {
	case name == operators.Index && strings.HasPrefix(f.err, "index out of bounds"):
		return "with fewer items in " + f.source(args[0])
	case name == operators.Divide || name == operators.Modulo:
		return "whose " + f.source(args[1]) + " is 0"
	case name == "value" && len(args) == 1:
		return "without " + strings.ReplaceAll(f.source(args[0]), "?", "")
	case converters[name] != "" && len(args) == 1:
		return "whose " + f.source(args[0]) + " is not valid"
	}
	return "without " + f.source(f.fault)
}

// nullVariable returns the name of a variable that is null and of which an expression selects a field,
// or an empty string.
func (f *faultFinder) nullVariable(expr ast.Expr) string {
	if expr.Kind() != ast.SelectKind || expr.AsSelect().Operand().Kind() != ast.IdentKind {
		return ""
	}
	variable := expr.AsSelect().Operand().AsIdent()
	if f.loops[variable] != nil || !f.isNull(variable) {
		return ""
	}
	return variable
}

// selected returns the names of a selection, which begin with a variable, and a function that
// replaces the last of them in the source. It returns nil for other expressions.
func (f *faultFinder) selected() (names []string, rename func(string) string) {
	expr := f.fault
	for expr.Kind() == ast.SelectKind {
		names = append(names, expr.AsSelect().FieldName())
		expr = expr.AsSelect().Operand()
	}
	if expr.Kind() != ast.IdentKind || len(names) == 0 || f.loops[expr.AsIdent()] != nil {
		return nil, nil
	}
	name := names[0]
	_, end := f.extent(f.fault)
	if !strings.HasSuffix(f.text[:end], name) {
		return nil, nil
	}
	names = append(names, expr.AsIdent())
	slices.Reverse(names)
	return names, func(other string) string { return f.text[:end-len(name)] + other + f.text[end:] }
}

// key returns the replacement for the selection of a field of a map's key, or nil: in a macro with
// one variable over a map, the variable is the key, a string.
func (f *faultFinder) key() *Guard {
	if f.fault.Kind() != ast.SelectKind || f.fault.AsSelect().Operand().Kind() != ast.IdentKind {
		return nil
	}
	variable := f.fault.AsSelect().Operand().AsIdent()
	looped := f.loops[variable]
	if looped == nil {
		return nil
	}
	if value, ok := f.details.State().Value(looped.ID()); !ok || value == nil || !value.Type().HasTrait(traits.ContainerType) || value.Type() != types.MapType {
		return nil
	}
	part := variable
	if f.fault.AsSelect().FieldName() != "key" {
		part = f.source(looped) + "[" + variable + "]"
	}
	start, end := f.extent(f.fault)
	return &Guard{f.text[:start] + part + f.text[end:], part}
}
