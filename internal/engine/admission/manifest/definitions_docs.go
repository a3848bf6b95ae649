package manifest

import (
	"reflect"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// documentation returns upstream's descriptions by type. The types are listed one
// by one, because a call through an interface would link the descriptions of every type.
func documentation() map[reflect.Type]map[string]string {
	return map[reflect.Type]map[string]string{
		reflect.TypeFor[metav1.TypeMeta]():                                              metav1.TypeMeta{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicy]():            admissionregistrationv1.ValidatingAdmissionPolicy{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicySpec]():        admissionregistrationv1.ValidatingAdmissionPolicySpec{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicyStatus]():      admissionregistrationv1.ValidatingAdmissionPolicyStatus{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.TypeChecking]():                         admissionregistrationv1.TypeChecking{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ExpressionWarning]():                    admissionregistrationv1.ExpressionWarning{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ParamKind]():                            admissionregistrationv1.ParamKind{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MatchResources]():                       admissionregistrationv1.MatchResources{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.NamedRuleWithOperations]():              admissionregistrationv1.NamedRuleWithOperations{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.RuleWithOperations]():                   admissionregistrationv1.RuleWithOperations{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.Rule]():                                 admissionregistrationv1.Rule{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.Validation]():                           admissionregistrationv1.Validation{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.AuditAnnotation]():                      admissionregistrationv1.AuditAnnotation{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MatchCondition]():                       admissionregistrationv1.MatchCondition{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.Variable]():                             admissionregistrationv1.Variable{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicyBinding]():     admissionregistrationv1.ValidatingAdmissionPolicyBinding{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec](): admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ParamRef]():                             admissionregistrationv1.ParamRef{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MutatingAdmissionPolicy]():              admissionregistrationv1.MutatingAdmissionPolicy{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MutatingAdmissionPolicySpec]():          admissionregistrationv1.MutatingAdmissionPolicySpec{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.Mutation]():                             admissionregistrationv1.Mutation{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ApplyConfiguration]():                   admissionregistrationv1.ApplyConfiguration{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.JSONPatch]():                            admissionregistrationv1.JSONPatch{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MutatingAdmissionPolicyBinding]():       admissionregistrationv1.MutatingAdmissionPolicyBinding{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MutatingAdmissionPolicyBindingSpec]():   admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ValidatingWebhookConfiguration]():       admissionregistrationv1.ValidatingWebhookConfiguration{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ValidatingWebhook]():                    admissionregistrationv1.ValidatingWebhook{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MutatingWebhookConfiguration]():         admissionregistrationv1.MutatingWebhookConfiguration{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.MutatingWebhook]():                      admissionregistrationv1.MutatingWebhook{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.WebhookClientConfig]():                  admissionregistrationv1.WebhookClientConfig{}.SwaggerDoc(),
		reflect.TypeFor[admissionregistrationv1.ServiceReference]():                     admissionregistrationv1.ServiceReference{}.SwaggerDoc(),
		reflect.TypeFor[admissionv1.AdmissionReview]():                                  admissionv1.AdmissionReview{}.SwaggerDoc(),
		reflect.TypeFor[admissionv1.AdmissionRequest]():                                 admissionv1.AdmissionRequest{}.SwaggerDoc(),
		reflect.TypeFor[admissionv1.AdmissionResponse]():                                admissionv1.AdmissionResponse{}.SwaggerDoc(),
		reflect.TypeFor[corev1.Namespace]():                                             corev1.Namespace{}.SwaggerDoc(),
		reflect.TypeFor[corev1.NamespaceSpec]():                                         corev1.NamespaceSpec{}.SwaggerDoc(),
		reflect.TypeFor[corev1.ConfigMap]():                                             corev1.ConfigMap{}.SwaggerDoc(),
		reflect.TypeFor[corev1.Secret]():                                                corev1.Secret{}.SwaggerDoc(),
	}
}

// acceptedValues returns the values of the enumerations by type.
func acceptedValues() map[reflect.Type][]any {
	accepted := map[reflect.Type][]any{}
	addAccepted(accepted, failurePolicies)
	addAccepted(accepted, matchPolicies)
	addAccepted(accepted, scopes)
	addAccepted(accepted, operations)
	addAccepted(accepted, validationReasons)
	addAccepted(accepted, validationActions)
	addAccepted(accepted, patchTypes)
	addAccepted(accepted, reinvocationPolicies)
	addAccepted(accepted, parameterNotFoundActions)
	addAccepted(accepted, sideEffects)
	addAccepted(accepted, requestOperations)
	addAccepted(accepted, responsePatchTypes)
	return accepted
}

func addAccepted[T ~string](accepted map[reflect.Type][]any, values []T) {
	for _, value := range values {
		accepted[reflect.TypeFor[T]()] = append(accepted[reflect.TypeFor[T]()], string(value))
	}
}

// A goField is a field of a Go type with its JSON name.
type goField struct {
	of   reflect.Type
	name string
}

// fieldDefaults returns the scalar defaults. It applies the defaults to empty objects.
func fieldDefaults() map[goField]any {
	rules := []admissionregistrationv1.NamedRuleWithOperations{{}}
	policy := &admissionregistrationv1.MutatingAdmissionPolicy{}
	policy.Spec.MatchConstraints = &admissionregistrationv1.MatchResources{ResourceRules: rules}
	defaultMutatingPolicy(policy)
	validating := &admissionregistrationv1.ValidatingAdmissionPolicy{}
	defaultValidatingPolicy(validating)
	hooks := &admissionregistrationv1.MutatingWebhookConfiguration{Webhooks: []admissionregistrationv1.MutatingWebhook{{
		Rules: []admissionregistrationv1.RuleWithOperations{{}},
	}}}
	webhookDefaultsV1.mutating(hooks)
	validatingHooks := &admissionregistrationv1.ValidatingWebhookConfiguration{Webhooks: []admissionregistrationv1.ValidatingWebhook{{}}}
	webhookDefaultsV1.validating(validatingHooks)
	defaults := map[goField]any{}
	for _, defaulted := range []any{policy.Spec, validating.Spec, hooks.Webhooks[0], validatingHooks.Webhooks[0]} {
		collectScalars(reflect.ValueOf(defaulted), defaults)
	}
	return defaults
}

// collectScalars collects the scalars that the pointers of a struct refer to.
func collectScalars(v reflect.Value, into map[goField]any) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		value := reflect.Indirect(v.Field(i))
		if value.Kind() == reflect.Slice && value.Len() > 0 {
			value = value.Index(0)
		}
		switch {
		case value.Kind() == reflect.Struct:
			collectScalars(value, into)
		case f.Type.Kind() != reflect.Pointer || !value.IsValid():
		case value.Kind() == reflect.String:
			into[goField{v.Type(), jsonName(f)}] = value.String()
		case value.CanInt():
			into[goField{v.Type(), jsonName(f)}] = value.Int()
		}
	}
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
