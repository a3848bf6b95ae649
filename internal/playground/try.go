package playground

// TryRequest requests the evaluation of a CEL expression for a value of an
// object, in the environment of a rule in the value's schema.
type TryRequest struct {
	Scenario Scenario   `json:"scenario"`
	Trial    Expression `json:"trial"`
	// Position is a position in Scenario.Object. If it is set, it selects the
	// value, and Expression.Object and Expression.Path are ignored.
	Position *Position `json:"position,omitempty"`
}

// Expression is an expression and the value for which it is evaluated.
type Expression struct {
	Expression string `json:"expression"`
	// Object is the index of the object in [Report].
	Object int `json:"object"`
	// Path is the field path of self in the object, as in [RuleResult].
	Path string `json:"path"`
}

// TryResult is the result of an [Expression].
type TryResult struct {
	// Problem explains why an expression cannot be evaluated for the value;
	// otherwise it is empty.
	Problem string `json:"problem"`
	// Object and Path identify the value. Range locates it in the object's
	// document; nil if the document does not contain it.
	Object int    `json:"object"`
	Path   string `json:"path"`
	Range  *Range `json:"range"`
	// Version is the version of the schema, and SchemaPath the path of the
	// schema node.
	Version    string `json:"version"`
	SchemaPath string `json:"schemaPath"`
	// Objects lists the names of all objects. Paths lists some field paths of
	// this object for which an expression can be evaluated.
	Objects []string `json:"objects"`
	Paths   []string `json:"paths"`
	// Self is the value of self as JSON, truncated if it is long.
	Self string `json:"self"`

	// Errors lists the compiler's errors. Without errors, Type is the type of the
	// expression, such as list(string).
	Errors []ExpressionError `json:"errors"`
	Type   string            `json:"type"`
	// UsesOldSelf reports that the expression refers to oldSelf. OptionalOldSelf
	// reports that the expression needs oldSelf as an optional, which a rule
	// enables with its field optionalOldSelf.
	UsesOldSelf     bool `json:"usesOldSelf"`
	OptionalOldSelf bool `json:"optionalOldSelf"`
	// Outcome is pass if the expression has a Value, and error if there are
	// Errors or a Failure. It is skipped if there is nothing to evaluate, or if
	// the API server would skip a rule for the reason in Why.
	Outcome Outcome `json:"outcome"`
	// Why is one of the Why… constants of rules, or empty.
	Why     SkipReason `json:"why"`
	Failure string     `json:"failure"`
	// Value is JSON, truncated if it is long, or CEL's notation of the value.
	Value string `json:"value"`
	// Trace is a trace as in [RuleResult]. Its ranges refer to the expression.
	Trace []TraceStep `json:"trace"`

	// ActualCost is the cost of this evaluation in CEL cost units. The other
	// costs are defined as in [Rule].
	ActualCost     uint64 `json:"actualCost"`
	ExpressionCost uint64 `json:"expressionCost"`
	Cardinality    uint64 `json:"cardinality"`
	Unbounded      bool   `json:"unbounded"`
	EstimatedCost  uint64 `json:"estimatedCost"`
	CostLimit      uint64 `json:"costLimit"`
}

// ExpressionError is an error of the CEL compiler.
type ExpressionError struct {
	Message string `json:"message"`
	// Range refers to the expression.
	Range Range `json:"range"`
}
