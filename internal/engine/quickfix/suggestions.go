package quickfix

import (
	"cmp"
	"iter"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
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
	field   *errorPattern // nil matches any field
	message *errorPattern
	// hint is empty if a later row has a hint, or if the message suffices.
	hint string
	// fixes is nil if the error has no fix that can be computed.
	fixes fixFunc
}

// applyTable returns the finding with the first matching hint and the fixes of
// the first matching row that has any.
func (p *problem) applyTable() playground.Finding {
	f := p.Finding
	for s := range suggestionsFor(f.Document) {
		if !s.field.matches(f.Field) {
			continue
		}
		if p.match = s.message.find(f.Message); p.match == nil {
			continue
		}
		if f.Hint == "" {
			f.Hint = s.hint
		}
		if s.fixes != nil && len(f.Fixes) == 0 {
			f.Fixes = append(f.Fixes, p.computeFixes(s.fixes)...)
			f.Hint = cmp.Or(p.Hint, f.Hint) // a fix may explain more than its row
		}
		if f.Hint != "" && len(f.Fixes) > 0 {
			break
		}
	}
	return f
}

// suggestionsFor yields the rows for a document in the order in which they apply.
func suggestionsFor(document playground.Document) iter.Seq[suggestion] {
	return func(yield func(suggestion) bool) {
		for _, table := range tablesFor(document) {
			for _, row := range table {
				if !yield(row) {
					return
				}
			}
		}
	}
}

