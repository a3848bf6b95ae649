package admission

import (
	"cmp"
	"slices"
	"strconv"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating/patch"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// admissionPolicy is a policy of either kind, as it is reported.
type admissionPolicy struct {
	kind, name    string
	at            playground.Range
	failurePolicy admissionregistrationv1.FailurePolicyType
	match         *admissionregistrationv1.MatchResources
	bindings      []*admissionBinding
}

// admissionBinding is a binding of a policy, as it is reported.
type admissionBinding struct {
	policy  *admissionPolicy
	name    string
	at      playground.Range
	actions []admissionregistrationv1.ValidationAction
	match   *admissionregistrationv1.MatchResources // nil matches all
	params  func(namespace string) ([]runtime.Object, error)
}

// policyExpressions are the expressions of one policy by their accessors.
type policyExpressions struct {
	doc *source.Document
	by  map[plugincel.ExpressionAccessor]*policyExpression
}

func newPolicyExpressions(doc *source.Document) policyExpressions {
	return policyExpressions{doc, map[plugincel.ExpressionAccessor]*policyExpression{}}
}

// add remembers an expression and the path below spec at which it stands.
func (e policyExpressions) add(accessor plugincel.ExpressionAccessor, kind, name string, path ...any) {
	expression := &policyExpression{playground.AdmissionExpression{Kind: kind, Name: name, Expression: accessor.GetExpression()}}
	if location, ok := e.doc.At(append([]any{"spec"}, path...)...); ok {
		expression.Range = location.Value()
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

// messages has nil for a validation without a message expression.
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

// compileValidator compiles a policy as the plugin does (compilePolicy in
// k8s.io/apiserver/pkg/admission/plugin/policy/validating), with programs that
// are recorded.
func compileValidator(p declared[*admissionregistrationv1.ValidatingAdmissionPolicy]) (validating.Validator, error) {
	spec := p.object.Spec
	options := plugincel.OptionalVariableDeclarations{HasParams: spec.ParamKind != nil, HasAuthorizer: true}
	messageOptions := plugincel.OptionalVariableDeclarations{HasParams: spec.ParamKind != nil}
	expressions := newPolicyExpressions(p.doc)
	compiler, err := newRecordingCompiler(expressions.by)
	if err != nil {
		return nil, err
	}
	compiler.CompileAndStoreVariables(expressions.variables(spec.Variables), options, environment.StoredExpressions)
	var matcher matchconditions.Matcher
	if len(spec.MatchConditions) > 0 {
		conditions := compiler.CompileCondition(expressions.matchConditions(spec.MatchConditions), options, environment.StoredExpressions)
		matcher = matchconditions.NewMatcher(conditions, spec.FailurePolicy, "policy", "validate", p.object.Name)
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

// compileMutators compiles a policy likewise (compilePolicy in
// k8s.io/apiserver/pkg/admission/plugin/policy/mutating).
func compileMutators(p declared[*admissionregistrationv1.MutatingAdmissionPolicy]) (mutating.PolicyEvaluator, error) {
	spec := p.object.Spec
	options := plugincel.OptionalVariableDeclarations{HasParams: spec.ParamKind != nil, HasAuthorizer: true}
	expressions := newPolicyExpressions(p.doc)
	compiler, err := newRecordingCompiler(expressions.by)
	if err != nil {
		return mutating.PolicyEvaluator{}, err
	}
	compiler.CompileAndStoreVariables(expressions.variables(spec.Variables), options, environment.StoredExpressions)
	evaluator := mutating.PolicyEvaluator{CompositedCompiler: compiler}
	if len(spec.MatchConditions) > 0 {
		conditions := compiler.CompileCondition(expressions.matchConditions(spec.MatchConditions), options, environment.StoredExpressions)
		evaluator.Matcher = matchconditions.NewMatcher(conditions, spec.FailurePolicy, "policy", "validate", p.object.Name)
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

// addValidatingPolicy compiles a policy with its bindings.
func (c *Control) addValidatingPolicy(p declared[*admissionregistrationv1.ValidatingAdmissionPolicy], t *admissionText) error {
	validator, err := compileValidator(p)
	if err != nil {
		return err
	}
	policy := &admissionPolicy{kind: "ValidatingAdmissionPolicy", name: p.object.Name, at: p.nameRange(), failurePolicy: *p.object.Spec.FailurePolicy, match: p.object.Spec.MatchConstraints}
	hook := validating.PolicyHook{Policy: p.object, Evaluator: recordedValidator{validator, policy}}
	var refs []*admissionregistrationv1.ParamRef
	for _, b := range t.validatingBindings {
		if b.object.Spec.PolicyName == policy.name {
			hook.Bindings = append(hook.Bindings, b.object)
			refs = append(refs, b.object.Spec.ParamRef)
			policy.bindings = append(policy.bindings, &admissionBinding{policy: policy, name: b.object.Name, at: b.nameRange(), actions: b.object.Spec.ValidationActions, match: b.object.Spec.MatchResources})
		}
	}
	if kind := p.object.Spec.ParamKind; kind != nil {
		hook.ParamInformer, hook.ParamScope = newParamInformer(kind, t.params, refs)
	}
	for i, b := range policy.bindings {
		b.params = collectParams(hook.Policy.Spec.ParamKind, refs[i], hook.ParamInformer, hook.ParamScope)
	}
	c.validating = append(c.validating, policy)
	c.validatingHooks = append(c.validatingHooks, hook)
	return nil
}

// addMutatingPolicy is as addValidatingPolicy. Each binding gets a hook of its
// own, so that what runs can be told to be for that binding; the dispatcher
// treats a policy's bindings alike, be they in one hook or in several.
func (c *Control) addMutatingPolicy(p declared[*admissionregistrationv1.MutatingAdmissionPolicy], t *admissionText) error {
	evaluator, err := compileMutators(p)
	if err != nil {
		return err
	}
	policy := &admissionPolicy{kind: "MutatingAdmissionPolicy", name: p.object.Name, at: p.nameRange(), failurePolicy: *p.object.Spec.FailurePolicy, match: p.object.Spec.MatchConstraints}
	c.mutating = append(c.mutating, policy)
	for _, b := range t.mutatingBindings {
		if b.object.Spec.PolicyName != policy.name {
			continue
		}
		binding := &admissionBinding{policy: policy, name: b.object.Name, at: b.nameRange(), match: b.object.Spec.MatchResources}
		policy.bindings = append(policy.bindings, binding)
		hook := mutating.PolicyHook{Policy: p.object, Bindings: []*mutating.PolicyBinding{b.object}, Evaluator: recordMutators(evaluator, binding, p.object.Spec.Mutations)}
		ref := b.object.Spec.ParamRef
		if kind := p.object.Spec.ParamKind; kind != nil {
			hook.ParamInformer, hook.ParamScope = newParamInformer(kind, t.params, []*admissionregistrationv1.ParamRef{ref})
		}
		binding.params = collectParams(p.object.Spec.ParamKind, ref, hook.ParamInformer, hook.ParamScope)
		c.mutatingHooks = append(c.mutatingHooks, hook)
	}
	return nil
}

// sortByName orders declared objects. The API server's order is random.
func sortByName[T metav1.Object](list []declared[T]) {
	slices.SortStableFunc(list, func(a, b declared[T]) int { return cmp.Compare(a.object.GetName(), b.object.GetName()) })
}
