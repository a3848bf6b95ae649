package errorindex

type group struct {
	title string
	codes []string
}

// Notes is the group of crdlab's own notes, which are about no error of the API server.
const Notes = "Notes about an accepted CRD"

// groups lists the pages in the order of the index.
var groups = []group{
	{"Manifests", []string{
		"yaml-syntax", "partly-read", "duplicate-key", "undecodable-value", "kind-missing", "not-a-crd", "crd-v1beta1", "unknown-field-in-crd", "unknown-field",
	}},
	{"Names and versions of a CRD", []string{
		"crd-name", "crd-group", "crd-invalid-name", "crd-plural", "crd-kind", "crd-list-kind", "crd-scope", "name-in-use", "api-approved",
		"schema-required", "storage-version", "duplicate-version", "stored-versions", "stored-version-missing", "deprecation-warning",
		"deprecated-version", "no-matches-for-kind", "crd-not-served",
	}},
	{"Structural schemas", []string{
		"schema-type-required", "schema-type-mismatch", "schema-type-unsupported", "schema-items-required", "schema-items-list",
		"structural-junctor", "structural-undeclared", "schema-metadata", "schema-properties-and-map", "schema-additional-properties",
		"schema-unsupported-keyword", "schema-unique-items", "schema-pattern", "schema-nullable-root", "preserve-unknown-fields",
		"schema-preserve-false", "unrecognized-format", "embedded-resource-properties", "int-or-string-type", "items-at-root",
		"default-type", "default-invalid", "default-unknown-field",
	}},
	{"Lists as sets and maps", []string{
		"list-type-map", "list-map-keys-required", "list-map-keys-unknown", "list-map-keys-duplicate", "list-map-key-optional",
		"list-map-key-nullable", "list-map-key-scalar", "list-set-items", "duplicate-item",
	}},
	{"CEL rules in a CRD", []string{
		"cel-syntax", "cel-undefined-field", "cel-undeclared-reference", "cel-reserved-word", "cel-field-selection", "cel-no-overload",
		"cel-has-argument", "cel-not-boolean", "cel-cost", "cel-total-cost", "cel-uncorrelatable", "cel-no-type", "cel-optional-old-self",
		"cel-message-required", "cel-message-type", "cel-message-cost", "cel-line-break", "cel-empty-field", "cel-field-path",
	}},
	{"Subresources, columns and field selectors", []string{
		"status-root-type", "status-root-keywords", "status-missing", "status-ignored", "scale-path", "scale-type", "json-path", "printer-column-type",
		"printer-column-format", "selectable-field",
	}},
	{"Values of an object", []string{
		"required-value", "wrong-type", "wrong-format", "unsupported-value", "pattern-mismatch", "junctor-mismatch", "forbidden-property",
		"out-of-range", "multiple-of", "too-short", "too-long", "too-many-items", "cel-rule", "cel-runtime", "cel-cost-limit",
		"rules-not-checked", "null-dropped",
	}},
	{"Metadata and updates", []string{
		"name-required", "invalid-name", "embedded-type", "invalid-label", "owner-references", "already-exists", "not-found", "field-immutable",
		"object-modified", "uid-mismatch", "field-manager", "resource-version-on-create", "resource-version-required", "resource-version-invalid",
		"finalizer-name", "finalizer-while-deleting",
		"apply-conflict", "apply-typed-patch", "apply-former-version", "apply-live-object", "last-applied-missing",
		"apply-kept", "apply-removed", "managed-fields",
	}},
	{"Conversion webhooks", []string{
		"conversion-failed", "conversion-document", "conversion-no-effect", "conversion-client-config", "conversion-webhook-unused", "conversion-review-versions",
		"conversion-service",
		"conversion-url", "conversion-ca-bundle", "converted-invalid",
	}},
	{Notes, []string{
		"column-no-value", "column-first-value", "column-age", "scale-no-value", "status-with-spec", "lost-fields", "unstored-value", "enum-type", "boolean-key", "int-or-string-pattern",
		"escaped-map-key", "embedded-metadata", "all-of-bound", "transition-avoided", "message-expression",
	}},
	{"Admission", []string{
		"policy-denied", "policy-no-effect", "policy-actions", "policy-result-type", "webhook-denied", "webhook-failed", "patch-failed",
		"admission-identity", "admission-v1beta1", "unknown-field-in-policy",
	}},
}
