package admission

import (
	"slices"
	"strconv"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdlab/crdlab/internal/engine/admission/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// policyExpressions holds the expressions of one policy or webhook by accessor.
type policyExpressions struct {
	doc  *source.Document
	path []any // of the policy's spec or of the webhook
	by   map[plugincel.ExpressionAccessor]*policyExpression
}

func newPolicyExpressions(doc *source.Document) policyExpressions {
	return policyExpressions{doc, []any{"spec"}, map[plugincel.ExpressionAccessor]*policyExpression{}}
}

// add adds an expression with its path below the policy's or the webhook's.
func (e policyExpressions) add(accessor plugincel.ExpressionAccessor, kind, name string, path ...any) {
	expression := &policyExpression{AdmissionExpression: playground.AdmissionExpression{Kind: kind, Name: name, Expression: accessor.GetExpression()}}
	if location, ok := e.doc.At(slices.Concat(e.path, path)...); ok {
		expression.location, expression.Range = location, location.Value()
	}
	e.by[accessor] = expression
}

func (e policyExpressions) variables(variables []admissionregistrationv1.Variable) []plugincel.NamedExpressionAccessor {
	accessors := make([]plugincel.NamedExpressionAccessor, len(variables))
	for i, v := range variables {
		accessors[i] = &validating.Variable{Name: v.Name, Expression: v.Expression}
		e.add(accessors[i], playground.ExpressionVariable, v.Name, "variables", i, "expression")
	}
	return accessors
}

func (e policyExpressions) matchConditions(conditions []admissionregistrationv1.MatchCondition) []plugincel.ExpressionAccessor {
	accessors := make([]plugincel.ExpressionAccessor, len(conditions))
	for i := range conditions {
		accessors[i] = (*matchconditions.MatchCondition)(&conditions[i])
		e.add(accessors[i], playground.ExpressionMatchCondition, conditions[i].Name, "matchConditions", i, "expression")
	}
	return accessors
}

func (e policyExpressions) validations(validations []admissionregistrationv1.Validation) []plugincel.ExpressionAccessor {
	accessors := make([]plugincel.ExpressionAccessor, len(validations))
	for i, v := range validations {
		accessors[i] = &validating.ValidationCondition{Expression: v.Expression, Message: v.Message, Reason: v.Reason}
		e.add(accessors[i], playground.ExpressionValidation, strconv.Itoa(i), "validations", i, "expression")
	}
	return accessors
}

// messages returns the message expression of each validation, or nil.
func (e policyExpressions) messages(validations []admissionregistrationv1.Validation) []plugincel.ExpressionAccessor {
	accessors := make([]plugincel.ExpressionAccessor, len(validations))
	for i, v := range validations {
		if v.MessageExpression != "" {
			accessors[i] = &validating.MessageExpressionCondition{MessageExpression: v.MessageExpression}
			e.add(accessors[i], playground.ExpressionMessage, strconv.Itoa(i), "validations", i, "messageExpression")
		}
	}
	return accessors
}

func (e policyExpressions) auditAnnotations(annotations []admissionregistrationv1.AuditAnnotation) []plugincel.ExpressionAccessor {
	accessors := make([]plugincel.ExpressionAccessor, len(annotations))
	for i, a := range annotations {
		accessors[i] = &validating.AuditAnnotationCondition{Key: a.Key, ValueExpression: a.ValueExpression}
		e.add(accessors[i], playground.ExpressionAuditAnnotation, a.Key, "auditAnnotations", i, "valueExpression")
	}
	return accessors
}

// compileValidator compiles a policy like the plugin (compilePolicy in
// k8s.io/apiserver/pkg/admission/plugin/policy/validating). Its programs record
// their evaluations.
func compileValidator(p manifest.Declared[*admissionregistrationv1.ValidatingAdmissionPolicy]) (validating.Validator, error) {
	spec := p.Object.Spec
	options := plugincel.OptionalVariableDeclarations{HasParams: spec.ParamKind != nil, HasAuthorizer: true}
	messageOptions := plugincel.OptionalVariableDeclarations{HasParams: spec.ParamKind != nil}
	expressions := newPolicyExpressions(p.Doc)
	compiler, err := newRecordingCompiler(expressions.by)
	if err != nil {
		return nil, err
	}
	compiler.CompileAndStoreVariables(expressions.variables(spec.Variables), options, environment.StoredExpressions)
	var matcher matchconditions.Matcher
	if len(spec.MatchConditions) > 0 {
		conditions := compiler.CompileCondition(expressions.matchConditions(spec.MatchConditions), options, environment.StoredExpressions)
		matcher = matchconditions.NewMatcher(conditions, spec.FailurePolicy, "policy", "validate", p.Object.Name)
	}
	return validating.NewValidator(
		compiler.CompileCondition(expressions.validations(spec.Validations), options, environment.StoredExpressions),
		matcher,
		compiler.CompileCondition(expressions.auditAnnotations(spec.AuditAnnotations), options, environment.StoredExpressions),
		compiler.CompileCondition(expressions.messages(spec.Validations), messageOptions, environment.StoredExpressions),
		spec.FailurePolicy,
		nil,
	), nil
}

// compileMutators compiles a policy like the plugin (compilePolicy in
// k8s.io/apiserver/pkg/admission/plugin/policy/mutating). Its programs record
// their evaluations.
func compileMutators(p manifest.Declared[*admissionregistrationv1.MutatingAdmissionPolicy]) (mutating.PolicyEvaluator, error) {
	spec := p.Object.Spec
	options := plugincel.OptionalVariableDeclarations{HasParams: spec.ParamKind != nil, HasAuthorizer: true}
	expressions := newPolicyExpressions(p.Doc)
	compiler, err := newRecordingCompiler(expressions.by)
	if err != nil {
		return mutating.PolicyEvaluator{}, err
	}
	compiler.CompileAndStoreVariables(expressions.variables(spec.Variables), options, environment.StoredExpressions)
	evaluator := mutating.PolicyEvaluator{CompositedCompiler: compiler}
	if len(spec.MatchConditions) > 0 {
		conditions := compiler.CompileCondition(expressions.matchConditions(spec.MatchConditions), options, environment.StoredExpressions)
		evaluator.Matcher = matchconditions.NewMatcher(conditions, spec.FailurePolicy, "policy", "validate", p.Object.Name)
	}
	options.HasPatchTypes = true
	for i, m := range spec.Mutations {
		evaluator.Mutators = append(evaluator.Mutators, compilePatcher(compiler, options, expressions, i, m))
	}
	return evaluator, nil
}

func compilePatcher(compiler *plugincel.CompositedCompiler, options plugincel.OptionalVariableDeclarations, expressions policyExpressions, i int, m admissionregistrationv1.Mutation) patch.Patcher {
	if m.PatchType == admissionregistrationv1.PatchTypeJSONPatch {
		accessor := &patch.JSONPatchCondition{Expression: m.JSONPatch.Expression}
		expressions.add(accessor, playground.ExpressionMutation, strconv.Itoa(i), "mutations", i, "jsonPatch", "expression")
		return patch.NewJSONPatcher(compiler.CompileMutatingEvaluator(accessor, options, environment.StoredExpressions))
	}
	accessor := &patch.ApplyConfigurationCondition{Expression: m.ApplyConfiguration.Expression}
	expressions.add(accessor, playground.ExpressionMutation, strconv.Itoa(i), "mutations", i, "applyConfiguration", "expression")
	return patch.NewApplyConfigurationPatcher(compiler.CompileMutatingEvaluator(accessor, options, environment.StoredExpressions))
}
