package admission

import (
	"regexp"
	"sync"

	celgo "github.com/google/cel-go/cel"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/apiserver/pkg/cel/mutation"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// A policyExpression is an expression of a policy or a webhook in the report.
type policyExpression struct {
	playground.AdmissionExpression
	location source.Location
	compile  sync.Once
	traced   *celrule.Traced
}

// A failure is an evaluation that ended with an error.
type failure struct {
	expression *policyExpression
	variables  any
	err        error
}

// tracingEnvironment returns the CEL environment in which failed expressions are evaluated once
// more. They have compiled with upstream's types, so their variables need no check.
var tracingEnvironment = sync.OnceValue(func() *celgo.Env {
	options := []celgo.EnvOption{common.ResolverEnvOption(&mutation.DynamicTypeResolver{}), environment.UnversionedLib(library.JSONPatch)}
	for _, name := range []string{
		plugincel.ObjectVarName, plugincel.OldObjectVarName, plugincel.ParamsVarName, plugincel.RequestVarName, plugincel.NamespaceVarName,
		plugincel.AuthorizerVarName, plugincel.RequestResourceAuthorizerVarName, plugincel.VariableVarName,
	} {
		options = append(options, celgo.Variable(name, celgo.DynType))
	}
	env, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).StoredExpressionsEnv().Extend(options...)
	if err != nil {
		return nil // the report then lacks the failing parts
	}
	return env
})

// failedVariable matches the error of an expression that uses a variable whose expression failed.
var failedVariable = regexp.MustCompile(`^composited variable "([^"]*)" fails to evaluate: `)

// faultOf returns the cause of the error of the expression with a kind and a name, evaluated in the
// current invocation; nil if it is unknown.
func (r *record) faultOf(kind, name string) *celrule.Fault {
	for _, failed := range r.failures {
		if failed.expression.Kind == kind && failed.expression.Name == name {
			return r.explain(failed)
		}
	}
	return nil
}

// explain returns the cause of a failure, or nil if it is unknown. If the expression of a variable
// failed, the cause is in that expression.
func (r *record) explain(failed failure) *celrule.Fault {
	var cause *celrule.Fault
	if variable := failedVariable.FindStringSubmatch(failed.err.Error()); variable != nil {
		cause = r.faultOf(playground.ExpressionVariable, variable[1])
	}
	e := failed.expression
	e.compile.Do(func() { e.traced = celrule.NewTraced(tracingEnvironment(), e.Expression) })
	// The guards may evaluate variables. The report has only evaluations by the plugins.
	invocation, failures := r.current, r.failures
	r.current = &playground.AdmissionInvocation{}
	defer func() { r.current, r.failures = invocation, failures }()
	return e.traced.Fault(failed.variables, failed.err, e.location, cause)
}

// matchFault returns the cause of the error of the match conditions in the current invocation, or
// nil. If several conditions failed, a guard of the first would not suffice.
func (r *record) matchFault() *celrule.Fault {
	var fault *celrule.Fault
	for _, failed := range r.failures {
		if failed.expression.Kind != playground.ExpressionMatchCondition {
			continue
		}
		if fault != nil {
			fault.Guard, fault.Refusal = nil, nil
			break
		}
		fault = r.explain(failed)
	}
	return fault
}
