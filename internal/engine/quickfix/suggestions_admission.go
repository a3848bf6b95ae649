package quickfix

import "github.com/crdlab/crdlab/internal/playground"

// policyErrors lists errors of admission policies and webhook configurations.
var policyErrors = []suggestion{
	{"unknown-field-in-policy", nil, pattern(`^unknown field "`),
		"This kind has no such field here. Correct the name, or remove the field.", correctUnknownField},
	{"cel-has-argument", nil, pattern(`invalid argument to has\(\) macro`),
		"has() checks a field of an object. For a key of a map, write 'key' in object.metadata.labels, after has(object.metadata.labels).", nil},
	{"required-value", pattern(`validationActions$`), pattern(`^Required value`),
		"Set validationActions: [Deny] to refuse requests, or [Warn] or [Audit] to report them.", nil},
	{"cel-syntax", nil, pattern(`Syntax error`),
		"Invalid CEL syntax at the marked position.", nil},
	{"cel-undefined-field", nil, pattern(`undefined field '([^']+)'`),
		"The value has no such field.", nil},
	{"cel-undeclared-reference", nil, pattern(`undeclared reference to '(?:all|exists|exists_one|filter|map)'`),
		"This is a macro of a list or map, which precedes it: object.spec.items.exists(x, x == 'a').", nil},
	{"cel-undeclared-reference", nil, pattern(`undeclared reference to '([^']+)'`),
		"Unknown identifier. Expressions can use object, oldObject, request, params, namespaceObject, authorizer and variables.", correctPolicyReference},
	{"webhook-failed", nil, pattern(`^\S+ "[^"]*" is forbidden: \[?expression '[\s\S]*' resulted in error: `),
		"The API server cannot tell whether the match conditions hold, and failurePolicy is Fail.", guardPolicy},
	{"policy-denied", nil, pattern(`resulted in error: no such key: `),
		"The expression reads a field that this object lacks. Check it with has() first.", guardPolicy},
	{"required-value", pattern(`\.parameterNotFoundAction$`), pattern(`^Required value`),
		"parameterNotFoundAction decides requests without a parameter. Deny refuses them, and Allow accepts them.", chooseMissingAction},
	{"patch-failed", nil, pattern(`may not mutate atomic arrays`),
		"An ApplyConfiguration cannot change an atomic list, map or object. Use patchType: JSONPatch, or set x-kubernetes-list-type: set or map in the CRD.", nil},
	{"policy-denied", nil, pattern(`no params found for policy binding`),
		"No object matches paramRef of the binding. Add the parameters to this document, or set parameterNotFoundAction: Allow.", nil},
	{"unsupported-value", pattern(`\.operations\[\d+\]$`), pattern(`^Unsupported value: "DELETECOLLECTION"`),
		"DELETE also covers collections: admission sees one DELETE request for each object. Remove this operation.", removeItem},
	{"kind-missing", nil, pattern(`^apiVersion and kind are required$`), "Add apiVersion and kind at the root of the document.", nil},
	{playground.CodeNoMatches, nil, pattern(`^no matches for kind `),
		"The document has policies, their bindings and parameters, webhook configurations with their responses, and namespaces. Correct apiVersion and kind.", nil},
	{"cel-not-boolean", nil, pattern(`must evaluate to bool but got `), "Compare the result with the wanted value.", nil},
	{"cel-message-type", nil, pattern(`must evaluate to string but got `), "Convert the result with string().", nil},
	{"policy-result-type", nil, pattern(`must evaluate to (?:one of \[.*\]|\S+) but got `), "The expression has another type than its field requires. Build a value of the type that the message names.", nil},
	{"invalid-name", pattern(`^webhooks\[\d+\]\.name$`), nil, "The name of a webhook is a domain, such as check.things.example.com.", nil},
	{"cel-no-overload", nil, pattern(`no matching overload for`), "The operands have different types, or the function does not accept them.", nil},
	{"message-expression", nil, pattern(`^the API server does not evaluate message, `),
		"Users see message verbatim. To compute the text, use messageExpression.", renameTo("messageExpression")},
	{"policy-no-effect", nil, pattern(`^no \w+Binding refers to this policy`), "Add a binding whose policyName is the name of this policy.", nil},
	{"policy-no-effect", nil, pattern(`^there is no \w+ "[^"]*", so this binding`), "Set policyName to the name of a policy.", nil},
	{"policy-no-effect", nil, pattern(`has errors, so this binding has no effect$`), "Correct the errors of the policy.", nil},
	{"policy-no-effect", nil, pattern(`applies to no object here: \w+ has "[^"]*", not "([^"]+)"$`), "", setMatchedValue},
	{"policy-no-effect", nil, pattern(`applies to no object here: `), "Correct the constraints, or add an object to which they apply.", nil},
	{"policy-no-effect", nil, pattern(`^no webhook is named "[^"]*", so this response`), "Correct the name of the webhook to which the response belongs.", nil},
	{"admission-v1beta1", nil, pattern(`^admissionregistration\.k8s\.io/v1beta1 \w+ is unavailable in `),
		"Set apiVersion: admissionregistration.k8s.io/v1. It also requires admissionReviewVersions and sideEffects.", nil},
	{"policy-actions", nil, pattern(`must not contain both Deny and Warn`), "Deny already reports the failure to the client. Remove Warn.", nil},
	{"patch-failed", nil, pattern(`^error in (?:add|remove|replace|move|copy|test) for path: |^\w+ operation does not apply: |^testing value `),
		"The patch does not fit the object at this time. Add the parents of the path first if they are absent, and remove only what is there. In a key such as example.com/team, write the slash as ~1, or call jsonpatch.escapeKey().", nil},
	{"invalid-name", pattern(`^metadata\.name$`), nil, "", nil},
	{"policy-denied", nil, policyDenied, "", guardPolicy},
	{"webhook-failed", nil, webhookFailed, "", nil},
}

// policyDenied and webhookFailed match the errors of admission.
var (
	policyDenied  = pattern(`^(?:ValidatingAdmissionPolicy|policy) '[^']*' with binding '[^']*' denied request: `)
	webhookFailed = pattern(`^failed calling webhook "`)
)

// chooseMissingAction sets what a binding does with requests that have no parameter.
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
