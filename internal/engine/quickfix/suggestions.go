package quickfix

import (
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// fixFunc computes the fixes of a problem; it returns nil without a fix.
type fixFunc func(*problem) []playground.Fix

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
	for _, s := range suggestions {
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
		}
		if f.Hint != "" && len(f.Fixes) > 0 {
			break
		}
	}
	return f
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

// suggestions lists the rows in the order in which they apply.
var suggestions = []suggestion{
	// The whole document.
	{nil, pattern(`API version in the data \(apiextensions.k8s.io/v1beta1\)`),
		"apiextensions.k8s.io/v1beta1 is no longer served since Kubernetes 1.22; use apiVersion: apiextensions.k8s.io/v1.", nil},
	{nil, pattern(`^apiextensions.k8s.io/v1beta1 is not served`), "", replaceWithUpgrade},
	{nil, pattern(`no kind "CustomResourceDefinition" is registered`),
		"apiextensions.k8s.io/v1beta1 is no longer served since Kubernetes 1.22; use apiVersion: apiextensions.k8s.io/v1.", setServedAPIVersion},
	{nil, pattern(`no kind "[^"]+" is registered|cannot be handled as a CustomResourceDefinition: no kind`),
		"This document is not a CustomResourceDefinition. Paste one with apiVersion: apiextensions.k8s.io/v1 and kind: CustomResourceDefinition.", nil},
	{nil, pattern(`^unknown field "`),
		"The schema does not know this field, so it would be pruned. Add it to the schema, or choose field validation Warn or Ignore to see it pruned.", correctUnknownField},
	{nil, pattern(`already set in map|^duplicate field`),
		"The key stands twice in the same map; only one of the values would be kept.", removeDuplicateKey},

	// Rules.
	{nil, pattern(`exceeds budget by factor`),
		"The rule could be evaluated too often or on too much text. Set maxItems, maxProperties and maxLength on the lists, maps and strings that it reads or is below.", limitSizes},
	{nil, pattern(`contributed to estimated rule cost total`),
		"The rules of this version cost too much together; see the error on its schema.", nil},
	{nil, pattern(`reserved identifier: (\w+)`),
		"The name is a reserved word of CEL. A property of that name is reached through self.", correctReference},
	{nil, pattern(`Syntax error`),
		"The rule is not a CEL expression that can be parsed; see the marked place.", nil},
	{nil, pattern(`undefined field '([^']+)'`),
		"The schema at this rule's place has no such field. self is the value of the node that holds the rule.", correctProperty},
	{nil, pattern(`undeclared reference to '([^']+)'`),
		"CEL knows no such name here. What the schema describes is reached through self.", correctReference},
	{nil, pattern(`message must be specified if rule contains line breaks`),
		"A rule over several lines would make an unreadable message: give it a message, or write it on one line.", joinRuleLines},
	{pattern(`\.(message|fieldPath)$`), pattern(`must not contain line breaks`), "", joinFieldLines},
	{pattern(`\.(message|messageExpression|fieldPath)$`), pattern(`must be non-empty if specified`), "", removeField},
	{nil, pattern(`optionalOldSelf may not be set|may not be set if oldSelf is not used in rule`), "", removeField},
	{pattern(`\.fieldPath$`), pattern(`must be a valid path`),
		"fieldPath is a JSON path below the rule's node that begins with a dot, such as .spec.replicas.", correctFieldPath},
	{nil, pattern(`oldSelf cannot be used on the uncorrelatable portion`),
		"The API server cannot tell which old item of this list is the same as the new one. Make the list x-kubernetes-list-type: map with x-kubernetes-list-map-keys, or put the rule above the list.", nil},

	// Structural schemas.
	{nil, pattern(`must be (?:empty|undefined|false) to be structural`),
		"Inside allOf, anyOf, oneOf and not only value validations may stand. Move this keyword to the same field outside of them.", removeField},
	{pattern(`\.type$`), pattern(`^Required value: must be (object|array)`), "", setMatchedType},
	{pattern(`\.type$`), pattern(`^Required value: must not be empty`),
		"Each node of a structural schema needs a type, unless it has x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields.", inferType},
	{pattern(`\.type$`), pattern(`^Invalid value: "?[^"]*"?: must be (object|array|string)`), "", setMatchedType},
	{pattern(`\.type$`), pattern(`^Unsupported value: "([^"]*)"`),
		"The types of a schema are array, boolean, integer, number, object and string.", correctType},
	{pattern(`properties\[metadata\]`), pattern(`must not specify anything other than name and generateName`),
		"The API server owns metadata; a schema may restrict only metadata.name and metadata.generateName.", reduceMetadata},
	{nil, pattern(`because it is defined in`),
		"What a value validation names has to be in the schema itself, with its type.", defineType},
	{nil, pattern(`uniqueItems cannot be set to true`),
		"A list whose items are unique is x-kubernetes-list-type: set.", setListTypeSet},
	{nil, pattern(`additionalProperties and properties are mutual exclusive`),
		"A map has additionalProperties, an object has properties; to keep unknown fields of an object use x-kubernetes-preserve-unknown-fields: true.", removeField},
	{nil, pattern(`^Invalid value: false: must be true or undefined`), "", removeField},
	{pattern(`additionalProperties$`), pattern(`^Forbidden: must not be used`), "", removeField},
	{pattern(`x-kubernetes-list-map-keys$`), pattern(`must not be empty if x-kubernetes-list-type is map`),
		"Name the properties by which the items of the list differ.", chooseMapKeys},
	{pattern(`x-kubernetes-list-type$`), pattern(`must be map if x-kubernetes-list-map-keys is non-empty`), "", setFieldTo("map")},
	{nil, pattern(`must have a default or be a required property`),
		"Items without the key could not be told apart: require the key, or give it a default.", requireMapKey},
	{nil, pattern(`cannot be nullable`), "", removeField},
	{nil, pattern(`nullable cannot be true at the root`), "", removeField},
	{nil, pattern(`entries must all be names of item properties`),
		"The keys of a list of type map have to be properties of its items.", addKeyProperties},
	{pattern(`\.items$`), pattern(`^Required value: must be specified`),
		"An array needs a schema for its items.", chooseItems},
	{pattern(`\.properties$`), pattern(`must not be empty if x-kubernetes-embedded-resource is true`),
		"An embedded resource either lists its properties, or keeps all: x-kubernetes-preserve-unknown-fields: true.", preserveUnknownFields},
	{nil, pattern(`must be false if x-kubernetes-int-or-string is true`), "", removeField},
	{nil, pattern(`^Forbidden: (?:id|additionalItems|patternProperties|definitions|dependencies|\$ref) is not supported`),
		"Structural schemas are self-contained and have no such keyword.", removeField},
	{pattern(`\.default$`), pattern(`must not have unknown fields`),
		"The default has a field that the schema would prune.", removeField},
	{pattern(`\.default$`), pattern(`must be of type (\w+)`),
		"The default has to be valid by its own schema.", convertType},
	{pattern(`^spec\.preserveUnknownFields$`), pattern(`must be false|cannot set to true`),
		"Set spec.preserveUnknownFields: false. Fields that no schema names are then pruned; where they must stay, set x-kubernetes-preserve-unknown-fields: true in the schema, at its root to keep all.", setFieldTo(false)},
	{pattern(`schema\.openAPIV3Schema$`), pattern(`^Required value`),
		"Each version needs a schema. The least is type: object with x-kubernetes-preserve-unknown-fields: true, which keeps objects as they are.", addMinimalSchema},

	// CRDs, except for schemas.
	{pattern(`^metadata\.name$`), pattern(`must be spec.names.plural`),
		"A CRD is named after what it defines: <spec.names.plural>.<spec.group>.", nameCRD},
	{pattern(`^spec\.scope$`), pattern(`^Required value|^Unsupported value`),
		"Objects of the CRD are either in a namespace or in the whole cluster.", chooseScope},
	{pattern(`^spec\.names\.plural$`), pattern(`^Required value`), "", guessPlural},
	{pattern(`^spec\.names\.kind$`), pattern(`^Required value`), "", guessKind},
	{pattern(`^spec\.names\.listKind$`), pattern(`kind and listKind may not be the same`), "", renameListKind},
	{pattern(`^spec\.(?:names|group|versions)`), pattern(`(?:DNS-1035|RFC 1123)`), "", lowerCaseName},
	{nil, pattern(`must have exactly one version marked as storage version`),
		"Set storage: true on exactly one version, the one in which objects are persisted.", chooseStorage},
	{pattern(`deprecationWarning$`), pattern(`can only be set for deprecated versions`), "", deprecateVersion},
	{pattern(`api-approved\.kubernetes\.io`), pattern(`^(?:Required|Invalid) value`),
		"The groups *.k8s.io and *.kubernetes.io are for the Kubernetes project; a CRD in one of them has to name the pull request that approved it, or say that it is not approved.", markUnapproved},
	{pattern(`conversionReviewVersions$`), pattern(`^Required value|must include at least one of`),
		"The webhook has to understand v1 of ConversionReview.", setReviewVersions},
	{nil, pattern(`should not be set when strategy is not set to Webhook`), "", chooseStrategy},
	{pattern(`webhookClientConfig$`), pattern(`required when strategy is set to Webhook`), "", setStrategyNone},
	{pattern(`\.type$`), pattern(`^(?:Invalid value: "([^"]*)"|Required value): must be one of boolean,`), "", correctColumnType},
	{pattern(`specReplicasPath$`), pattern(`^(?:Required|Invalid) value`), "", setFieldTo(".spec.replicas")},
	{pattern(`statusReplicasPath$`), pattern(`^(?:Required|Invalid) value`), "", setFieldTo(".status.replicas")},
	{pattern(`labelSelectorPath$`), pattern(`^Invalid value`), "", setFieldTo(".status.selector")},
	{nil, pattern(`^Invalid value: "([^"]*)": must be a simple json path starting with \.`),
		"A JSON path begins with a dot: .spec.replicas.", addLeadingDot},
	{pattern(`(?i)jsonPath$`), pattern(`^Invalid value: "([^"]*)": is an invalid path`),
		"A JSON path begins with a dot: .spec.replicas.", addLeadingDot},
	{pattern(`selectableFields\[\d+\]\.jsonPath$`), pattern(`^Duplicate value|must point to a field of type|must not point to fields in metadata`),
		"A selectable field is a string, boolean or integer of the schema outside of metadata, named once.", removeParent},

	// Objects.
	{nil, pattern(`some validation rules were not checked because the object was invalid`),
		"CEL rules are evaluated only if the types, required fields, enums and size limits are right. Mend the other errors first.", nil},
	{pattern(`^(?:kind|apiVersion)$`), pattern(`^no matches for kind`), "", setServedVersion},
	{pattern(`^metadata\.name$`), pattern(`name or generateName is required`),
		"Each object has a name; generateName lets the API server complete one.", nameObject},
	{pattern(`^metadata\.(?:name|generateName|namespace)$`), pattern(`RFC 1123|DNS-1035`), "", lowerCaseObjectName},
	{nil, pattern(`^resourceVersion should not be set on objects to be created`),
		"The API server sets the resourceVersion.", removePath("metadata", "resourceVersion")},
	{nil, pattern(`^metadata.managedFields must be nil`),
		"Who manages which field is told by the server, not by what is applied.", removePath("metadata", "managedFields")},
	{nil, pattern(`field is immutable`), "", restoreOld},
	{nil, pattern(`^Required value`), "", supplyValue},
	{nil, pattern(`^Unsupported value: .*?: supported values: (.+)$`), "", chooseEnumValue},
	{nil, pattern(`must be of type (\w+): "(\w+)"`), "", convertType},
	{nil, pattern(`should be (less|greater) than( or equal to)? (-?[\d.e+]+)$`), "", setToBound},
	{nil, pattern(`^Too long: may not be more than (\d+) (?:bytes?|characters?)`), "", shortenString},
	{nil, pattern(`^Too many: \d+: must have at most (\d+) items?`), "", removeExcessItems},
	{pattern(`\]$`), pattern(`^Duplicate value`),
		"The items of this list have to differ; see x-kubernetes-list-type in its schema.", removeDuplicates},
}
