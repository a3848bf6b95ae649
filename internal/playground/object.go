package playground

import "encoding/json"

// ConversionWebhook names the conversion webhook in [Object].DependsOn.
const ConversionWebhook = "the conversion webhook"

// Object reports the request for one document of Scenario.Object.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	// Range is the range of the whole document.
	Range Range `json:"range"`
	// Operation is the request: create, update, updateStatus, apply, delete or
	// scale.
	Operation Operation `json:"operation"`
	Accepted  bool      `json:"accepted"`
	// DependsOn names the webhooks that the API server would call and for which the
	// scenario has no response, such as "the conversion webhook". The verdict then is
	// unknown: Accepted and Status assume that admission webhooks allow the request.
	DependsOn []string `json:"dependsOn,omitempty"`
	// Deleted reports that the request removed the object: either a delete of an
	// object without finalizers, or an update that removed the last finalizer of
	// an object marked for deletion.
	Deleted bool   `json:"deleted"`
	Status  Status `json:"status"`
	// Output is the output of the kubectl command for the operation, such as
	// `kubectl create`, or `kubectl replace` for an update.
	Output   string    `json:"output"`
	Findings []Finding `json:"findings"`
	Warnings []string  `json:"warnings"`
	// Stages lists the steps of the request in order, each with its changes.
	Stages []Stage `json:"stages"`
	// Validated is the pruned and defaulted object that was validated, as of the
	// last stage before storage. It is null if the object cannot be decoded.
	Validated json.RawMessage `json:"validated"`
	// Stored is the persisted object at the storage version; null if the object
	// was rejected or deleted.
	Stored json.RawMessage `json:"stored"`
	// Schema lists the schema nodes of the values in Stored, or in Validated if
	// Stored is null, each once. A value without a node of its own is preserved
	// by its parent's node or belongs to the metadata.
	Schema []SchemaPlace `json:"schema"`
	// Rules has the outcome of each rule for each value to which it applies.
	Rules []RuleResult `json:"rules"`
	// RulesCost is the total actual cost in CEL cost units, and RulesBudget its
	// maximum.
	RulesCost   uint64 `json:"rulesCost"`
	RulesBudget uint64 `json:"rulesBudget"`
	// RulesOmitted is the number of passing results omitted from Rules, to keep
	// the others visible.
	RulesOmitted int `json:"rulesOmitted"`
	// Versions has the stored object as read at each served version; empty if
	// the object was rejected or deleted.
	Versions []ObjectVersion `json:"versions"`
	// Conversions lists the calls of the conversion webhook without duplicates.
	Conversions []ConversionReview `json:"conversions"`
	// Admission reports the effect of admission policies and webhooks; nil if
	// Scenario.Admission is empty.
	Admission *ObjectAdmission `json:"admission,omitempty"`
	// Scale has one entry for each served version, in the order of Versions, if
	// any version enables the scale subresource.
	Scale []Scale `json:"scale"`
	// Size compares the stored object with the limit of etcd; nil if it is smaller
	// than a tenth of the limit or not known.
	Size *Size `json:"size"`
	// SelectableFields has one entry for each served version that declares
	// selectable fields.
	SelectableFields []SelectableFields `json:"selectableFields"`
}

// Change is a value that a stage added to, removed from or replaced in the
// object.
type Change struct {
	// Op is add, remove or replace.
	Op ChangeOp `json:"op"`
	// Path is the field path in the object: "spec.jobs[0].name".
	Path string `json:"path"`
	// Steps lists the keys and indexes of Path: "spec", "jobs", "0", "name".
	Steps []string `json:"steps"`
	// Value is the added or removed value, or the new value of a replacement.
	Value json.RawMessage `json:"value"`
	// Cause is the kind of reason.
	Cause ChangeCause `json:"cause"`
	// Because gives the reason for the change in words.
	Because string `json:"because"`
	// SchemaPath is the schema node that caused the change, as in
	// Rule.SchemaPath.
	SchemaPath string `json:"schemaPath"`
	// Range locates the changed value in the object's document; nil if the
	// document does not contain it.
	Range *Range `json:"range"`
	// SchemaRange locates the schema node in the CRD.
	SchemaRange *Range `json:"schemaRange"`
}

