package manifest

import (
	"strings"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// plainCompiler compiles expressions without access to variables.
var plainCompiler = sync.OnceValue(func() plugincel.Compiler {
	return plugincel.NewCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
})

// An expressionChecker compiles the expressions of a new policy, like the API
// server's validation.
type expressionChecker struct {
	options plugincel.OptionalVariableDeclarations
	// compiler declares the variables of the policy. It is nil until needed.
	compiler *plugincel.CompositedCompiler
	errs     field.ErrorList
}

func newExpressionChecker(hasParams bool) *expressionChecker {
	return &expressionChecker{options: plugincel.OptionalVariableDeclarations{HasParams: hasParams, HasAuthorizer: true}}
}

func (c *expressionChecker) withoutAuthorizer() plugincel.OptionalVariableDeclarations {
	return plugincel.OptionalVariableDeclarations{HasParams: c.options.HasParams}
}

// composited returns the compiler for all expressions except match conditions. It
// is created on first use, because its environments are slow to build.
func (c *expressionChecker) composited(path *field.Path) plugincel.Compiler {
	if c.compiler != nil {
		return c.compiler.Compiler
	}
	compiler, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		c.errs = append(c.errs, field.InternalError(path, err))
		return plainCompiler()
	}
	c.compiler = compiler
	return compiler.Compiler
}

func (c *expressionChecker) check(path *field.Path, expression plugincel.ExpressionAccessor) {
	c.checkWith(c.options, path, expression)
}

func (c *expressionChecker) checkWith(options plugincel.OptionalVariableDeclarations, path *field.Path, expression plugincel.ExpressionAccessor) {
	c.compile(c.composited(path), options, path, expression)
}

func (c *expressionChecker) compile(compiler plugincel.Compiler, options plugincel.OptionalVariableDeclarations, path *field.Path, expression plugincel.ExpressionAccessor) {
	if strings.TrimSpace(expression.GetExpression()) == "" {
		name := path.String()
		c.errs = append(c.errs, field.Required(path, name[strings.LastIndex(name, ".")+1:]+" is not specified"))
		return
	}
	if result := compiler.CompileCELExpression(expression, options, environment.NewExpressions); result.Error != nil {
		c.errs = append(c.errs, expressionError(path, expression.GetExpression(), result.Error))
	}
}

func expressionError(path *field.Path, expression string, err *apiservercel.Error) *field.Error {
	switch err.Type {
	case apiservercel.ErrorTypeRequired:
		return field.Required(path, err.Detail)
	case apiservercel.ErrorTypeInvalid:
		return field.Invalid(path, expression, err.Detail)
	}
	return field.InternalError(path, err)
}

func (c *expressionChecker) checkMatchConditions(path *field.Path, conditions []admissionregistrationv1.MatchCondition) {
	for i := range conditions {
		at := path.Child("matchConditions").Index(i)
		if conditions[i].Name == "" {
			c.errs = append(c.errs, field.Required(at.Child("name"), ""))
		}
		c.compile(plainCompiler(), c.options, at.Child("expression"), (*matchconditions.MatchCondition)(&conditions[i]))
	}
}

func (c *expressionChecker) checkVariables(variables []admissionregistrationv1.Variable) {
	for i, v := range variables {
		at := specPath.Child("variables").Index(i)
		if v.Name == "" {
			c.errs = append(c.errs, field.Required(at.Child("name"), "name is not specified"))
			continue
		}
		expression := &validating.Variable{Name: v.Name, Expression: v.Expression}
		if strings.TrimSpace(v.Expression) == "" {
			c.errs = append(c.errs, field.Required(at.Child("expression"), "expression is not specified"))
			continue
		}
		if c.composited(at); c.compiler == nil {
			return
		}
		if result := c.compiler.CompileAndStoreVariable(expression, c.options, environment.NewExpressions); result.Error != nil {
			c.errs = append(c.errs, expressionError(at.Child("expression"), v.Expression, result.Error))
		}
	}
}
