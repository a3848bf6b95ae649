package apiserver

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// addDefaults adds the defaults on which the admission plugins rely. They are those of
// k8s.io/kubernetes/pkg/apis/admissionregistration/v1.
func addDefaults(types *runtime.Scheme) {
	types.AddTypeDefaultingFunc(&admissionv1.ValidatingWebhookConfiguration{}, func(object any) {
		for i := range object.(*admissionv1.ValidatingWebhookConfiguration).Webhooks {
			w := &object.(*admissionv1.ValidatingWebhookConfiguration).Webhooks[i]
			defaultWebhook(&w.FailurePolicy, &w.MatchPolicy, &w.NamespaceSelector, &w.ObjectSelector, &w.TimeoutSeconds, w.Rules)
		}
	})
	types.AddTypeDefaultingFunc(&admissionv1.MutatingWebhookConfiguration{}, func(object any) {
		for i := range object.(*admissionv1.MutatingWebhookConfiguration).Webhooks {
			w := &object.(*admissionv1.MutatingWebhookConfiguration).Webhooks[i]
			defaultWebhook(&w.FailurePolicy, &w.MatchPolicy, &w.NamespaceSelector, &w.ObjectSelector, &w.TimeoutSeconds, w.Rules)
			setDefault(&w.ReinvocationPolicy, admissionv1.NeverReinvocationPolicy)
		}
	})
	types.AddTypeDefaultingFunc(&admissionv1.ValidatingAdmissionPolicy{}, func(object any) {
		spec := &object.(*admissionv1.ValidatingAdmissionPolicy).Spec
		setDefault(&spec.FailurePolicy, admissionv1.Fail)
		defaultMatch(spec.MatchConstraints)
	})
	types.AddTypeDefaultingFunc(&admissionv1.ValidatingAdmissionPolicyBinding{}, func(object any) {
		spec := &object.(*admissionv1.ValidatingAdmissionPolicyBinding).Spec
		defaultMatch(spec.MatchResources)
	})
	types.AddTypeDefaultingFunc(&admissionv1.MutatingAdmissionPolicy{}, func(object any) {
		spec := &object.(*admissionv1.MutatingAdmissionPolicy).Spec
		setDefault(&spec.FailurePolicy, admissionv1.Fail)
		defaultMatch(spec.MatchConstraints)
	})
	types.AddTypeDefaultingFunc(&admissionv1.MutatingAdmissionPolicyBinding{}, func(object any) {
		spec := &object.(*admissionv1.MutatingAdmissionPolicyBinding).Spec
		defaultMatch(spec.MatchResources)
	})
}

func defaultWebhook(failure **admissionv1.FailurePolicyType, match **admissionv1.MatchPolicyType, namespaces, objects **metav1.LabelSelector, timeout **int32, rules []admissionv1.RuleWithOperations) {
	setDefault(failure, admissionv1.Fail)
	setDefault(match, admissionv1.Equivalent)
	setDefault(namespaces, metav1.LabelSelector{})
	setDefault(objects, metav1.LabelSelector{})
	setDefault(timeout, 10)
	for i := range rules {
		setDefault(&rules[i].Scope, admissionv1.AllScopes)
	}
}

func defaultMatch(match *admissionv1.MatchResources) {
	if match == nil {
		return
	}
	setDefault(&match.MatchPolicy, admissionv1.Equivalent)
	setDefault(&match.NamespaceSelector, metav1.LabelSelector{})
	setDefault(&match.ObjectSelector, metav1.LabelSelector{})
	for _, rules := range [][]admissionv1.NamedRuleWithOperations{match.ResourceRules, match.ExcludeResourceRules} {
		for i := range rules {
			setDefault(&rules[i].Scope, admissionv1.AllScopes)
		}
	}
}

func setDefault[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}
