package playground

import "encoding/json"

// Admission is what was found in Scenario.Admission on its own, before any
// object is looked at.
type Admission struct {
	Findings []Finding `json:"findings"`
}

// ObjectAdmission is what the admission policies and webhooks did with an
// object's request.
type ObjectAdmission struct {
	// Policies has the MutatingAdmissionPolicies and then the
	// ValidatingAdmissionPolicies, each in the order in which they run, those
	// that do not match included.
	Policies []AdmissionPolicy `json:"policies"`
	// Webhooks has the mutating and then the validating webhooks, likewise.
	Webhooks []AdmissionWebhook `json:"webhooks"`
	// AuditAnnotations are what the audit event of the request gets, in the
	// order of their keys.
	AuditAnnotations []AuditAnnotation `json:"auditAnnotations"`
}

// AdmissionPolicy is a policy's part in an object's request.
type AdmissionPolicy struct {
	// Kind is ValidatingAdmissionPolicy or MutatingAdmissionPolicy.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Outcome is pass, fail, error or skipped; fail and error say what the
	// policy decided, not whether its bindings let that deny the request.
	Outcome Outcome `json:"outcome"`
	// Why says in words what made the policy be skipped or fail.
	Why      string             `json:"why"`
	Bindings []AdmissionBinding `json:"bindings"`
	// Range is the policy's name in the admission text.
	Range Range `json:"range"`
}

// AdmissionBinding is a binding of a policy.
type AdmissionBinding struct {
	Name string `json:"name"`
	// Actions are the validationActions: Deny, Warn, Audit.
	Actions []string `json:"actions"`
	Outcome Outcome  `json:"outcome"`
	Why     string   `json:"why"`
	// Invocations has one entry for each parameter object and round; a
	// mutating policy may be invoked a second time.
	Invocations []AdmissionInvocation `json:"invocations"`
	Range       Range                 `json:"range"`
}

// AdmissionInvocation is one evaluation of a policy.
type AdmissionInvocation struct {
	// Param is the kind and name of the parameter object, with its namespace:
	// "ConfigMap default/limits"; empty without one.
	Param string `json:"param"`
	// Reinvocation says that another plugin changed the object after the
	// policy saw it first.
	Reinvocation bool    `json:"reinvocation"`
	Outcome      Outcome `json:"outcome"`
	Why          string  `json:"why"`
	// Expressions are those that were evaluated, in order.
	Expressions []AdmissionExpression `json:"expressions"`
	// Cost is the sum of the costs, in CEL cost units, CostLimit the most it
	// may be.
	Cost      uint64 `json:"cost"`
	CostLimit uint64 `json:"costLimit"`
}

// AdmissionExpression is the evaluation of one CEL expression of a policy.
type AdmissionExpression struct {
	// Kind is one of the Expression… constants.
	Kind string `json:"kind"`
	// Name is that of a match condition or a variable, the key of an audit
	// annotation, or the place in the list of the others, from "0".
	Name       string  `json:"name"`
	Expression string  `json:"expression"`
	Outcome    Outcome `json:"outcome"`
	// Value is the result as JSON, null if it has none.
	Value json.RawMessage `json:"value"`
	// Message is the message of a failed validation or the error. A message
	// expression is skipped if its validation holds.
	Message string `json:"message"`
	// Cost is in CEL cost units, variables it evaluated first not included.
	Cost uint64 `json:"cost"`
	// Range is the expression's place in the admission text.
	Range Range `json:"range"`
}

// Kinds of an [AdmissionExpression].
const (
	ExpressionMatchCondition  = "matchCondition"
	ExpressionVariable        = "variable"
	ExpressionValidation      = "validation"
	ExpressionMessage         = "messageExpression"
	ExpressionAuditAnnotation = "auditAnnotation"
	ExpressionMutation        = "mutation"
)

// AdmissionWebhook is a webhook's part in an object's request.
type AdmissionWebhook struct {
	// Kind is MutatingWebhookConfiguration or ValidatingWebhookConfiguration,
	// Configuration the name of that object and Name the webhook's.
	Kind          string `json:"kind"`
	Configuration string `json:"configuration"`
	Name          string `json:"name"`
	// Outcome is pass, fail, error or skipped.
	Outcome Outcome `json:"outcome"`
	Why     string  `json:"why"`
	// Calls are the requests to the webhook, two at most.
	Calls []AdmissionCall `json:"calls"`
	Range Range           `json:"range"`
}

// AdmissionCall is a request to a webhook and its answer.
type AdmissionCall struct {
	// Request and Response are AdmissionReview objects. Response is null if
	// nothing in the admission text answers; the request then goes on as if the
	// webhook had allowed it.
	Request      json.RawMessage `json:"request"`
	Response     json.RawMessage `json:"response"`
	Reinvocation bool            `json:"reinvocation"`
	// Patch is the JSON Patch of the answer, decoded; null without one.
	Patch json.RawMessage `json:"patch"`
	// ResponseRange is the place of the answer in the admission text.
	ResponseRange *Range `json:"responseRange"`
}

// AuditAnnotation is an annotation of an audit event.
type AuditAnnotation struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}
