package playground

import "encoding/json"

// Object is what became of one document in Scenario.Object.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	// Range is the whole document.
	Range Range `json:"range"`
	// Operation is the request: create, update, updateStatus, apply, delete or
	// scale.
	Operation string `json:"operation"`
	Accepted  bool   `json:"accepted"`
	// Deleted says that the request removed the object: a delete of one without
	// finalizers, or an update that took the last finalizer off an object that
	// was being deleted.
	Deleted bool   `json:"deleted"`
	Status  Status `json:"status"`
	// Output is what kubectl would print: create, or replace for an update.
	Output   string    `json:"output"`
	Findings []Finding `json:"findings"`
	Warnings []string  `json:"warnings"`
	// Stages are the steps of the request in order, each with what it changed.
	Stages []Stage `json:"stages"`
	// Validated is the object as the last stage before storing left it: pruned
	// and defaulted, and as the validation saw it. Null if the object cannot
	// be decoded.
	Validated json.RawMessage `json:"validated"`
	// Stored is the object as persisted, at the storage version; null if the
	// object was refused or is gone.
	Stored json.RawMessage `json:"stored"`
	// Schema are the nodes of the schema that Stored, or else Validated, has
	// values of, each once. What is below a value and in none of them is kept by
	// the value's node, or is of the metadata.
	Schema []SchemaPlace `json:"schema"`
	// Rules has the outcome of each rule at each place that it applies to.
	Rules []RuleResult `json:"rules"`
	// RulesCost is the sum of the actual costs, in CEL cost units, and
	// RulesBudget the most it may be.
	RulesCost   uint64 `json:"rulesCost"`
	RulesBudget uint64 `json:"rulesBudget"`
	// RulesOmitted is how many passing results Rules leaves out: a long list
	// would bury the others.
	RulesOmitted int `json:"rulesOmitted"`
	// Versions is the stored object as read at each served version; empty if
	// the object was refused or is gone.
	Versions []ObjectVersion `json:"versions"`
	// Conversions are the calls of the conversion webhook, each once.
	Conversions []ConversionReview `json:"conversions"`
	// Admission is what the admission policies and webhooks did; nil if
	// Scenario.Admission is empty.
	Admission *ObjectAdmission `json:"admission,omitempty"`
	// Scale has one entry for each served version, in the order of Versions, if
	// one of them enables the scale subresource.
	Scale []Scale `json:"scale"`
	// SelectableFields has one entry for each served version that declares
	// selectable fields.
	SelectableFields []SelectableFields `json:"selectableFields"`
}

// Stage is one step of a request.
type Stage struct {
	// Name is one of the Stage… constants.
	Name string `json:"name"`
	// Outcome is pass, fail or skipped.
	Outcome Outcome `json:"outcome"`
	// Why says in words what made the stage fail or be skipped.
	Why     string   `json:"why"`
	Changes []Change `json:"changes"`
	// Findings is how many findings of the object the stage produced.
	Findings int `json:"findings"`
}

// The stages of an object's request, in their order. A server-side apply has
// the stage apply for those from metadata to default, and a delete has decode,
// find, finalize, store and read; scale has find and scale for those from
// metadata to default. The stages mutate, complete and admit are
// there if Scenario.Admission is not empty; without them, prepare does what
// complete does.
const (
	StageDecode   = "decode"
	StageApply    = "apply"
	StageMetadata = "metadata"
	StagePrune    = "prune"
	StageNulls    = "nulls"
	StageEmbedded = "embedded"
	StageDefault  = "default"
	StagePrepare  = "prepare"
	StageMutate   = "mutate"
	StageComplete = "complete"
	StageValidate = "validate"
	StageRules    = "rules"
	StageAdmit    = "admit"
	StageFind     = "find"
	StageFinalize = "finalize"
	StageScale    = "scale"
	StageStore    = "store"
	StageRead     = "read"
)

// The stages of a CRD's request, in their order.
const (
	StageCRDDecode   = "crd decode"
	StageCRDValidate = "crd validate"
	StageCRDServe    = "crd serve"
)

// Change is one value that a stage added to, removed from or replaced in the
// object.
type Change struct {
	// Op is add, remove or replace.
	Op string `json:"op"`
	// Path is the place in the object: "spec.jobs[0].name".
	Path string `json:"path"`
	// Value is the value added or removed, or the new one.
	Value json.RawMessage `json:"value"`
	// Because is the reason in words.
	Because string `json:"because"`
	// SchemaPath is the schema node that is the cause, as in Rule.SchemaPath.
	SchemaPath string `json:"schemaPath"`
	// Range is the place in the object's text, if what changed is there.
	Range *Range `json:"range"`
	// SchemaRange is where the schema node stands in the CRD's text.
	SchemaRange *Range `json:"schemaRange"`
}

// SchemaPlace is where a node of a schema stands in the CRD.
type SchemaPlace struct {
	// Path is the node's, as in Rule.SchemaPath.
	Path string `json:"path"`
	// Range is the node from its key on, up to the schemas below it.
	Range Range `json:"range"`
}

// Operations of a [Change].
const (
	ChangeAdd     = "add"
	ChangeRemove  = "remove"
	ChangeReplace = "replace"
)

// An ErrorCause is the reason why the playground cannot determine the API
// server's response.
type ErrorCause string

// CauseUnansweredWebhook means that the API server calls a conversion webhook for
// which the scenario has no response.
const CauseUnansweredWebhook ErrorCause = "unansweredWebhook"

// ObjectVersion is a stored object as one served version returns it.
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
	// Lost are the paths that the stored object has and this version does not.
	Lost []string `json:"lost"`
	// RoundTrip is what happens to the stored object if a client reads it at
	// this version and writes it back unchanged; metadata apart.
	RoundTrip []Change `json:"roundTrip"`
}
