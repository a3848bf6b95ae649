package playground

import "encoding/json"

// Report is the answer to a [Scenario]: what an API server would do, and why.
// Slices are never nil, so that they encode as [] and not as null. Two
// evaluations of one scenario with Now set differ in Timing only.
type Report struct {
	Kubernetes Kubernetes `json:"kubernetes"`
	CRD        CRD        `json:"crd"`
	// Objects has one entry for each document in Scenario.Object, in order.
	Objects []Object `json:"objects"`
	// Conversion is what became of Scenario.Conversion.
	Conversion Conversion `json:"conversion"`
	// Admission is what became of Scenario.Admission; nil if that is empty.
	Admission *Admission `json:"admission,omitempty"`
	// Schemas is what is published of each served version, the preferred one
	// first; empty unless Scenario.Schemas asks for it.
	Schemas []Schema `json:"schemas"`
	// Tables has one entry for each served version, in the CRD's order of
	// priority: what `kubectl get` shows of the accepted objects.
	Tables []Table `json:"tables"`
	// StoredObjects has one entry for each document in Scenario.OldObject if
	// there is a Scenario.OldCRD and the update of the CRD is accepted.
	StoredObjects []StoredObject `json:"storedObjects"`
	Timing        Timing         `json:"timing"`
}

// Kubernetes says whose rules were applied.
type Kubernetes struct {
	// Library is the release of the Kubernetes libraries, such as "1.37.2".
	Library string `json:"library"`
	// Emulated is the minor release whose behaviour they show, such as "1.37".
	Emulated string `json:"emulated"`
}

