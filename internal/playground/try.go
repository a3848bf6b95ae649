package playground

// TryRequest asks what a CEL expression is worth at a node of an object, where
// it has the environment of a rule of the node's schema.
type TryRequest struct {
	Scenario Scenario `json:"scenario"`
	Trial    Trial    `json:"trial"`
	// Position is a place in Scenario.Object; if it is set, the expression is
	// tried at the node there, instead of the Trial's.
	Position *Position `json:"position,omitempty"`
}

// Trial is an expression and the node at which it is tried.
type Trial struct {
	Expression string `json:"expression"`
	// Object is the index of the object in [Report].
	Object int `json:"object"`
	// Path is the place of self in the object, as [RuleResult] has it.
	Path string `json:"path"`
}

// Tried is what became of a [Trial].
type Tried struct {
	// Problem says in words why nothing can be tried there; mostly empty.
	Problem string `json:"problem"`
	// Object and Path are the node, and Range its place in the object's text;
	// nil if the user did not type it.
	Object int    `json:"object"`
	Path   string `json:"path"`
	Range  *Range `json:"range"`
	// Version is that of the schema, and SchemaPath the schema's node.
	Version    string `json:"version"`
	SchemaPath string `json:"schemaPath"`
	// Objects are the names of all objects, and Paths some of the nodes of this
	// one that an expression may be tried at.
	Objects []string `json:"objects"`
	Paths   []string `json:"paths"`
	// Self is the value of self: JSON, cut if it is long.
	Self string `json:"self"`

	// Errors are those of the compiler. Without any, Type is that of the
	// expression, such as list(string).
	Errors []ExpressionError `json:"errors"`
	Type   string            `json:"type"`
	// UsesOldSelf says that the expression compares with the old object, and
	// OptionalOldSelf that it takes oldSelf as an optional, which a rule has to
	// ask for.
	UsesOldSelf     bool `json:"usesOldSelf"`
	OptionalOldSelf bool `json:"optionalOldSelf"`
	// Outcome is pass if the expression has a Value, error if it has Errors or its
	// evaluation failed with Failure, and skipped if there was nothing to
	// evaluate, or if a rule would not be evaluated, for the reason in Why.
	Outcome Outcome `json:"outcome"`
	// Why is one of the Why… constants of rules, or empty.
	Why     string `json:"why"`
	Failure string `json:"failure"`
	// Value is JSON, cut if it is long, or what CEL calls the value.
	Value string `json:"value"`
	// Trace is as in [RuleResult]; its ranges are in the expression.
	Trace []TraceStep `json:"trace"`

	// ActualCost is that of this evaluation in CEL cost units. The others are
	// those of a [Rule] with the expression.
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
	// Range is in the expression.
	Range Range `json:"range"`
}
