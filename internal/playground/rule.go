package playground

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
	// Within are the lists and maps that the rule is below, from the outermost:
	// Cardinality is the product of how many items they may have.
	Within []Repetition `json:"within"`
	// CostLimit is the most EstimatedCost may be.
	CostLimit uint64 `json:"costLimit"`
	// Error is the compiler's message if the rule does not compile.
	Error string `json:"error"`
	// MinKubernetes is the oldest release, such as "1.31", on which a CRD with
	// the rule can be created, as far as the CEL library and the rule's fields
	// decide that; empty if it does not compile on any. Needs is the function,
	// operator or field that the release before lacks; empty if there is no
	// such release with rules.
	MinKubernetes string `json:"minKubernetes"`
	Needs         string `json:"needs"`
	// Range is where the rule's text stands in the CRD.
	Range Range `json:"range"`
}

// Repetition is a list or map whose schema holds rules for its items.
type Repetition struct {
	// SchemaPath is that of the list or map.
	SchemaPath string `json:"schemaPath"`
	// Keyword is what limits its size: maxItems or maxProperties.
	Keyword string `json:"keyword"`
	// Max is the keyword's value; nil if there is no limit, so that the API
	// server reckons with as many items as fit into a request.
	Max *int64 `json:"max"`
	// Range is where the limit stands in the CRD, or else the list or map.
	Range Range `json:"range"`
}

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
