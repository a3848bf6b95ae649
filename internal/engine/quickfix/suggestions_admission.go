package quickfix

// policyErrors lists errors of admission policies and webhook configurations.
var policyErrors = []suggestion{
	{"unknown-field-in-policy", nil, pattern(`^unknown field "`),
		"This kind has no such field here. Fix the name, or remove the field.", correctUnknownField},
	{"cel-syntax", nil, pattern(`Syntax error`),
		"Invalid CEL syntax at the marked position.", nil},
	{"cel-undefined-field", nil, pattern(`undefined field '([^']+)'`),
		"The value has no such field.", nil},
	{"cel-undeclared-reference", nil, pattern(`undeclared reference to '([^']+)'`),
		"Unknown identifier. Expressions can use object, oldObject, request, params, namespaceObject, authorizer and variables.", correctPolicyReference},
	{"policy-denied", nil, pattern(`resulted in error: no such key: `),
		"The expression reads a field that this object lacks. Check it with has() first.", nil},
	{"policy-denied", nil, pattern(`no params found for policy binding`),
		"No object matches paramRef of the binding. Add the parameters to this document, or set parameterNotFoundAction: Allow.", nil},
	{"policy-denied", nil, policyDenied, "", nil},
	{"webhook-failed", nil, webhookFailed, "", nil},
}

// policyDenied and webhookFailed match the errors of admission.
var (
	policyDenied  = pattern(`^(?:ValidatingAdmissionPolicy|policy) '[^']*' with binding '[^']*' denied request: `)
	webhookFailed = pattern(`^failed calling webhook "`)
)
