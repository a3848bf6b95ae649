package quickfix

import "github.com/crdlab/crdlab/internal/playground"

// objectDecodeErrors lists errors of decoding an object.
var objectDecodeErrors = []suggestion{
	{"unknown-field", nil, pattern(`^unknown field "`),
		"Field not in the schema. Fix the name, add it to the schema, or set field validation to Warn or Ignore to prune it.", correctUnknownField},
}

// ruleFailures lists the errors of the CEL rules of an object. Their messages are the user's,
// so that the last row has all others.
var ruleFailures = []suggestion{
	{playground.CodeRulesNotChecked, nil, pattern(`some validation rules were not checked because the object was invalid`),
		"CEL rules did not run because of the errors above. Fix those first.", nil},
	{"cel-runtime", nil, pattern(`: no such key: .* evaluating rule: `),
		"The rule reads a field that this object lacks. Check it with has() first, or give it a value with orValue().", guardRule},
	{"cel-runtime", nil, pattern(`: index out of bounds: .* evaluating rule: `),
		"The list is shorter than the rule expects. Check its size() first.", guardRule},
	{"cel-runtime", nil, pattern(`: (?:division|modulus) by zero evaluating rule: `), "Check the divisor first.", guardRule},
	{"cel-runtime", nil, pattern(`: optional\.none\(\) dereference evaluating rule: `),
		"The optional value is absent. Check hasValue() first, or give it a value with orValue().", guardRule},
	{"cel-runtime", nil, pattern(`': call arguments did not match a supported operator, function or macro signature for rule: `),
		"The value has another type than the rule expects. A field with x-kubernetes-int-or-string may be a number, which string() converts.", guardRule},
	{"cel-runtime", nil, pattern(`: integer overflow evaluating rule: `), "Integers of CEL have 64 bits.", nil},
	{"cel-runtime", nil, pattern(` evaluating rule: `),
		"A part of the rule fails for this value. Check the value first, or restrict it in the schema.", guardRule},
	{"cel-rule", nil, nil, "", nil},
}

// objectErrors lists errors of objects.
var objectErrors = []suggestion{
	{playground.CodeNoMatches, pattern(`^(?:kind|apiVersion)$`), pattern(`^no matches for kind`), "", setServedVersion},
	{"name-required", pattern(`^metadata\.name$`), pattern(`name or generateName is required`),
		"Set metadata.name, or metadata.generateName to let the API server generate a name.", nameObject},
	{"invalid-name", pattern(`^metadata\.(?:name|generateName|namespace)$`), pattern(`RFC 1123|DNS-1035`), "", lowerCaseObjectName},
	{"resource-version-on-create", nil, pattern(`^resourceVersion should not be set on objects to be created`),
		"The API server sets resourceVersion; remove it.", keepsMeaning(removePath("metadata", "resourceVersion"))},
	{"managed-fields", nil, pattern(`^metadata.managedFields must be nil`),
		"The API server sets managedFields; remove it.", keepsMeaning(removePath("metadata", "managedFields"))},
	{"field-immutable", nil, pattern(`field is immutable`), "", restoreOld},
	{"status-missing", nil, pattern(`^the object has no status, so the request `), "Requests to /status change only the status. Add it to the object.", addStatus},
	{"required-value", pattern(`^status$`), pattern(`^Required value`), "", makeStatusOptional},
	{"not-found", nil, pattern(`^[a-z0-9.-]+ "[^"]*" not found$`), "", supplyResource},
}

// otherObjectErrors lists errors of objects that have a code only.
var otherObjectErrors = []suggestion{
	{"pattern-mismatch", nil, pattern(`should match '`), "", nil},
	{"junctor-mismatch", nil, pattern(`must (?:not )?validate .*\((?:allOf|anyOf|oneOf|not)\)`), "", nil},
	{"forbidden-property", nil, pattern(`is a forbidden property$`), "", nil},
	{"too-short", nil, pattern(`should (?:be|have) at least \d+ (?:chars long|items|properties)$`), "", nil},
	{"multiple-of", nil, pattern(`should be a multiple of`), "", nil},
	{"invalid-name", pattern(`^metadata\.(?:name|generateName)$`), nil, "", nil},
	{"owner-references", pattern(`^metadata\.ownerReferences`), nil, "", nil},
	{"finalizer-while-deleting", pattern(`^metadata\.finalizers$`), pattern(`no new finalizers can be added if the object is being deleted`), "", nil},
	{"finalizer-name", pattern(`^metadata\.finalizers$`), pattern(`: prefer a domain-qualified finalizer name`),
		"A name such as example.com/cleanup does not conflict with the finalizers of other controllers. The controller that removes the finalizer must use the same name.", nil},
	{"deprecated-version", pattern(`^apiVersion$`), pattern(`^.`), "The CRD marks this version as deprecated.", setCurrentVersion},
	{"kind-missing", nil, pattern(`Object '(?:Kind|apiVersion)' is missing`), "", nil},
	{"conversion-failed", nil, pattern(`^(?:object not decodable .*: )?conversion webhook for .* failed: `), "", nil},
	{"webhook-denied", nil, pattern(`^admission webhook "[^"]*" denied the request`), "", nil},
	{"webhook-failed", nil, webhookFailed, "", nil},
	{"policy-denied", nil, policyDenied, "", nil},
	{playground.CodeConflict, nil, pattern(`^conflict with "before-first-apply"`), "", ownExisting},
	{playground.CodeConflict, nil, pattern(`^conflict with "`), "", nil},
	{"apply-typed-patch", nil, pattern(`^failed to create typed patch object.*: duplicate entries for key \[`),
		"Items with the same values of x-kubernetes-list-map-keys are one item. To keep both, add a property in which they differ to these keys in the CRD.", nil},
	{"apply-typed-patch", nil, pattern(`^failed to create typed patch object`), "", nil},
	{"items-at-root", nil, pattern(`is not a list: no Items field in this object$`), "", nil},
	{"resource-version-required", pattern(`^metadata\.resourceVersion$`), pattern(`must be specified for an update$`), "", nil},
	{"already-exists", nil, pattern(`"[^"]*" already exists$`), "", nil},
}
