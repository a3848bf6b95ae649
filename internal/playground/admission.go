package playground

import "encoding/json"

// Admission reports the problems of Scenario.Admission itself, found before any
// object's request runs.
type Admission struct {
	Findings []Finding `json:"findings"`
}

// ObjectAdmission reports the effect of admission policies and webhooks on an
// object's request.
type ObjectAdmission struct {
	// Policies lists the MutatingAdmissionPolicies, followed by the
	// ValidatingAdmissionPolicies, each in the order in which they run. It
	// includes policies that do not match.
	Policies []AdmissionPolicy `json:"policies"`
	// Webhooks lists the mutating webhooks, followed by the validating webhooks,
	// each in the order in which they run.
	Webhooks []AdmissionWebhook `json:"webhooks"`
	// AuditAnnotations lists the annotations added to the audit event of the
	// request, sorted by key.
	AuditAnnotations []AuditAnnotation `json:"auditAnnotations"`
}

// AdmissionPolicy reports the evaluation of a policy for an object's request.
type AdmissionPolicy struct {
	// Kind is ValidatingAdmissionPolicy or MutatingAdmissionPolicy.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Outcome is pass, fail, error or skipped. For fail and error, the bindings
	// decide whether the request is denied.
	Outcome Outcome `json:"outcome"`
	// Why explains why the policy failed or was skipped.
	Why      string             `json:"why"`
	Bindings []AdmissionBinding `json:"bindings"`
	// Range locates the policy's name in Scenario.Admission.
	Range Range `json:"range"`
	// Mismatch describes why the policy does not match the request; nil if it does.
	Mismatch *AdmissionMismatch `json:"-"`
}

// An AdmissionMismatch describes a part of match constraints that excludes a request.
type AdmissionMismatch struct {
	// Part is resourceRules, excludeResourceRules, namespaceSelector or objectSelector.
	Part string
	// Why describes the mismatch.
	Why string
	// Operation, Group, Version and Resource describe the request: "CREATE", "things" or
	// "things/status".
	Operation, Group, Version, Resource string
}

// AdmissionBinding reports the evaluation of a policy through one of its
// bindings.
type AdmissionBinding struct {
	Name string `json:"name"`
	// Actions lists the validationActions: Deny, Warn, Audit.
	Actions []string `json:"actions"`
	Outcome Outcome  `json:"outcome"`
	Why     string   `json:"why"`
	// Invocations has one entry for each parameter object and each round. A
	// mutating policy may run a second time, see AdmissionInvocation.Reinvocation.
	Invocations []AdmissionInvocation `json:"invocations"`
	Range       Range                 `json:"range"`
	// Mismatch is as in AdmissionPolicy.
	Mismatch *AdmissionMismatch `json:"-"`
}

// AdmissionInvocation is an evaluation of a policy.
type AdmissionInvocation struct {
	// Param is the kind, namespace and name of the parameter object, such as
	// "ConfigMap default/limits"; empty without a parameter.
	Param string `json:"param"`
	// Reinvocation reports that another plugin changed the object after the
	// policy's first evaluation.
	Reinvocation bool    `json:"reinvocation"`
	Outcome      Outcome `json:"outcome"`
	Why          string  `json:"why"`
	// Expressions lists the evaluated expressions in evaluation order.
	Expressions []AdmissionExpression `json:"expressions"`
	// Cost is the total cost of all expressions in CEL cost units, and CostLimit
	// its maximum.
	Cost      uint64 `json:"cost"`
	CostLimit uint64 `json:"costLimit"`
}

// AdmissionExpression is the evaluation of one CEL expression of a policy.
type AdmissionExpression struct {
	// Kind is one of the Expression… constants.
	Kind ExpressionKind `json:"kind"`
	// Name is the name of a match condition or variable, or the key of an audit
	// annotation. For all other kinds it is the zero-based index in the policy's
	// list.
	Name       string  `json:"name"`
	Expression string  `json:"expression"`
	Outcome    Outcome `json:"outcome"`
	// Value is the result as JSON, null without a result.
	Value json.RawMessage `json:"value"`
	// Message is the error, or the message of a failed validation. A message
	// expression is skipped if its validation passes.
	Message string `json:"message"`
	// Cost is the cost in CEL cost units. It excludes variables that were
	// evaluated lazily for this expression.
	Cost uint64 `json:"cost"`
	// Range locates the expression in Scenario.Admission.
	Range Range `json:"range"`
}

// ExpressionKind is the kind of an [AdmissionExpression].
type ExpressionKind = string

// Values of [ExpressionKind].
const (
	ExpressionMatchCondition  ExpressionKind = "matchCondition"
	ExpressionVariable        ExpressionKind = "variable"
	ExpressionValidation      ExpressionKind = "validation"
	ExpressionMessage         ExpressionKind = "messageExpression"
	ExpressionAuditAnnotation ExpressionKind = "auditAnnotation"
	ExpressionMutation        ExpressionKind = "mutation"
)

// AdmissionWebhook reports the calls of a webhook for an object's request.
type AdmissionWebhook struct {
	// Kind is MutatingWebhookConfiguration or ValidatingWebhookConfiguration.
	// Configuration is the name of that object, and Name the name of the webhook
	// within it.
	Kind          string `json:"kind"`
	Configuration string `json:"configuration"`
	Name          string `json:"name"`
	// Outcome is pass, fail, error or skipped.
	Outcome Outcome `json:"outcome"`
	Why     string  `json:"why"`
	// Calls lists the requests to the webhook, at most two.
	Calls []AdmissionCall `json:"calls"`
	Range Range           `json:"range"`
	// Mismatch is as in AdmissionPolicy.
	Mismatch *AdmissionMismatch `json:"-"`
}

// AdmissionCall is a request to a webhook, with its response.
type AdmissionCall struct {
	// Request and Response are AdmissionReview objects. Response is null if
	// Scenario.Admission has no matching response; the webhook then counts as
	// having allowed the request.
	Request      json.RawMessage `json:"request"`
	Response     json.RawMessage `json:"response"`
	Reinvocation bool            `json:"reinvocation"`
	// Patch is the decoded JSON Patch of the response; null without a patch.
	Patch json.RawMessage `json:"patch"`
	// ResponseRange locates the response in Scenario.Admission.
	ResponseRange *Range `json:"responseRange"`
}

// AuditAnnotation is an annotation of an audit event.
type AuditAnnotation struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}