// Status is the part of a metav1.Status, the API server's answer, that says
// how the request ended. Reason and Message are empty on success.
type Status struct {
	// Code is the HTTP status code; 0 if the API server's code was not asked,
	// because there is nothing to ask or a limit of the playground forbids it.
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// CRD is what became of Scenario.CRD.
type CRD struct {
	// Name is metadata.name, empty as long as the text cannot be decoded.
	Name     string `json:"name"`
	Accepted bool   `json:"accepted"`
	Status   Status `json:"status"`
	// Output is what kubectl would print, several lines at times: create, or
	// replace for an update.
	Output   string    `json:"output"`
	Findings []Finding `json:"findings"`
	// Warnings are the warning headers of the answer, without "Warning: ".
	Warnings []string `json:"warnings"`
	// Conditions are those of status.conditions once the controllers are done.
	Conditions     []Condition `json:"conditions"`
	StoredVersions []string    `json:"storedVersions"`
	Group          string      `json:"group"`
	// Scope is Namespaced or Cluster.
	Scope string `json:"scope"`
	Names Names  `json:"names"`
	// Versions are in the order of spec.versions.
	Versions []Version `json:"versions"`
	Rules    []Rule    `json:"rules"`
	// EstimatedCost is the sum of the estimated costs of all rules and message
	// expressions of one version, the most expensive one, in CEL cost units.
	EstimatedCost uint64 `json:"estimatedCost"`
	// CostLimit is the most EstimatedCost may be.
	CostLimit uint64 `json:"costLimit"`
	// Candidates are the CustomResourceDefinitions found in the text, one of
	// which (Chosen) was judged.
	Candidates []Candidate `json:"candidates"`
	// Upgraded is the YAML of the v1 CRD that a v1beta1 one converts to; empty
	// for a v1 CRD.
	Upgraded string `json:"upgraded"`
	// UpgradeSteps are what is left to do by hand before Upgraded can be
	// created.
	UpgradeSteps []UpgradeStep `json:"upgradeSteps"`
	// Changes are the differences from Scenario.OldCRD: of the CRD as a whole,
	// then of its versions in their order.
	Changes []CRDChange `json:"changes"`
}

// Candidate is one CustomResourceDefinition among the documents of a paste.
type Candidate struct {
	Name   string `json:"name"`
	Chosen bool   `json:"chosen"`
	Range  Range  `json:"range"`
}

// Condition is a condition of a CustomResourceDefinition, less its time.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Names are the names under which the resource is served.
type Names struct {
	Plural     string   `json:"plural"`
	Singular   string   `json:"singular"`
	Kind       string   `json:"kind"`
	ListKind   string   `json:"listKind"`
	ShortNames []string `json:"shortNames"`
	Categories []string `json:"categories"`
}

// Version is one entry of spec.versions.
type Version struct {
	Name       string `json:"name"`
	Served     bool   `json:"served"`
	Storage    bool   `json:"storage"`
	Deprecated bool   `json:"deprecated"`
	// Priority is the place in discovery's order, 1 being the version that
	// kubectl prefers; 0 if the version is not served.
	Priority int   `json:"priority"`
	Range    Range `json:"range"`
}

// Rule is one entry of an x-kubernetes-validations list.
type Rule struct {
	// ID identifies the rule within the report.
	ID string `json:"id"`
	// Version is the name of the version whose schema holds the rule.
	Version string `json:"version"`
	// SchemaPath is the schema node that holds the rule, below
	// openAPIV3Schema: "properties[spec].items". Empty at the root.
	SchemaPath        string `json:"schemaPath"`
	Rule              string `json:"rule"`
	Message           string `json:"message"`
	MessageExpression string `json:"messageExpression"`
	// Reason and FieldPath are as typed; Reason is empty for FieldValueInvalid.
	Reason      string `json:"reason"`
	FieldPath   string `json:"fieldPath"`
	UsesOldSelf bool   `json:"usesOldSelf"`
	// EstimatedCost is the worst case of one request in CEL cost units: the
	// cost of one evaluation times Cardinality.
	EstimatedCost uint64 `json:"estimatedCost"`
	// ExpressionCost is the worst case of a single evaluation.
	ExpressionCost uint64 `json:"expressionCost"`
	// Cardinality is how often the rule may be evaluated in one request.
	Cardinality uint64 `json:"cardinality"`
	// Unbounded says that a list or map above the rule has no limit of its
	// own, so that Cardinality comes from the size limit of a request.
	Unbounded bool `json:"unbounded"`
	// CostLimit is the most EstimatedCost may be.
	CostLimit uint64 `json:"costLimit"`
	// Error is the compiler's message if the rule does not compile.
	Error string `json:"error"`
	// Range is where the rule's text stands in the CRD.
	Range Range `json:"range"`
}

// Object is what became of one document in Scenario.Object.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	// Range is the whole document.
	Range Range `json:"range"`
	// Operation is the request: create, update, updateStatus or apply.
	Operation string `json:"operation"`
	Accepted  bool   `json:"accepted"`
	Status    Status `json:"status"`
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
	// object was refused.
	Stored json.RawMessage `json:"stored"`
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
	// the object was refused.
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

// Conversion is what there is to say of the text that stands for a conversion
// webhook.
type Conversion struct {
	Findings []Finding `json:"findings"`
}

// ConversionReview is a request to a conversion webhook and its answer.
type ConversionReview struct {
	// Stage is the stage of the object's request that needed it.
	Stage string `json:"stage"`
	// From and To are apiVersions.
	From string `json:"from"`
	To   string `json:"to"`
	// Request and Response are ConversionReview objects; Response is null if
	// nothing answers.
	Request  json.RawMessage `json:"request"`
	Response json.RawMessage `json:"response"`
	// AnsweredBy says what stood for the webhook: rules, response or nothing.
	AnsweredBy string `json:"answeredBy"`
	// Error is the API server's complaint about the answer, or empty.
	Error string `json:"error"`
}

// What may answer a [ConversionReview].
const (
	AnsweredByRules    = "rules"
	AnsweredByResponse = "response"
	AnsweredByNothing  = "nothing"
)

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
// the stage apply for those from metadata to default. The stages mutate,
// complete and admit are there if Scenario.Admission is not empty; without
// them, prepare does what complete does.
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

// Operations of a [Change].
const (
	ChangeAdd     = "add"
	ChangeRemove  = "remove"
	ChangeReplace = "replace"
)

// RuleResult is the outcome of a rule at one place of an object.
type RuleResult struct {
	// ID is that of the [Rule].
	ID string `json:"id"`
	// Path is the place of self: "spec.jobs[0]"; empty at the root.
	Path    string  `json:"path"`
	Outcome Outcome `json:"outcome"`
	// Why says what made the outcome skipped: one of the Why… constants.
	Why string `json:"why"`
	// Message is the API server's message if the rule failed.
	Message string `json:"message"`
	// ActualCost is in CEL cost units and includes the message expression.
	ActualCost uint64 `json:"actualCost"`
	// Range is the place of self in the object's text.
	Range *Range `json:"range"`
	// Trace is how a rule that does not hold came to its result, the smallest
	// sub-expressions first. Of a report's results only the first few have one.
	Trace []TraceStep `json:"trace"`
}

// TraceStep is the value of a sub-expression of a rule.
type TraceStep struct {
	Expression string `json:"expression"`
	// Value is JSON, cut if it is long, or what CEL calls the value.
	Value string `json:"value"`
	// Loop says that the expression is evaluated for each item of a list or
	// map; Value is that of the last item that was looked at.
	Loop bool `json:"loop"`
	// Range is the place of the expression's operator or name in the CRD.
	Range Range `json:"range"`
}

// Outcome is how a rule or a stage ended.
type Outcome string

// Outcomes. Error means that a rule could not be evaluated to the end.
const (
	OutcomePass    Outcome = "pass"
	OutcomeFail    Outcome = "fail"
	OutcomeError   Outcome = "error"
	OutcomeSkipped Outcome = "skipped"
)

// Why a rule was skipped.
const (
	// WhyCreate: a transition rule, and there is no old value.
	WhyCreate = "create"
	// WhyRatcheted: the rule does not hold, but neither did it hold for the
	// same value before; the API server only warns. Message says of what.
	WhyRatcheted = "ratcheted"
	// WhyBlocked: an earlier error kept all rules from being evaluated.
	WhyBlocked = "blocked"
	// WhyAbsent: the object has no value at the rule's place.
	WhyAbsent = "absent"
	// WhyBudget: earlier rules used the cost budget up.
	WhyBudget = "budget"
)

// ObjectVersion is a stored object as one served version returns it.
type ObjectVersion struct {
	Name   string          `json:"name"`
	Object json.RawMessage `json:"object"`
	// Warning is the deprecation warning of the version, or empty.
	Warning string `json:"warning"`
	// Error is the API server's message if the version cannot be read; then
	// Object is null.
	Error string `json:"error"`
	// Lost are the paths that the stored object has and this version does not.
	Lost []string `json:"lost"`
	// RoundTrip is what happens to the stored object if a client reads it at
	// this version and writes it back unchanged; metadata apart.
	RoundTrip []Change `json:"roundTrip"`
}

// Finding is one thing to tell the user about a text.
type Finding struct {
	Severity Severity `json:"severity"`
	// Stage is the stage that found it.
	Stage string `json:"stage"`
	// Reason is the cause's type of the API server, such as FieldValueInvalid.
	Reason string `json:"reason"`
	// Field and Message are those of the API server's cause, word for word.
	Field   string `json:"field"`
	Message string `json:"message"`
	// Document is the text that Range is in.
	Document Document `json:"document"`
	Range    Range    `json:"range"`
	// Hint is in plain words what to do about it, or empty.
	Hint string `json:"hint"`
	// Related are other places that explain the finding.
	Related []Related `json:"related"`
}

// Related is a place that explains a [Finding], such as the schema's keyword.
type Related struct {
	Document Document `json:"document"`
	Range    Range    `json:"range"`
	Message  string   `json:"message"`
}

// Severity of a [Finding]. An error keeps the CRD or the object from being
// accepted.
type Severity string

// Severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Range is a stretch of a text from Start up to but without End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is a place in a text as the Language Server Protocol counts it:
// zero-based, Character in UTF-16 code units.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Table is what `kubectl get` shows at one served version.
type Table struct {
	Version string   `json:"version"`
	Columns []Column `json:"columns"`
	// Rows has the cells of each accepted object: strings, numbers, booleans
	// or null, as in a meta.k8s.io Table.
	Rows [][]any `json:"rows"`
	// Get and Wide are the output of `kubectl get` and `kubectl get -o wide`.
	Get  string `json:"get"`
	Wide string `json:"wide"`
}

// Column is a column of a [Table].
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Format      string `json:"format"`
	Description string `json:"description"`
	Priority    int32  `json:"priority"`
}

// Timing is how long the evaluation took, in milliseconds. A CRD that was
// judged before takes no time.
type Timing struct {
	CRD    float64 `json:"crd"`
	Object float64 `json:"object"`
}

// Answer is a report together with its panels rendered as HTML, by the name
// of the panel.
type Answer struct {
	Report Report            `json:"report"`
	Panels map[string]string `json:"panels"`
}
