package quickfix

import "github.com/crdlab/crdlab/internal/playground"

// policyErrors lists errors of admission policies and webhook configurations.
var policyErrors = []suggestion{
	{code: "unknown-field-in-policy", message: pattern(`^unknown field "`),
		hint: "This kind has no such field here. Correct the name, or remove the field.", fixes: correctUnknownField},
	{code: "cel-has-argument", message: pattern(`invalid argument to has\(\) macro`),
		hint: "has() checks a field of an object. For a key of a map, write 'key' in object.metadata.labels, after has(object.metadata.labels)."},
	{code: "required-value", field: pattern(`validationActions$`), message: pattern(`^Required value`),
		hint: "Set validationActions: [Deny] to refuse requests, or [Warn] or [Audit] to report them."},
	{code: "cel-syntax", message: pattern(`Syntax error`), hint: "Invalid CEL syntax at the marked position."},
	{code: "cel-undefined-field", message: pattern(`undefined field '([^']+)'`), hint: "The value has no such field."},
	{code: "cel-undeclared-reference", message: pattern(`undeclared reference to '(?:all|exists|exists_one|filter|map)'`),
		hint: "This is a macro of a list or map, which precedes it: object.spec.items.exists(x, x == 'a')."},
	{code: "cel-undeclared-reference", message: pattern(`undeclared reference to '([^']+)'`),
		hint: "Unknown identifier. Expressions can use object, oldObject, request, params, namespaceObject, authorizer and variables.", fixes: correctPolicyReference},
	{code: "webhook-failed", message: pattern(`^\S+ "[^"]*" is forbidden: \[?expression '[\s\S]*' resulted in error: `),
		hint: "The API server cannot tell whether the match conditions hold, and failurePolicy is Fail.", fixes: guardPolicy},
	{code: "policy-denied", message: pattern(`resulted in error: no such key: `),
		hint: "The expression reads a field that this object lacks. Check it with has() first.", fixes: guardPolicy},
	{code: "required-value", field: pattern(`\.parameterNotFoundAction$`), message: pattern(`^Required value`),
		hint: "parameterNotFoundAction decides requests without a parameter. Deny refuses them, and Allow accepts them.", fixes: chooseMissingAction},
	{code: "patch-failed", message: pattern(`may not mutate atomic arrays`),
		hint: "An ApplyConfiguration cannot change an atomic list, map or object. Use patchType: JSONPatch, or set x-kubernetes-list-type: set or map in the CRD."},
	{code: "policy-denied", message: pattern(`no params found for policy binding`),
		hint: "No object matches paramRef of the binding. Add the parameters to this document, or set parameterNotFoundAction: Allow."},
	{code: "unsupported-value", field: pattern(`\.operations\[\d+\]$`), message: pattern(`^Unsupported value: "DELETECOLLECTION"`),
		hint: "DELETE also covers collections: admission sees one DELETE request for each object. Remove this operation.", fixes: removeItem},
	{code: "kind-missing", message: pattern(`^apiVersion and kind are required$`), hint: "Add apiVersion and kind at the root of the document."},
	{code: playground.CodeNoMatches, message: pattern(`^no matches for kind `),
		hint: "The document has policies, their bindings and parameters, webhook configurations with their responses, and namespaces. Correct apiVersion and kind."},
	{code: "cel-not-boolean", message: pattern(`must evaluate to bool but got `), hint: "Compare the result with the wanted value."},
	{code: "cel-message-type", message: pattern(`must evaluate to string but got `), hint: "Convert the result with string()."},
	{code: "policy-result-type", message: pattern(`must evaluate to (?:one of \[.*\]|\S+) but got `), hint: "The expression has another type than its field requires. Build a value of the type that the message names."},
	{code: "invalid-name", field: pattern(`^webhooks\[\d+\]\.name$`), hint: "The name of a webhook is a domain, such as check.things.example.com."},
	{code: "cel-no-overload", message: pattern(`no matching overload for`), hint: "The operands have different types, or the function does not accept them."},
	{code: "message-expression", message: pattern(`^the API server does not evaluate message, `),
		hint: "Users see message verbatim. To compute the text, use messageExpression.", fixes: renameTo("messageExpression")},
	{code: "policy-no-effect", message: pattern(`^no \w+Binding refers to this policy`), hint: "Add a binding whose policyName is the name of this policy."},
	{code: "policy-no-effect", message: pattern(`^there is no \w+ "[^"]*", so this binding`), hint: "Set policyName to the name of a policy."},
	{code: "policy-no-effect", message: pattern(`has errors, so this binding has no effect$`), hint: "Correct the errors of the policy."},
	{code: "policy-no-effect", message: pattern(`applies to no object here: \w+ has "[^"]*", not "([^"]+)"$`), fixes: setMatchedValue},
	{code: "policy-no-effect", message: pattern(`applies to no object here: `), hint: "Correct the constraints, or add an object to which they apply."},
	{code: "policy-no-effect", message: pattern(`^no webhook is named "[^"]*", so this response`), hint: "Correct the name of the webhook to which the response belongs."},
	{code: "admission-v1beta1", message: pattern(`^admissionregistration\.k8s\.io/v1beta1 \w+ is unavailable in `),
		hint: "Set apiVersion: admissionregistration.k8s.io/v1. It also requires admissionReviewVersions and sideEffects."},
	{code: "policy-actions", message: pattern(`must not contain both Deny and Warn`), hint: "Deny already reports the failure to the client. Remove Warn."},
	{code: "patch-failed", message: pattern(`^error in (?:add|remove|replace|move|copy|test) for path: |^\w+ operation does not apply: |^testing value `),
		hint: "The patch does not fit the object at this time. Add the parents of the path first if they are absent, and remove only what is there. In a key such as example.com/team, write the slash as ~1, or call jsonpatch.escapeKey()."},
	{code: "invalid-name", field: pattern(`^metadata\.name$`)},
	{code: "policy-denied", message: policyDenied, fixes: guardPolicy},
	{code: "webhook-failed", message: webhookFailed},
}

// policyDenied and webhookFailed match the errors of admission.
var (
	policyDenied  = pattern(`^(?:ValidatingAdmissionPolicy|policy) '[^']*' with binding '[^']*' denied request: `)
	webhookFailed = pattern(`^failed calling webhook "`)
)

// chooseMissingAction sets the action of a binding on requests that have no parameter.
func chooseMissingAction(p *problem) []playground.Fix {
	const name = "parameterNotFoundAction"
	at := p.doc.PathAt(p.Range.Start)
	if len(at) == 0 || at[len(at)-1] != name {
		at = append(at, name)
	}
	return append(p.newFix("Set "+name+": Deny", p.setValue("Deny", at...)), widens(p.newFix("Set "+name+": Allow", p.setValue("Allow", at...)))...)
}

// removeItem removes the item of a list.
func removeItem(p *problem) []playground.Fix {
	return p.newFix("Remove "+p.scalar(p.path...), p.deleteAt(p.path...))
}

// setMatchedValue replaces the item of a rule that excludes the requests.
func setMatchedValue(p *problem) []playground.Fix {
	return p.newFix("Replace with "+p.match[1], p.setValue(p.match[1], p.path...))
}
