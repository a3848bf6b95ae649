package quickfix

import (
	"cmp"
	"iter"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// The codes of errors that the table does not list.
const (
	codeSyntax = "yaml-syntax"
	codeType   = "undecodable-value"
)

// fixFunc computes the fixes of a problem; it returns nil without a fix.
type fixFunc func(*problem) []playground.Fix

// keepsMeaning returns a function whose fixes are safe, see [playground.Fix].
func keepsMeaning(compute fixFunc) fixFunc {
	return func(p *problem) []playground.Fix {
		fixes := compute(p)
		for i := range fixes {
			fixes[i].Safe = true
		}
		return fixes
	}
}

// A suggestion is a hint, and a function for fixes, for one kind of error.
type suggestion struct {
	// code is the [playground.Finding.Code] of the error.
	code    string
	field   *errorPattern // nil matches any field
	message *errorPattern // nil matches any message
	// hint is empty if a later row has a hint, or if the message suffices.
	hint string
	// fixes is nil if the error has no fix that can be computed.
	fixes fixFunc
}

// applyTable returns the finding with the first matching hint and the fixes of
// the first matching row that has any.
func (p *problem) applyTable() playground.Finding {
	f := p.Finding
	for s := range suggestionsFor(f.Document, f.Stage) {
		if !s.field.matches(f.Field) {
			continue
		}
		if p.match = s.message.find(f.Message); p.match == nil {
			continue
		}
		f.Code = cmp.Or(f.Code, s.code)
		if f.Hint == "" {
			f.Hint = s.hint
		}
		if s.fixes != nil && len(f.Fixes) == 0 {
			p.Hint = f.Hint // a fix may explain more than its row
			f.Fixes = append(f.Fixes, p.computeFixes(s.fixes)...)
			f.Hint = p.Hint
		}
		if f.Code != "" && f.Hint != "" && len(f.Fixes) > 0 {
			break
		}
	}
	return f
}

// suggestionsFor yields the rows for the errors of a stage in a document, in the order in
// which they apply.
func suggestionsFor(document playground.Document, stage playground.StageName) iter.Seq[suggestion] {
	return func(yield func(suggestion) bool) {
		for _, table := range tablesFor(document, stage) {
			for _, row := range table {
				if !yield(row) {
					return
				}
			}
		}
	}
}

func tablesFor(document playground.Document, stage playground.StageName) [][]suggestion {
	switch document {
	case playground.DocumentCRD:
		return [][]suggestion{crdDecodeErrors, decodeErrors, ruleErrors, schemaErrors, schemaWarnings, crdErrors, valueErrors, otherCRDErrors, otherValueErrors}
	case playground.DocumentObject:
		if stage == playground.StageRules {
			return [][]suggestion{ruleFailures, objectErrors, valueErrors}
		}
		return [][]suggestion{objectDecodeErrors, decodeErrors, objectErrors, valueErrors, otherObjectErrors, otherValueErrors}
	case playground.DocumentAdmission:
		return [][]suggestion{policyErrors, decodeErrors, valueErrors}
	}
	return nil
}

// computeFixes calls compute, and returns no fixes if it panics: upstream may
// have rejected the document for a reason that compute does not expect.
func (p *problem) computeFixes(compute fixFunc) []playground.Fix {
	var fixes []playground.Fix
	_ = upstream.Guard(p.Stage, func() error {
		fixes = compute(p)
		return nil
	})
	return fixes[:min(len(fixes), maxFixes)]
}

// crdDecodeErrors lists errors of decoding a CRD.
var crdDecodeErrors = []suggestion{
	{"crd-v1beta1", nil, pattern(`API version in the data \(apiextensions.k8s.io/v1beta1\)`),
		"Kubernetes 1.22 removed apiextensions.k8s.io/v1beta1. Use apiVersion: apiextensions.k8s.io/v1.", nil},
	{"crd-v1beta1", nil, pattern(`^apiextensions.k8s.io/v1beta1 is not served`), "", replaceWithUpgrade},
	{"crd-v1beta1", nil, pattern(`no kind "CustomResourceDefinition" is registered`),
		"Kubernetes 1.22 removed apiextensions.k8s.io/v1beta1. Use apiVersion: apiextensions.k8s.io/v1.", setServedAPIVersion},
	{"not-a-crd", nil, pattern(`no kind "[^"]+" is registered|cannot be handled as a CustomResourceDefinition: no kind`),
		"This document is not a CustomResourceDefinition. Paste one with apiVersion: apiextensions.k8s.io/v1 and kind: CustomResourceDefinition.", nil},
	{"items-at-root", nil, pattern(`is not a list: no Items field in this object$`),
		"The API server mistakes an object with a list named items at its root for a list of objects. It stores the object, but cannot return it. Rename the field, or move it below spec.", nil},
	{"unknown-field-in-crd", nil, pattern(`^unknown field "`),
		"A CustomResourceDefinition has no such field here. Fix the name, or remove the field.", correctUnknownField},
}

// objectDecodeErrors lists errors of decoding an object.
var objectDecodeErrors = []suggestion{
	{"unknown-field", nil, pattern(`^unknown field "`),
		"Field not in the schema. Fix the name, add it to the schema, or set field validation to Warn or Ignore to prune it.", correctUnknownField},
}

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

// decodeErrors lists errors of decoding any document.
var decodeErrors = []suggestion{
	{"duplicate-key", nil, pattern(`already set in map|^duplicate field`),
		"Duplicate key. kubectl keeps the last value silently; strict field validation rejects the document.", removeDuplicateKey},
}

// ruleErrors lists errors of the CEL rules of a CRD.
var ruleErrors = []suggestion{
	{"cel-message-cost", pattern(`\.messageExpression$`), pattern(`exceeds budget by factor`),
		"The estimated cost of the message is too high. Set maxLength on the strings that it contains, or build it with format().", formatMessage},
	{"cel-total-cost", nil, pattern(`estimated rule cost total for entire OpenAPIv3 schema`), "", nil},
	{"cel-cost", nil, pattern(`exceeds budget by factor`),
		"The estimated cost is too high. Set maxItems, maxProperties and maxLength on the lists, maps and strings that the rule iterates over or is nested in.", limitSizes},
	{"cel-total-cost", nil, pattern(`contributed to estimated rule cost total`),
		"The combined cost of all rules exceeds the budget; see the error on the schema.", nil},
	{"cel-reserved-word", nil, pattern(`reserved identifier: (\w+)`),
		"The name is a CEL keyword. Use self to access a property with this name.", correctReference},
	{"cel-syntax", nil, pattern(`Syntax error`),
		"Invalid CEL syntax at the marked position.", nil},
	{"cel-undefined-field", nil, pattern(`undefined field '([^']+)'`),
		"The schema has no such field here. self is the value at the field that declares the rule.", correctProperty},
	{"cel-undeclared-reference", nil, pattern(`undeclared reference to '(?:now|today|currentTime|time)'`),
		"Rules have no clock: the result of a rule depends only on the object and its old version. Compare times with a field that a controller sets, or check the present time in the controller.", nil},
	{"cel-undeclared-reference", nil, pattern(`undeclared reference to '([^']+)'`),
		"Unknown identifier. Use self to access the object.", correctReference},
	{"cel-no-overload", nil, pattern(`no matching overload for`),
		"The operands have different types, or the function does not accept them. Select a property of self, or convert a value, for example with string() or int().", nil},
	{"cel-has-argument", nil, pattern(`invalid argument to has\(\) macro`),
		"has() checks a field of an object, such as has(self.field). To test a key of a map, write 'key' in self.map.", testMapKeys},
	{"cel-message-required", nil, pattern(`message must be specified if rule contains line breaks`),
		"A multi-line rule needs a message. Add one, or write the rule on one line.", joinRuleLines},
	{"cel-line-break", pattern(`\.(message|fieldPath)$`), pattern(`must not contain line breaks`), "", keepsMeaning(joinFieldLines)},
	{"cel-empty-field", pattern(`\.(message|messageExpression|fieldPath)$`), pattern(`must be non-empty if specified`), "", keepsMeaning(removeField)},
	{"cel-optional-old-self", nil, pattern(`optionalOldSelf may not be set|may not be set if oldSelf is not used in rule`), "", keepsMeaning(removeUnusedOldSelf)},
	{"cel-field-path", pattern(`\.fieldPath$`), pattern(`must be a valid path`),
		"fieldPath is a JSON path relative to the field that declares the rule. It begins with a dot, such as .spec.replicas.", correctFieldPath},
	{"cel-uncorrelatable", nil, pattern(`oldSelf cannot be used on the uncorrelatable portion`),
		"The API server cannot match old and new items of this list. Set x-kubernetes-list-type: map with x-kubernetes-list-map-keys, or move the rule above the list.", nil},
}

// schemaErrors lists errors of structural schemas.
var schemaErrors = []suggestion{
	{"structural-junctor", pattern(`\.(?:allOf|anyOf|oneOf)\[\d+\]\.type$`), pattern(`must be empty to be structural`),
		"allOf, anyOf, oneOf and not may contain only value validations. Set the type in the enclosing schema.", liftType},
	{"structural-junctor", nil, pattern(`must be (?:empty|undefined|false) to be structural`),
		"allOf, anyOf, oneOf and not may contain only value validations. Move this keyword to the enclosing schema.", removeField},
	{"schema-type-mismatch", pattern(`\.type$`), pattern(`^Required value: must be (object|array)`), "", outsideJunctors(setMatchedType)},
	{"schema-type-required", pattern(`\.type$`), pattern(`^Required value: must not be empty`),
		"Each node of a structural schema needs a type, unless it has x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields.", inferType},
	{"schema-type-mismatch", pattern(`\.type$`), pattern(`^Invalid value: "?[^"]*"?: must be (object|array|string)`), "", outsideJunctors(setMatchedType)},
	{"schema-type-unsupported", pattern(`\.type$`), pattern(`^Unsupported value: "([^"]*)"`),
		"type must be one of array, boolean, integer, number, object, string.", correctType},
	{"schema-metadata", pattern(`properties\[metadata\]`), pattern(`must not specify anything other than name and generateName`),
		"The API server owns metadata; a schema may restrict only metadata.name and metadata.generateName.", reduceMetadata},
	{"structural-undeclared", nil, pattern(`because it is defined in`),
		"Declare fields of allOf, anyOf, oneOf and not also outside them, with a type.", defineType},
	{"schema-unique-items", nil, pattern(`uniqueItems cannot be set to true`),
		"Use x-kubernetes-list-type: set for a list with unique items.", setListTypeSet},
	{"schema-properties-and-map", nil, pattern(`additionalProperties and properties are mutual exclusive`),
		"Use additionalProperties for a map and properties for an object. To keep unknown fields of an object, set x-kubernetes-preserve-unknown-fields: true.", removeField},
	{"schema-preserve-false", nil, pattern(`^Invalid value: false: must be true or undefined`), "", keepsMeaning(removeField)},
	{"schema-additional-properties", pattern(`additionalProperties$`), pattern(`^Forbidden: must not be used`), "", removeField},
	{"list-map-keys-required", pattern(`x-kubernetes-list-map-keys$`), pattern(`must not be empty if x-kubernetes-list-type is map`),
		"List the properties that identify an item.", chooseMapKeys},
	{"list-type-map", pattern(`x-kubernetes-list-type$`), pattern(`must be map if x-kubernetes-list-map-keys is non-empty`), "", outsideJunctors(setFieldTo("map"))},
	{"list-map-key-optional", nil, pattern(`must have a default or be a required property`),
		"Every item needs the key. Make it required, or give it a default.", requireMapKey},
	{"list-map-key-nullable", nil, pattern(`cannot be nullable`), "", removeField},
	{"schema-nullable-root", nil, pattern(`nullable cannot be true at the root`), "", removeField},
	{"list-map-keys-unknown", nil, pattern(`entries must all be names of item properties`),
		"The map keys of a list must be properties of its items.", addKeyProperties},
	{"schema-items-required", pattern(`\.items$`), pattern(`^Required value: must be specified`),
		"An array needs a schema for its items.", chooseItems},
	{"embedded-resource-properties", pattern(`\.properties$`), pattern(`must not be empty if x-kubernetes-embedded-resource is true`),
		"An embedded resource must declare its properties, or keep all fields with x-kubernetes-preserve-unknown-fields: true.", preserveUnknownFields},
	{"int-or-string-type", nil, pattern(`must be false if x-kubernetes-int-or-string is true`), "", removeField},
	{"schema-unsupported-keyword", nil, pattern(`^Forbidden: (?:id|additionalItems|patternProperties|definitions|dependencies|\$ref) is not supported`),
		"Structural schemas do not support this keyword.", removeField},
	{"default-unknown-field", pattern(`\.default$`), pattern(`must not have unknown fields`),
		"The default contains a field that is not in the schema.", removeField},
	{"default-type", pattern(`\.default$`), pattern(`in body must be of type (\w+)`),
		"The default must be valid against its own schema.", keepsMeaning(convertType)},
	{"preserve-unknown-fields", pattern(`^spec\.preserveUnknownFields$`), pattern(`must be false|cannot set to true`),
		"Set spec.preserveUnknownFields: false. Unknown fields are then pruned. To keep them, set x-kubernetes-preserve-unknown-fields: true in the schema, at the root for all fields.", setFieldTo(false)},
	{"status-root-keywords", pattern(`openAPIV3Schema$`), pattern(`only \[([\w ]+)\] fields are allowed at the root of the schema if the status subresource is enabled$`), "", removeRootKeywords},
	{"schema-required", pattern(`schema\.openAPIV3Schema$`), pattern(`^Required value`),
		"Each version needs a schema. The minimal schema, type: object with x-kubernetes-preserve-unknown-fields: true, accepts any object.", addMinimalSchema},
}

// schemaWarnings lists the API server's warnings about schemas.
var schemaWarnings = []suggestion{
	{"unrecognized-format", nil, pattern(`^unrecognized format "(.*)"$`),
		"The API server accepts any value here, because it does not know the format. Use a format that it knows for the type, or a pattern.", correctFormat},
	{"list-set-items", nil, pattern(`^x-kubernetes-list-type: set for items of type`),
		"Make the list a map with keys, or atomic. Only sets of scalars can be merged.", setFieldTo("atomic")},
}

// crdErrors lists errors of a CRD outside its schemas.
var crdErrors = []suggestion{
	{"crd-name", pattern(`^metadata\.name$`), pattern(`must be spec.names.plural`),
		"The name of a CRD must be <spec.names.plural>.<spec.group>.", keepsMeaning(nameCRD)},
	{"crd-scope", pattern(`^spec\.scope$`), pattern(`^Required value|^Unsupported value`),
		"scope must be Namespaced or Cluster.", chooseScope},
	{"crd-plural", pattern(`^spec\.names\.plural$`), pattern(`^Required value`), "", guessPlural},
	{"crd-kind", pattern(`^spec\.names\.kind$`), pattern(`^Required value`), "", guessKind},
	{"crd-list-kind", pattern(`^spec\.names\.listKind$`), pattern(`kind and listKind may not be the same`), "", renameListKind},
	{"crd-invalid-name", pattern(`^spec\.(?:names|group|versions)`), pattern(`(?:DNS-1035|RFC 1123)`), "", lowerCaseName},
	{"storage-version", nil, pattern(`must have exactly one version marked as storage version`),
		"Set storage: true on exactly one version: the version in which objects are stored.", chooseStorage},
	{"deprecation-warning", pattern(`deprecationWarning$`), pattern(`can only be set for deprecated versions`), "", deprecateVersion},
	{"api-approved", pattern(`api-approved\.kubernetes\.io`), pattern(`^(?:Required|Invalid) value`),
		"The groups *.k8s.io and *.kubernetes.io are reserved for the Kubernetes project. The annotation must contain the URL of the approving pull request, or begin with \"unapproved\".", markUnapproved},
	{"conversion-review-versions", pattern(`conversionReviewVersions$`), pattern(`^Required value|must include at least one of`),
		"conversionReviewVersions must include v1.", setReviewVersions},
	{"conversion-webhook-unused", nil, pattern(`should not be set when strategy is not set to Webhook`), "", chooseStrategy},
	{"conversion-client-config", pattern(`webhookClientConfig$`), pattern(`required when strategy is set to Webhook`), "", setStrategyNone},
	{"printer-column-type", pattern(`\.type$`), pattern(`^(?:Invalid value: "([^"]*)"|Required value): must be one of boolean,`), "", correctColumnType},
	{"scale-path", pattern(`specReplicasPath$`), pattern(`^(?:Required|Invalid) value`), "", setFieldTo(".spec.replicas")},
	{"scale-path", pattern(`statusReplicasPath$`), pattern(`^(?:Required|Invalid) value`), "", setFieldTo(".status.replicas")},
	{"scale-path", pattern(`labelSelectorPath$`), pattern(`^Invalid value`), "", setFieldTo(".status.selector")},
	{"json-path", nil, pattern(`^Invalid value: "([^"]*)": must be a simple json path starting with \.`),
		"A JSON path begins with a dot, such as .spec.replicas.", keepsMeaning(addLeadingDot)},
	{"json-path", pattern(`(?i)jsonPath$`), pattern(`^Invalid value: "([^"]*)": is an invalid path`),
		"A JSON path begins with a dot, such as .spec.replicas.", keepsMeaning(addLeadingDot)},
	{"selectable-field", pattern(`selectableFields\[\d+\]\.jsonPath$`), pattern(`^Duplicate value|must point to a field of type|must not point to fields in metadata`),
		"A selectable field must be a string, boolean or integer outside metadata, and be listed once.", removeParent},
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

// valueErrors lists errors of values, in objects and CRDs.
var valueErrors = []suggestion{
	{"out-of-range", nil, pattern(`Checked value must be of type \w+ with format \w+ in .`),
		"The number is outside the range of the format. With minimum and maximum in the schema, the error names the field and the bound.", nil},
	{"required-value", nil, pattern(`^Required value`), "", supplyValue},
	{"unsupported-value", nil, pattern(`^Unsupported value: .*?: supported values: (.+)$`), "", chooseEnumValue},
	{"wrong-type", nil, pattern(`^Invalid value: "null": .* must be of type (\w+): "null"$`), "", replaceAppliedNull},
	{"wrong-type", nil, pattern(`must be of type (?:array|boolean|integer|null|number|object|string)\b`), "", nil},
	{"wrong-format", nil, pattern(`must be of type [\w-]+: "`), "", nil},
	{"wrong-type", nil, pattern(`must be of type (\w+): "(\w+)"`), "", keepsMeaning(convertType)},
	{"out-of-range", nil, pattern(`should be (less|greater) than( or equal to)? (-?[\d.e+]+)$`), "", setToBound},
	{"too-long", pattern(`^metadata\.annotations$`), pattern(`^Too long`),
		"This is the limit of all annotations together. kubectl apply adds one that holds the whole document; use kubectl apply --server-side, or kubectl create and kubectl replace.", nil},
	{"too-long", nil, pattern(`^Too long: may not be more than (\d+) (?:bytes?|characters?)`), "", shortenString},
	{"too-many-items", nil, pattern(`^Too many: \d+: must have at most (\d+) items?`), "", removeExcessItems},
	{"duplicate-item", pattern(`\]$`), pattern(`^Duplicate value`),
		"The items of this list must be unique; see x-kubernetes-list-type in the schema.", removeDuplicates},
}

// otherCRDErrors lists errors of CRDs that have a code only, because their messages suffice.
var otherCRDErrors = []suggestion{
	{"cel-not-boolean", nil, pattern(`cel expression must evaluate to a bool$`), "", nil},
	{"cel-message-type", nil, pattern(`messageExpression must evaluate to a string$`), "", nil},
	{"cel-field-selection", nil, pattern(`type '[^']+' does not support field selection`), "", nil},
	{"printer-column-format", pattern(`\.format$`), pattern(`must be one of byte,`), "", nil},
	{"stored-versions", pattern(`^status\.storedVersions$`), pattern(`must have the storage version`), "", nil},
	{"stored-version-missing", pattern(`^status\.storedVersions\[\d+\]$`), pattern(`missing from spec\.versions`), "", nil},
	{"conversion-url", pattern(`webhookClientConfig\.url$`), nil, "", nil},
	{"conversion-service", pattern(`webhookClientConfig\.service\.(?:path|port)$`), nil, "", nil},
	{"conversion-ca-bundle", pattern(`\.caBundle$`), nil, "", nil},
	{"deprecation-warning", pattern(`\.deprecationWarning$`), nil, "", nil},
	{"crd-group", pattern(`^spec\.group$`), pattern(`should be a domain with at least one dot$`), "", nil},
	{"duplicate-version", pattern(`^spec\.versions$`), pattern(`must contain unique version names$`), "", nil},
	{"schema-items-list", pattern(`\.items$`), pattern(`items must be a schema object and not an array$`), "", nil},
	{"list-set-items", nil, pattern(`must be atomic as item of a list with x-kubernetes-list-type=set$`), "", nil},
	{"list-map-keys-duplicate", pattern(`\.x-kubernetes-list-map-keys$`), pattern(`must not contain duplicate entries$`), "", nil},
	{"list-map-key-scalar", nil, pattern(`must be a scalar type if parent array's x-kubernetes-list-type is map$`), "", nil},
	{"schema-pattern", pattern(`\.pattern$`), pattern(`must be a valid regular expression`), "", nil},
	{"selectable-field", pattern(`\.selectableFields`), nil, "", nil},
	{"status-root-type", pattern(`\.type$`), pattern(`is allowed as the type at the root of the schema if the status subresource is enabled$`), "", nil},
	{"default-invalid", pattern(`\.default(?:$|[.\[])`), nil, "", nil},
	{playground.CodeConflict, nil, pattern(`^conflict with "before-first-apply"`), "The existing CRD has no managedFields, so its fields have no known owner. Add the managedFields that kubectl get --show-managed-fields prints, or force the conflict.", nil},
	{playground.CodeConflict, nil, pattern(`^conflict with "`), "Another manager owns this field. Apply with its name, or force the conflict to take ownership.", nil},
	{"apply-typed-patch", nil, pattern(`duplicate entries for key \[rule=`), "Server-side apply identifies rules by their text, so no rule may occur twice. Remove one of them.", nil},
	{"apply-typed-patch", nil, pattern(`^failed to create typed patch object.*: field not declared in schema`), "A CustomResourceDefinition has no such field here, and server-side apply refuses it in each mode of --validate. Fix the name, or move the field to where it belongs.", nil},
	{"apply-typed-patch", nil, pattern(`^failed to create typed patch object`), "", nil},
	{"already-exists", nil, pattern(`"[^"]*" already exists$`), "The cluster has a CRD of this name. Replace it, or apply this one.", nil},
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

// otherValueErrors lists further errors of both that have a code only.
var otherValueErrors = []suggestion{
	{"invalid-label", nil, pattern(`a valid label|^Invalid value: "[^"]*": (?:name|prefix) part must consist of`), "", nil},
	{"object-modified", nil, pattern(`the object has been modified; please apply your changes to the latest version`), "", nil},
	{"resource-version-on-create", nil, pattern(`^resourceVersion should not be set on objects to be created$`), "", nil},
}
