package mutant

import (
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/parser"
)

// condition returns the CEL rule under which a ValidatingAdmissionPolicy accepts an object, for the root of its schema. It
// omits the expressions of the policy that read anything but the object, or the old one if isUpdate. It is empty without
// any other.
func condition(policy map[string]any, isUpdate bool) string {
	r := ruler{factory: ast.NewExprFactory(), variables: map[string]*ast.AST{}, isUpdate: isUpdate}
	variables, _ := child(policy, "spec", "variables").([]any)
	for _, item := range variables {
		name, _ := child(item, "name").(string)
		// A variable may only read those before it.
		r.variables[name] = r.rule(item)
	}
	validations, applies := r.joined(policy, "validations"), r.joined(policy, "matchConditions")
	switch {
	case validations == "":
		return ""
	case applies != "":
		validations = "!(" + applies + ") || (" + validations + ")"
	}
	if isUpdate {
		// An API server evaluates a rule only for updates if it reads the old object.
		return "(" + validations + ") && (has(oldSelf.metadata) || true)"
	}
	return validations
}

// A ruler turns the expressions of a policy into those of a rule.
type ruler struct {
	factory   ast.ExprFactory
	variables map[string]*ast.AST
	isUpdate  bool
	// isRule becomes false at a value that a rule does not have.
	isRule bool
}

// joined returns the conjunction of the expressions in a list of a policy; empty without any.
func (r *ruler) joined(policy map[string]any, key string) string {
	var all []string
	list, _ := child(policy, "spec", key).([]any)
	for _, item := range list {
		if rule := r.rule(item); rule != nil {
			if text, err := parser.Unparse(rule.Expr(), rule.SourceInfo()); err == nil {
				all = append(all, "("+text+")")
			}
		}
	}
	return strings.Join(all, " && ")
}

// rule returns the expression of an item for a rule, or nil.
func (r *ruler) rule(item any) *ast.AST {
	expression, _ := child(item, "expression").(string)
	parsed := parse(expression)
	if parsed == nil {
		return nil
	}
	r.isRule = true
	r.visit(parsed.Expr())
	if !r.isRule {
		return nil
	}
	return parsed
}

// visit replaces the object, the old object and the variables in an expression.
func (r *ruler) visit(e ast.Expr) {
	if e.Kind() == ast.SelectKind {
		selected := e.AsSelect()
		if operand := selected.Operand(); operand.Kind() == ast.IdentKind && operand.AsIdent() == "variables" {
			variable := r.variables[selected.FieldName()]
			if variable == nil {
				r.isRule = false
				return
			}
			e.SetKindCase(r.factory.CopyExpr(variable.Expr()))
			return
		}
	}
	if e.Kind() == ast.IdentKind {
		switch e.AsIdent() {
		case "object":
			e.SetKindCase(r.factory.NewIdent(e.ID(), "self"))
		case "oldObject":
			e.SetKindCase(r.factory.NewIdent(e.ID(), "oldSelf"))
			r.isRule = r.isRule && r.isUpdate
		case "request", "params", "authorizer", "namespaceObject", "variables":
			r.isRule = false
		}
		return
	}
	for _, part := range parts(e) {
		r.visit(part)
	}
}
