package playground

// Rule is an entry of an x-kubernetes-validations list.
type Rule struct {
	// ID identifies the rule within the report.
	ID string `json:"id"`
	// Version is the name of the version whose schema holds the rule.
	Version string `json:"version"`
	// SchemaPath is the path of the rule's schema node below openAPIV3Schema:
	// "properties[spec].items". It is empty at the root.
	SchemaPath string `json:"schemaPath"`
	// SchemaSteps lists the steps of SchemaPath: "properties", "spec", "items".
	SchemaSteps       []string `json:"schemaSteps"`
	Rule              string   `json:"rule"`
	Message           string   `json:"message"`
	MessageExpression string   `json:"messageExpression"`
	// Reason and FieldPath are copied from the CRD. An empty Reason means
	// FieldValueInvalid.
	Reason      string `json:"reason"`
	FieldPath   string `json:"fieldPath"`
	UsesOldSelf bool   `json:"usesOldSelf"`
	// EstimatedCost is the worst case for one request in CEL cost units:
	// ExpressionCost times Cardinality.
	EstimatedCost uint64 `json:"estimatedCost"`
	// ExpressionCost is the worst case for a single evaluation.
	ExpressionCost uint64 `json:"expressionCost"`
	// Cardinality is the maximum number of evaluations in one request.
	Cardinality uint64 `json:"cardinality"`
	// Unbounded reports that a list or map around the rule has no size limit, so
	// that Cardinality derives from the maximum size of a request.
	Unbounded bool `json:"unbounded"`
	// Within lists the lists and maps around the rule, starting with the
	// outermost. Cardinality is the product of their maximum sizes.
	Within []Repetition `json:"within"`
	// CostLimit is the maximum of EstimatedCost.
	CostLimit uint64 `json:"costLimit"`
	// Error is the compiler's message if the rule does not compile.
	Error string `json:"error"`
	// MinKubernetes is the oldest release, such as "1.31", whose CEL library and
	// rule fields support the rule; empty if the rule compiles on no release.
	// Needs is the function, operator or field missing from the previous release;
	// empty if there is no previous release with rules.
	MinKubernetes string `json:"minKubernetes"`
	Needs         string `json:"needs"`
	// Range locates the rule's expression in the CRD.
	Range Range `json:"range"`
}

// Repetition is a list or map whose schema has rules for its items.
type Repetition struct {
	// SchemaPath and SchemaSteps are the path of the list or map, as in [Rule].
	SchemaPath  string   `json:"schemaPath"`
	SchemaSteps []string `json:"schemaSteps"`
	// Keyword is the keyword that limits the size: maxItems or maxProperties.
	Keyword string `json:"keyword"`
	// Max is the value of the keyword. If it is nil, the API server assumes the
	// largest number of items that fits into a request.
	Max *int64 `json:"max"`
	// Range locates the keyword in the CRD, or the list or map if the keyword is
	// absent.
	Range Range `json:"range"`
}

// RuleResult is the outcome of a rule for one value of an object.
type RuleResult struct {
	// ID is the ID of the [Rule].
	ID string `json:"id"`
	// Path is the field path of self: "spec.jobs[0]"; empty at the root.
	Path    string  `json:"path"`
	Outcome Outcome `json:"outcome"`
	// Why is the reason for the outcome skipped: one of the Why… constants.
	Why SkipReason `json:"why"`
	// Message is the API server's message if the rule failed.
	Message string `json:"message"`
	// ActualCost is in CEL cost units and includes the message expression.
	ActualCost uint64 `json:"actualCost"`
	// Range locates self in the object's document.
	Range *Range `json:"range"`
	// Trace explains the result of a failed rule. Each sub-expression precedes
	// the expressions that contain it. Only the first few results of a report
	// have a trace.
	Trace []TraceStep `json:"trace"`
}

// TraceStep is the value of a sub-expression of a rule.
type TraceStep struct {
	Expression string `json:"expression"`
	// Value is JSON, truncated if it is long, or CEL's notation of the value.
	Value string `json:"value"`
	// Loop reports that the expression is evaluated for each item of a list or
	// map. Value is the value for the last visited item.
	Loop bool `json:"loop"`
	// Range locates the operator or name of the expression in the CRD.
	Range Range `json:"range"`
}

// Outcome is the outcome of a rule or a stage.
type Outcome string

// Values of [Outcome]. Error means that the evaluation of a rule failed.
const (
	OutcomePass    Outcome = "pass"
	OutcomeFail    Outcome = "fail"
	OutcomeError   Outcome = "error"
	OutcomeSkipped Outcome = "skipped"
)

// SkipReason is the reason for skipping a rule.
type SkipReason = string

// Values of [SkipReason].
const (
	// WhyNone: the rule was evaluated.
	WhyNone SkipReason = ""
	// WhyCreate: a transition rule has no old value to compare with.
	WhyCreate SkipReason = "create"
	// WhyRatcheted: the rule failed for the same value before, so the API server
	// only warns. RuleResult.Message has the warning.
	WhyRatcheted SkipReason = "ratcheted"
	// WhyBlocked: an earlier error prevented the evaluation of all rules.
	WhyBlocked SkipReason = "blocked"
	// WhyAbsent: the object has no value to which the rule applies.
	WhyAbsent SkipReason = "absent"
	// WhyBudget: earlier rules exhausted the cost budget.
	WhyBudget SkipReason = "budget"
)