func tablesFor(document playground.Document) [][]suggestion {
	switch document {
	case playground.DocumentCRD:
		return [][]suggestion{crdDecodeErrors, decodeErrors, ruleErrors, schemaErrors, crdErrors, valueErrors}
	case playground.DocumentObject:
		return [][]suggestion{objectDecodeErrors, decodeErrors, objectErrors, valueErrors}
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
	{nil, pattern(`API version in the data \(apiextensions.k8s.io/v1beta1\)`),
		"Kubernetes 1.22 removed apiextensions.k8s.io/v1beta1. Use apiVersion: apiextensions.k8s.io/v1.", nil},
	{nil, pattern(`^apiextensions.k8s.io/v1beta1 is not served`), "", replaceWithUpgrade},
	{nil, pattern(`no kind "CustomResourceDefinition" is registered`),
		"Kubernetes 1.22 removed apiextensions.k8s.io/v1beta1. Use apiVersion: apiextensions.k8s.io/v1.", setServedAPIVersion},
	{nil, pattern(`no kind "[^"]+" is registered|cannot be handled as a CustomResourceDefinition: no kind`),
		"This document is not a CustomResourceDefinition. Paste one with apiVersion: apiextensions.k8s.io/v1 and kind: CustomResourceDefinition.", nil},
	{nil, pattern(`is not a list: no Items field in this object$`),
		"The API server mistakes an object with a list named items at its root for a list of objects. It stores the object, but cannot return it. Rename the field, or move it below spec.", nil},
	{nil, pattern(`^unknown field "`),
		"A CustomResourceDefinition has no such field here. Fix the name, or remove the field.", correctUnknownField},
}

// objectDecodeErrors lists errors of decoding an object.
var objectDecodeErrors = []suggestion{
	{nil, pattern(`^unknown field "`),
		"Field not in the schema. Fix the name, add it to the schema, or set field validation to Warn or Ignore to prune it.", correctUnknownField},
}

// policyErrors lists errors of admission policies and webhook configurations.
var policyErrors = []suggestion{
	{nil, pattern(`^unknown field "`),
		"This kind has no such field here. Fix the name, or remove the field.", correctUnknownField},
	{nil, pattern(`Syntax error`),
		"Invalid CEL syntax at the marked position.", nil},
	{nil, pattern(`undefined field '([^']+)'`),
		"The value has no such field.", nil},
	{nil, pattern(`undeclared reference to '([^']+)'`),
		"Unknown identifier. Expressions can use object, oldObject, request, params, namespaceObject, authorizer and variables.", nil},
}

// decodeErrors lists errors of decoding any document.
var decodeErrors = []suggestion{
	{nil, pattern(`already set in map|^duplicate field`),
		"Duplicate key. kubectl keeps the last value silently; strict field validation rejects the document.", removeDuplicateKey},
}

// ruleErrors lists errors of the CEL rules of a CRD.
var ruleErrors = []suggestion{
	{pattern(`\.messageExpression$`), pattern(`exceeds budget by factor`),
		"The estimated cost of the message is too high. Set maxLength on the strings that it contains, or build it with format().", formatMessage},
	{nil, pattern(`exceeds budget by factor`),
		"The estimated cost is too high. Set maxItems, maxProperties and maxLength on the lists, maps and strings that the rule iterates over or is nested in.", limitSizes},
	{nil, pattern(`contributed to estimated rule cost total`),
		"The combined cost of all rules exceeds the budget; see the error on the schema.", nil},
	{nil, pattern(`reserved identifier: (\w+)`),
		"The name is a CEL keyword. Use self to access a property with this name.", correctReference},
	{nil, pattern(`Syntax error`),
		"Invalid CEL syntax at the marked position.", nil},
	{nil, pattern(`undefined field '([^']+)'`),
		"The schema has no such field here. self is the value at the field that declares the rule.", correctProperty},
	{nil, pattern(`undeclared reference to '([^']+)'`),
		"Unknown identifier. Use self to access the object.", correctReference},
	{nil, pattern(`no matching overload for`),
		"The operands have different types, or the function does not accept them. Select a property of self, or convert a value, for example with string() or int().", nil},
	{nil, pattern(`invalid argument to has\(\) macro`),
		"has() checks a field of an object, such as has(self.field).", nil},
	{nil, pattern(`message must be specified if rule contains line breaks`),
		"A multi-line rule needs a message. Add one, or write the rule on one line.", joinRuleLines},
	{pattern(`\.(message|fieldPath)$`), pattern(`must not contain line breaks`), "", keepsMeaning(joinFieldLines)},
	{pattern(`\.(message|messageExpression|fieldPath)$`), pattern(`must be non-empty if specified`), "", keepsMeaning(removeField)},
	{nil, pattern(`optionalOldSelf may not be set|may not be set if oldSelf is not used in rule`), "", keepsMeaning(removeField)},
	{pattern(`\.fieldPath$`), pattern(`must be a valid path`),
		"fieldPath is a JSON path relative to the field that declares the rule. It begins with a dot, such as .spec.replicas.", correctFieldPath},
	{nil, pattern(`oldSelf cannot be used on the uncorrelatable portion`),
		"The API server cannot match old and new items of this list. Set x-kubernetes-list-type: map with x-kubernetes-list-map-keys, or move the rule above the list.", nil},
}

// schemaErrors lists errors of structural schemas.
var schemaErrors = []suggestion{
	{pattern(`\.(?:allOf|anyOf|oneOf)\[\d+\]\.type$`), pattern(`must be empty to be structural`),
		"allOf, anyOf, oneOf and not may contain only value validations. Set the type in the enclosing schema.", liftType},
	{nil, pattern(`must be (?:empty|undefined|false) to be structural`),
		"allOf, anyOf, oneOf and not may contain only value validations. Move this keyword to the enclosing schema.", removeField},
	{pattern(`\.type$`), pattern(`^Required value: must be (object|array)`), "", setMatchedType},
	{pattern(`\.type$`), pattern(`^Required value: must not be empty`),
		"Each node of a structural schema needs a type, unless it has x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields.", inferType},
	{pattern(`\.type$`), pattern(`^Invalid value: "?[^"]*"?: must be (object|array|string)`), "", setMatchedType},
	{pattern(`\.type$`), pattern(`^Unsupported value: "([^"]*)"`),
		"type must be one of array, boolean, integer, number, object, string.", correctType},
	{pattern(`properties\[metadata\]`), pattern(`must not specify anything other than name and generateName`),
		"The API server owns metadata; a schema may restrict only metadata.name and metadata.generateName.", reduceMetadata},
	{nil, pattern(`because it is defined in`),
		"Declare fields of allOf, anyOf, oneOf and not also outside them, with a type.", defineType},
	{nil, pattern(`uniqueItems cannot be set to true`),
		"Use x-kubernetes-list-type: set for a list with unique items.", setListTypeSet},
	{nil, pattern(`additionalProperties and properties are mutual exclusive`),
		"Use additionalProperties for a map and properties for an object. To keep unknown fields of an object, set x-kubernetes-preserve-unknown-fields: true.", removeField},
	{nil, pattern(`^Invalid value: false: must be true or undefined`), "", keepsMeaning(removeField)},
	{pattern(`additionalProperties$`), pattern(`^Forbidden: must not be used`), "", removeField},
	{pattern(`x-kubernetes-list-map-keys$`), pattern(`must not be empty if x-kubernetes-list-type is map`),
		"List the properties that identify an item.", chooseMapKeys},
	{pattern(`x-kubernetes-list-type$`), pattern(`must be map if x-kubernetes-list-map-keys is non-empty`), "", setFieldTo("map")},
	{nil, pattern(`must have a default or be a required property`),
		"Every item needs the key. Make it required, or give it a default.", requireMapKey},
	{nil, pattern(`cannot be nullable`), "", removeField},
	{nil, pattern(`nullable cannot be true at the root`), "", removeField},
	{nil, pattern(`entries must all be names of item properties`),
		"The map keys of a list must be properties of its items.", addKeyProperties},
	{pattern(`\.items$`), pattern(`^Required value: must be specified`),
		"An array needs a schema for its items.", chooseItems},
	{pattern(`\.properties$`), pattern(`must not be empty if x-kubernetes-embedded-resource is true`),
		"An embedded resource must declare its properties, or keep all fields with x-kubernetes-preserve-unknown-fields: true.", preserveUnknownFields},
	{nil, pattern(`must be false if x-kubernetes-int-or-string is true`), "", removeField},
	{nil, pattern(`^Forbidden: (?:id|additionalItems|patternProperties|definitions|dependencies|\$ref) is not supported`),
		"Structural schemas do not support this keyword.", removeField},
	{pattern(`\.default$`), pattern(`must not have unknown fields`),
		"The default contains a field that is not in the schema.", removeField},
	{pattern(`\.default$`), pattern(`must be of type (\w+)`),
		"The default must be valid against its own schema.", keepsMeaning(convertType)},
	{pattern(`^spec\.preserveUnknownFields$`), pattern(`must be false|cannot set to true`),
		"Set spec.preserveUnknownFields: false. Unknown fields are then pruned. To keep them, set x-kubernetes-preserve-unknown-fields: true in the schema, at the root for all fields.", setFieldTo(false)},
	{pattern(`openAPIV3Schema$`), pattern(`only \[([\w ]+)\] fields are allowed at the root of the schema if the status subresource is enabled$`), "", removeRootKeywords},
	{pattern(`schema\.openAPIV3Schema$`), pattern(`^Required value`),
		"Each version needs a schema. The minimal schema, type: object with x-kubernetes-preserve-unknown-fields: true, accepts any object.", addMinimalSchema},
}

// crdErrors lists errors of a CRD outside its schemas.
var crdErrors = []suggestion{
	{pattern(`^metadata\.name$`), pattern(`must be spec.names.plural`),
		"The name of a CRD must be <spec.names.plural>.<spec.group>.", keepsMeaning(nameCRD)},
	{pattern(`^spec\.scope$`), pattern(`^Required value|^Unsupported value`),
		"scope must be Namespaced or Cluster.", chooseScope},
	{pattern(`^spec\.names\.plural$`), pattern(`^Required value`), "", guessPlural},
	{pattern(`^spec\.names\.kind$`), pattern(`^Required value`), "", guessKind},
	{pattern(`^spec\.names\.listKind$`), pattern(`kind and listKind may not be the same`), "", renameListKind},
	{pattern(`^spec\.(?:names|group|versions)`), pattern(`(?:DNS-1035|RFC 1123)`), "", lowerCaseName},
	{nil, pattern(`must have exactly one version marked as storage version`),
		"Set storage: true on exactly one version: the version in which objects are stored.", chooseStorage},
	{pattern(`deprecationWarning$`), pattern(`can only be set for deprecated versions`), "", deprecateVersion},
	{pattern(`api-approved\.kubernetes\.io`), pattern(`^(?:Required|Invalid) value`),
		"The groups *.k8s.io and *.kubernetes.io are reserved for the Kubernetes project. The annotation must contain the URL of the approving pull request, or begin with \"unapproved\".", markUnapproved},
	{pattern(`conversionReviewVersions$`), pattern(`^Required value|must include at least one of`),
		"conversionReviewVersions must include v1.", setReviewVersions},
	{nil, pattern(`should not be set when strategy is not set to Webhook`), "", chooseStrategy},
	{pattern(`webhookClientConfig$`), pattern(`required when strategy is set to Webhook`), "", setStrategyNone},
	{pattern(`\.type$`), pattern(`^(?:Invalid value: "([^"]*)"|Required value): must be one of boolean,`), "", correctColumnType},
	{pattern(`specReplicasPath$`), pattern(`^(?:Required|Invalid) value`), "", setFieldTo(".spec.replicas")},
	{pattern(`statusReplicasPath$`), pattern(`^(?:Required|Invalid) value`), "", setFieldTo(".status.replicas")},
	{pattern(`labelSelectorPath$`), pattern(`^Invalid value`), "", setFieldTo(".status.selector")},
	{nil, pattern(`^Invalid value: "([^"]*)": must be a simple json path starting with \.`),
		"A JSON path begins with a dot, such as .spec.replicas.", keepsMeaning(addLeadingDot)},
	{pattern(`(?i)jsonPath$`), pattern(`^Invalid value: "([^"]*)": is an invalid path`),
		"A JSON path begins with a dot, such as .spec.replicas.", keepsMeaning(addLeadingDot)},
	{pattern(`selectableFields\[\d+\]\.jsonPath$`), pattern(`^Duplicate value|must point to a field of type|must not point to fields in metadata`),
		"A selectable field must be a string, boolean or integer outside metadata, and be listed once.", removeParent},
}

// objectErrors lists errors of objects.
var objectErrors = []suggestion{
	{nil, pattern(`some validation rules were not checked because the object was invalid`),
		"CEL rules did not run because of the errors above. Fix those first.", nil},
	{pattern(`^(?:kind|apiVersion)$`), pattern(`^no matches for kind`), "", setServedVersion},
	{pattern(`^metadata\.name$`), pattern(`name or generateName is required`),
		"Set metadata.name, or metadata.generateName to let the API server generate a name.", nameObject},
	{pattern(`^metadata\.(?:name|generateName|namespace)$`), pattern(`RFC 1123|DNS-1035`), "", lowerCaseObjectName},
	{nil, pattern(`^resourceVersion should not be set on objects to be created`),
		"The API server sets resourceVersion; remove it.", keepsMeaning(removePath("metadata", "resourceVersion"))},
	{nil, pattern(`^metadata.managedFields must be nil`),
		"The API server sets managedFields; remove it.", keepsMeaning(removePath("metadata", "managedFields"))},
	{nil, pattern(`field is immutable`), "", restoreOld},
	{nil, pattern(`^the object has no status, so the request `), "Requests to /status change only the status. Add it to the object.", addStatus},
	{pattern(`^status$`), pattern(`^Required value`), "", makeStatusOptional},
	{nil, pattern(`^[a-z0-9.-]+ "[^"]*" not found$`), "", supplyResource},
}

// valueErrors lists errors of values, in objects and CRDs.
var valueErrors = []suggestion{
	{nil, pattern(`^Required value`), "", supplyValue},
	{nil, pattern(`^Unsupported value: .*?: supported values: (.+)$`), "", chooseEnumValue},
	{nil, pattern(`must be of type (\w+): "(\w+)"`), "", keepsMeaning(convertType)},
	{nil, pattern(`should be (less|greater) than( or equal to)? (-?[\d.e+]+)$`), "", setToBound},
	{nil, pattern(`^Too long: may not be more than (\d+) (?:bytes?|characters?)`), "", shortenString},
	{nil, pattern(`^Too many: \d+: must have at most (\d+) items?`), "", removeExcessItems},
	{pattern(`\]$`), pattern(`^Duplicate value`),
		"The items of this list must be unique; see x-kubernetes-list-type in the schema.", removeDuplicates},
}
