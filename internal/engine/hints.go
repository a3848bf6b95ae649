package engine

import (
	"regexp"

	"github.com/crdlab/crdlab/internal/playground"
)

// hints are what to do about an error, by what its field and message look
// like. The first that fits counts.
var hints = []struct {
	field   *regexp.Regexp // nil fits any
	message *regexp.Regexp
	text    string
}{
	{nil, regexp.MustCompile(`no kind "CustomResourceDefinition" is registered|API version in the data \(apiextensions.k8s.io/v1beta1\)`),
		"apiextensions.k8s.io/v1beta1 is no longer served since Kubernetes 1.22; use apiVersion: apiextensions.k8s.io/v1."},
	{nil, regexp.MustCompile(`no kind "[^"]+" is registered|cannot be handled as a CustomResourceDefinition: no kind`),
		"This document is not a CustomResourceDefinition. Paste one with apiVersion: apiextensions.k8s.io/v1 and kind: CustomResourceDefinition."},
	{nil, regexp.MustCompile(`^unknown field "`),
		"The schema does not know this field, so it would be pruned. Add it to the schema, or choose field validation Warn or Ignore to see it pruned."},
	{nil, regexp.MustCompile(`already set in map|^duplicate field`),
		"The key stands twice in the same map; only one of the values would be kept."},
	{nil, regexp.MustCompile(`exceeds budget by factor`),
		"The rule could be evaluated too often or on too much text. Set maxItems, maxProperties and maxLength on the lists, maps and strings that it reads or is below."},
	{nil, regexp.MustCompile(`undeclared reference to 'namespace'|undefined field 'namespace'`),
		"namespace is a reserved word of CEL: write __namespace__."},
	{nil, regexp.MustCompile(`Syntax error`),
		"The rule is not a CEL expression that can be parsed; see the marked place."},
	{nil, regexp.MustCompile(`undefined field '`),
		"The schema at this rule's place has no such field. self is the value of the node that holds the rule."},
	{nil, regexp.MustCompile(`must be empty to be structural`),
		"Inside allOf, anyOf, oneOf and not only value validations may stand. Move this keyword to the same field outside of them."},
	{regexp.MustCompile(`\.type$`), regexp.MustCompile(`^Required value: must not be empty`),
		"Each node of a structural schema needs a type, unless it has x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields."},
	{nil, regexp.MustCompile(`must not specify anything other than name and generateName`),
		"The API server owns metadata; a schema may restrict only metadata.name and metadata.generateName."},
	{regexp.MustCompile(`^spec\.preserveUnknownFields$`), regexp.MustCompile(`must be false|cannot set to true`),
		"Set spec.preserveUnknownFields: false. Fields that no schema names are then pruned; where they must stay, set x-kubernetes-preserve-unknown-fields: true in the schema, at its root to keep all."},
	{regexp.MustCompile(`schema\.openAPIV3Schema$`), regexp.MustCompile(`^Required value`),
		"Each version needs a schema. The least is type: object with x-kubernetes-preserve-unknown-fields: true, which keeps objects as they are."},
	{regexp.MustCompile(`^metadata\.name$`), regexp.MustCompile(`must be spec.names.plural`),
		"A CRD is named after what it defines: <spec.names.plural>.<spec.group>."},
	{nil, regexp.MustCompile(`some validation rules were not checked because the object was invalid`),
		"CEL rules are evaluated only if the types, required fields, enums and size limits are right. Mend the other errors first."},
	{nil, regexp.MustCompile(`must have exactly one version marked as storage version`),
		"Set storage: true on exactly one version, the one in which objects are persisted."},
}

// hint returns what to do about a finding, or nothing.
func hint(f playground.Finding) string {
	for _, h := range hints {
		if (h.field == nil || h.field.MatchString(f.Field)) && h.message.MatchString(f.Message) {
			return h.text
		}
	}
	return ""
}