// ChangeCause is the kind of reason for a [Change].
type ChangeCause string

// Values of [ChangeCause].
const (
	// CausePruned: the schema does not specify the field.
	CausePruned ChangeCause = "pruned"
	// CauseNullDropped: the value is null, and its schema is neither nullable nor
	// has a default.
	CauseNullDropped ChangeCause = "nullDropped"
	// CauseDefaulted: the schema has a default.
	CauseDefaulted ChangeCause = "defaulted"
	// CauseCoerced: ObjectMeta has no such field, or omits its zero value.
	CauseCoerced ChangeCause = "coerced"
	// CauseApplied: a server-side apply merged its configuration.
	CauseApplied ChangeCause = "applied"
	// CauseScaled: the Scale of the request has the value.
	CauseScaled ChangeCause = "scaled"
	// CauseMutated: an admission policy or webhook changed the object.
	CauseMutated ChangeCause = "mutated"
	// CauseConverted: the object was converted to another version.
	CauseConverted ChangeCause = "converted"
	// CausePreserved: the conversion rules keep the field in an annotation.
	CausePreserved ChangeCause = "preserved"
	// CauseServer: the API server sets or drops the field, such as
	// metadata.generation or the status.
	CauseServer ChangeCause = "server"
)

// SchemaPlace locates a schema node in the CRD.
type SchemaPlace struct {
	// Path is the path of the node, as in Rule.SchemaPath.
	Path string `json:"path"`
	// Range extends from the node's key up to its first child schema.
	Range Range `json:"range"`
}

// ChangeOp is the operation of a [Change].
type ChangeOp = string

// Values of [ChangeOp].
const (
	ChangeAdd     ChangeOp = "add"
	ChangeRemove  ChangeOp = "remove"
	ChangeReplace ChangeOp = "replace"
)

// An ErrorCause is the reason why the playground cannot determine the API
// server's response.
type ErrorCause string

// CauseUnansweredWebhook means that the API server calls a conversion webhook for
// which the scenario has no response.
const CauseUnansweredWebhook ErrorCause = "unansweredWebhook"

// ObjectVersion is a stored object as returned at one served version.
type ObjectVersion struct {
	Name   string          `json:"name"`
	Object json.RawMessage `json:"object"`
	// Warning is the deprecation warning of the version, or empty.
	Warning string `json:"warning"`
	// Error is the API server's message if the version cannot be read; then
	// Object is null.
	Error string `json:"error"`
	// Cause is set if the error is not the API server's.
	Cause ErrorCause `json:"cause,omitempty"`
	// Lost lists the paths of stored fields that this version lacks, without those in Kept.
	Lost []string `json:"lost"`
	// LostSteps lists the keys and indexes of each path in Lost.
	LostSteps [][]string `json:"lostSteps"`
	// Kept lists the stored fields that the conversion rules keep in an annotation of Object.
	Kept []KeptField `json:"kept,omitempty"`
	// RoundTrip lists the changes to the stored object if a client reads it at
	// this version and writes it back unchanged. It excludes metadata.
	RoundTrip []Change `json:"roundTrip"`
}

// A KeptField is a field that the conversion rules keep in an annotation.
type KeptField struct {
	// Path is the path of the field.
	Path string `json:"path"`
	// Annotation is the key of the annotation.
	Annotation string `json:"annotation"`
}

// Size compares a stored object with the largest request that etcd accepts.
type Size struct {
	// Bytes is the length of the stored JSON.
	Bytes int `json:"bytes"`
	Limit int `json:"limit"`
	// Largest lists the largest fields, at most three, in descending order. Each of them
	// accounts for at least 5 % of Bytes.
	Largest []FieldSize `json:"largest"`
}

// FieldSize is the size of a field.
type FieldSize struct {
	// Path is the field path: "spec.jobs[0].name".
	Path string `json:"path"`
	// Bytes is the length of the field's JSON.
	Bytes int `json:"bytes"`
}
