package manifest

import (
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The values of the enumerations, in the order of the API server's messages.
var (
	failurePolicies = []admissionregistrationv1.FailurePolicyType{admissionregistrationv1.Fail, admissionregistrationv1.Ignore}
	matchPolicies   = []admissionregistrationv1.MatchPolicyType{admissionregistrationv1.Equivalent, admissionregistrationv1.Exact}
	scopes          = []admissionregistrationv1.ScopeType{
		admissionregistrationv1.AllScopes, admissionregistrationv1.ClusterScope, admissionregistrationv1.NamespacedScope,
	}
	operations = []admissionregistrationv1.OperationType{
		admissionregistrationv1.OperationAll, admissionregistrationv1.Connect, admissionregistrationv1.Create,
		admissionregistrationv1.Delete, admissionregistrationv1.Update,
	}
	validationReasons = []metav1.StatusReason{
		metav1.StatusReasonForbidden, metav1.StatusReasonInvalid, metav1.StatusReasonRequestEntityTooLarge, metav1.StatusReasonUnauthorized,
	}
	validationActions = []admissionregistrationv1.ValidationAction{
		admissionregistrationv1.Audit, admissionregistrationv1.Deny, admissionregistrationv1.Warn,
	}
	patchTypes = []admissionregistrationv1.PatchType{
		admissionregistrationv1.PatchTypeApplyConfiguration, admissionregistrationv1.PatchTypeJSONPatch,
	}
	reinvocationPolicies = []admissionregistrationv1.ReinvocationPolicyType{
		admissionregistrationv1.NeverReinvocationPolicy, admissionregistrationv1.IfNeededReinvocationPolicy,
	}
	parameterNotFoundActions = []admissionregistrationv1.ParameterNotFoundActionType{
		admissionregistrationv1.DenyAction, admissionregistrationv1.AllowAction,
	}
	sideEffects = []admissionregistrationv1.SideEffectClass{
		admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.SideEffectClassNoneOnDryRun,
	}
	requestOperations  = []admissionv1.Operation{admissionv1.Connect, admissionv1.Create, admissionv1.Delete, admissionv1.Update}
	responsePatchTypes = []admissionv1.PatchType{admissionv1.PatchTypeJSONPatch}
)
