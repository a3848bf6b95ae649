package manifest

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The API server sets the defaults of admissionregistration.k8s.io when it
// decodes an object. No library contains them; the fields in k8s.io/api
// document them.

func setDefault[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

func defaultValidatingPolicy(p *admissionregistrationv1.ValidatingAdmissionPolicy) {
	setDefault(&p.Spec.FailurePolicy, admissionregistrationv1.Fail)
	defaultMatchResources(p.Spec.MatchConstraints)
}

func defaultMutatingPolicy(p *admissionregistrationv1.MutatingAdmissionPolicy) {
	setDefault(&p.Spec.FailurePolicy, admissionregistrationv1.Fail)
	defaultMatchResources(p.Spec.MatchConstraints)
}

func defaultValidatingBinding(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
	defaultMatchResources(b.Spec.MatchResources)
}

func defaultMutatingBinding(b *admissionregistrationv1.MutatingAdmissionPolicyBinding) {
	defaultMatchResources(b.Spec.MatchResources)
}

func defaultMatchResources(m *admissionregistrationv1.MatchResources) {
	if m == nil {
		return
	}
	setDefault(&m.MatchPolicy, admissionregistrationv1.Equivalent)
	setDefault(&m.NamespaceSelector, metav1.LabelSelector{})
	setDefault(&m.ObjectSelector, metav1.LabelSelector{})
	for i := range m.ResourceRules {
		setDefault(&m.ResourceRules[i].Scope, admissionregistrationv1.AllScopes)
	}
	for i := range m.ExcludeResourceRules {
		setDefault(&m.ExcludeResourceRules[i].Scope, admissionregistrationv1.AllScopes)
	}
}

// webhookDefaults holds the defaults that differ between the versions of webhook
// configurations.
type webhookDefaults struct {
	failurePolicy  admissionregistrationv1.FailurePolicyType
	matchPolicy    admissionregistrationv1.MatchPolicyType
	timeoutSeconds int32
	sideEffects    *admissionregistrationv1.SideEffectClass
	reviewVersions []string
}

var (
	sideEffectsNone = admissionregistrationv1.SideEffectClassNone

	webhookDefaultsV1      = webhookDefaults{admissionregistrationv1.Fail, admissionregistrationv1.Equivalent, 10, nil, nil}
	webhookDefaultsV1beta1 = webhookDefaults{admissionregistrationv1.Ignore, admissionregistrationv1.Exact, 30, &sideEffectsNone, []string{"v1beta1"}}
)

func (d webhookDefaults) validating(c *admissionregistrationv1.ValidatingWebhookConfiguration) {
	for i := range c.Webhooks {
		w := &c.Webhooks[i]
		setDefault(&w.FailurePolicy, d.failurePolicy)
		setDefault(&w.MatchPolicy, d.matchPolicy)
		setDefault(&w.NamespaceSelector, metav1.LabelSelector{})
		setDefault(&w.ObjectSelector, metav1.LabelSelector{})
		setDefault(&w.TimeoutSeconds, d.timeoutSeconds)
		d.review(&w.SideEffects, &w.AdmissionReviewVersions)
		defaultRules(w.Rules)
	}
}

func (d webhookDefaults) mutating(c *admissionregistrationv1.MutatingWebhookConfiguration) {
	for i := range c.Webhooks {
		w := &c.Webhooks[i]
		setDefault(&w.FailurePolicy, d.failurePolicy)
		setDefault(&w.MatchPolicy, d.matchPolicy)
		setDefault(&w.NamespaceSelector, metav1.LabelSelector{})
		setDefault(&w.ObjectSelector, metav1.LabelSelector{})
		setDefault(&w.TimeoutSeconds, d.timeoutSeconds)
		setDefault(&w.ReinvocationPolicy, admissionregistrationv1.NeverReinvocationPolicy)
		d.review(&w.SideEffects, &w.AdmissionReviewVersions)
		defaultRules(w.Rules)
	}
}

func (d webhookDefaults) review(sideEffects **admissionregistrationv1.SideEffectClass, versions *[]string) {
	if *sideEffects == nil {
		*sideEffects = d.sideEffects
	}
	if len(*versions) == 0 {
		*versions = d.reviewVersions
	}
}

func defaultRules(rules []admissionregistrationv1.RuleWithOperations) {
	for i := range rules {
		setDefault(&rules[i].Scope, admissionregistrationv1.AllScopes)
	}
}

// CompleteNamespace sets the label, finalizer and phase that the API server gives
// every namespace.
func CompleteNamespace(namespace *corev1.Namespace) *corev1.Namespace {
	if namespace.Labels == nil {
		namespace.Labels = map[string]string{}
	}
	namespace.Labels[corev1.LabelMetadataName] = namespace.Name
	if len(namespace.Spec.Finalizers) == 0 {
		namespace.Spec.Finalizers = []corev1.FinalizerName{corev1.FinalizerKubernetes}
	}
	if namespace.Status.Phase == "" {
		namespace.Status.Phase = corev1.NamespaceActive
	}
	return namespace
}
