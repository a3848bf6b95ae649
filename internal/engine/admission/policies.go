package admission

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission/plugin/policy/mutating"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"

	"github.com/crdlab/crdlab/internal/engine/admission/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// An admissionPolicy is a policy of either kind in the report.
type admissionPolicy struct {
	kind, name string
	at         playground.Range
	match      *admissionregistrationv1.MatchResources
	bindings   []*admissionBinding
}

// An admissionBinding is a binding of a policy in the report.
type admissionBinding struct {
	policy  *admissionPolicy
	name    string
	at      playground.Range
	actions []admissionregistrationv1.ValidationAction
	match   *admissionregistrationv1.MatchResources // nil matches every request
	params  func(namespace string) ([]runtime.Object, error)
}

// addValidatingPolicy compiles a policy with its bindings.
func (p *Plugins) addValidatingPolicy(declared manifest.Declared[*admissionregistrationv1.ValidatingAdmissionPolicy], m *manifest.Manifest) error {
	validator, err := compileValidator(declared)
	if err != nil {
		return err
	}
	policy := &admissionPolicy{kind: "ValidatingAdmissionPolicy", name: declared.Object.Name, at: declared.NameRange(), match: declared.Object.Spec.MatchConstraints}
	hook := validating.PolicyHook{Policy: declared.Object, Evaluator: recordingValidator{validator}}
	var refs []*admissionregistrationv1.ParamRef
	for _, b := range m.ValidatingBindings {
		if b.Object.Spec.PolicyName == policy.name {
			hook.Bindings = append(hook.Bindings, b.Object)
			refs = append(refs, b.Object.Spec.ParamRef)
			policy.bindings = append(policy.bindings, &admissionBinding{policy: policy, name: b.Object.Name, at: b.NameRange(), actions: b.Object.Spec.ValidationActions, match: b.Object.Spec.MatchResources})
		}
	}
	if kind := declared.Object.Spec.ParamKind; kind != nil {
		hook.ParamInformer, hook.ParamScope = newParamInformer(kind, m.Params, refs)
	}
	for i, b := range policy.bindings {
		b.params = collectParams(hook.Policy.Spec.ParamKind, refs[i], hook.ParamInformer, hook.ParamScope)
	}
	p.validating = append(p.validating, policy)
	p.validatingHooks = append(p.validatingHooks, hook)
	return nil
}

// addMutatingPolicy compiles a policy with its bindings. Every binding has its own
// hook, so that each evaluation belongs to a known binding. The dispatcher does
// not distinguish several hooks of a policy from one hook with several bindings.
func (p *Plugins) addMutatingPolicy(declared manifest.Declared[*admissionregistrationv1.MutatingAdmissionPolicy], m *manifest.Manifest) error {
	evaluator, err := compileMutators(declared)
	if err != nil {
		return err
	}
	policy := &admissionPolicy{kind: "MutatingAdmissionPolicy", name: declared.Object.Name, at: declared.NameRange(), match: declared.Object.Spec.MatchConstraints}
	p.mutating = append(p.mutating, policy)
	for _, b := range m.MutatingBindings {
		if b.Object.Spec.PolicyName != policy.name {
			continue
		}
		binding := &admissionBinding{policy: policy, name: b.Object.Name, at: b.NameRange(), match: b.Object.Spec.MatchResources}
		policy.bindings = append(policy.bindings, binding)
		hook := mutating.PolicyHook{Policy: declared.Object, Bindings: []*mutating.PolicyBinding{b.Object}, Evaluator: recordMutators(evaluator, binding, declared.Object.Spec.Mutations)}
		ref := b.Object.Spec.ParamRef
		if kind := declared.Object.Spec.ParamKind; kind != nil {
			hook.ParamInformer, hook.ParamScope = newParamInformer(kind, m.Params, []*admissionregistrationv1.ParamRef{ref})
		}
		binding.params = collectParams(declared.Object.Spec.ParamKind, ref, hook.ParamInformer, hook.ParamScope)
		p.mutatingHooks = append(p.mutatingHooks, hook)
	}
	return nil
}
