package playground

// AssistRequest is a request of an editor; exactly one of its fields is set. Its response is in
// the field of [AssistResponse] with the same name.
type AssistRequest struct {
	Complete *Cursor          `json:"complete,omitempty"`
	Hover    *Cursor          `json:"hover,omitempty"`
	Explain  *Cursor          `json:"explain,omitempty"`
	Sample   *SampleRequest   `json:"sample,omitempty"`
	Template *TemplateRequest `json:"template,omitempty"`
	Format   *FormatRequest   `json:"format,omitempty"`
	Try      *TryRequest      `json:"try,omitempty"`
	Fields   *FieldsRequest   `json:"fields,omitempty"`
	Insert   *InsertRequest   `json:"insert,omitempty"`
	Test     *TestRequest     `json:"test,omitempty"`
	Mutate   *MutateRequest   `json:"mutate,omitempty"`
	Plan     *PlanRequest     `json:"plan,omitempty"`
	Export   *ExportRequest   `json:"export,omitempty"`
	Publish  *PublishRequest  `json:"publish,omitempty"`
	Generate *GenerateRequest `json:"generate,omitempty"`
	// CompleteGo and HoverGo are about markers.
	CompleteGo *GoCursor `json:"completeGo,omitempty"`
	HoverGo    *GoCursor `json:"hoverGo,omitempty"`
}

// AssistResponse is the response to an [AssistRequest]; only the corresponding field is set.
type AssistResponse struct {
	Complete   *Completion     `json:"complete,omitempty"`
	Hover      *Hover          `json:"hover,omitempty"`
	Explain    *Explanation    `json:"explain,omitempty"`
	Sample     *SampleResult   `json:"sample,omitempty"`
	Template   *TemplateResult `json:"template,omitempty"`
	Format     *FormatResult   `json:"format,omitempty"`
	Try        *TryResult      `json:"try,omitempty"`
	Fields     *FieldsResult   `json:"fields,omitempty"`
	Insert     *InsertResult   `json:"insert,omitempty"`
	Test       *TestResult     `json:"test,omitempty"`
	Mutate     *MutateResult   `json:"mutate,omitempty"`
	Plan       *PlanResult     `json:"plan,omitempty"`
	Export     *ExportResult   `json:"export,omitempty"`
	Publish    *PublishResult  `json:"publish,omitempty"`
	Generate   *GenerateResult `json:"generate,omitempty"`
	CompleteGo *Completion     `json:"completeGo,omitempty"`
	HoverGo    *Hover          `json:"hoverGo,omitempty"`
}

// Cursor is a position in a document of a scenario, or in the console's
// expression.
type Cursor struct {
	Scenario Scenario `json:"scenario"`
	Document Document `json:"document,omitempty"`
	Position Position `json:"position"`
	// Trial holds the console's expression. If it is set, Position refers to the
	// expression and Document is ignored.
	Trial *Expression `json:"trial,omitempty"`
}

// Completion lists the completion items at a [Cursor]. It is empty if nothing is
// known about the position.
type Completion struct {
	// Range is the range that an item replaces: the word around the cursor, or an
	// empty range.
	Range Range            `json:"range"`
	Items []CompletionItem `json:"items"`
}

// ItemKind is the kind of a [CompletionItem].
type ItemKind = string

// Values of [ItemKind].
const (
	ItemField    ItemKind = "field"
	ItemValue    ItemKind = "value"
	ItemVariable ItemKind = "variable"
	ItemFunction ItemKind = "function"
	ItemMacro    ItemKind = "macro"
)

// CompletionItem is a completion proposal. Items are sorted by relevance.
type CompletionItem struct {
	Label string `json:"label"`
	// Kind is one of the Item… constants.
	Kind ItemKind `json:"kind"`
	// Detail is a type, such as []Object, or a signature.
	Detail string `json:"detail"`
	// Required reports that the schema requires the field.
	Required    bool   `json:"required"`
	Description string `json:"description"`
	// Insert replaces Completion.Range. Its lines after the first include the
	// indentation of the document.
	Insert string `json:"insert"`
	// Stops lists the tab stops as offsets in Insert, in UTF-16 code units. If it
	// is empty, the cursor moves to the end of Insert.
	Stops []int `json:"stops"`
}

// Hover describes the element at a [Cursor]. Its title is empty if nothing is
// known about the position.
type Hover struct {
	Range Range  `json:"range"`
	Title string `json:"title"`
	// Type is a schema type, such as []Object, or a CEL type, such as list(int).
	Type        string `json:"type"`
	Description string `json:"description"`
	Facts       []Fact `json:"facts"`
}

// Fact is a property of the hovered element: "default" with its JSON, "rule"
// with its expression.
type Fact struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Explanation describes the element at a [Cursor] for a single line: its schema, the effect
// of the request on it, and the rules that read it. Title is empty if nothing is known
// about the position.
type Explanation struct {
	// Title is the path of the field: "spec.jobs[0].name", or "spec.jobs[*].name" in a
	// schema. The root has the name of the kind.
	Title string `json:"title"`
	// Type and Facts are as in [Hover], without the rules.
	Type  string `json:"type"`
	Facts []Fact `json:"facts"`
	// Document contains Schema and the ranges of the rules: crd or oldCrd.
	Document Document `json:"document"`
	// Schema locates the schema node of the field; nil if the CRD does not specify it.
	// SchemaPath is its path, as in [Rule].
	Schema     *Range `json:"schema"`
	SchemaPath string `json:"schemaPath"`
	// Problem is the message of the first error on the cursor's line, or empty.
	Problem string `json:"problem"`
	// Changes lists the changes of the field, or of a value that contains it, by the
	// stages of the request.
	Changes []Change `json:"changes"`
	// Rules lists the rules that read the field.
	Rules []ExplainedRule `json:"rules"`
	// IsRule reports that the cursor is on a rule of the field. Rules then has only this
	// rule, and Type and Facts are empty.
	IsRule bool `json:"isRule"`
}

// ExplainedRule is a rule in an [Explanation].
type ExplainedRule struct {
	Rule Rule `json:"rule"`
	// Result is the result for the value at the cursor. In a CRD, it is the worst
	// result for all objects. It is nil if there is no result.
	Result *RuleResult `json:"result"`
	// Bound limits the sizes that inflate the cost of the rule, so that the rule is within
	// its cost limit; nil if it is, or if no limit helps.
	Bound *Fix `json:"bound"`
}

// PublishRequest requests the JSON Schema of a version of a CRD, for editors and other tools.
type PublishRequest struct {
	Scenario Scenario `json:"scenario"`
	Version  string   `json:"version"`
	// Strict refuses the fields that the API server would prune.
	Strict bool `json:"strict,omitempty"`
}

// PublishResult is a file with a JSON Schema (draft-07). It refuses only objects that the API
// server refuses. It is empty if the API server does not publish the version.
type PublishResult struct {
	// Name is the path in the layout of the CRDs catalog, such as
	// gateway.networking.k8s.io/httproute_v1.json.
	Name string `json:"name"`
	Text string `json:"text"`
}

// SampleRequest requests a sample object of a CRD.
type SampleRequest struct {
	CRD string `json:"crd"`
	// CRDIndex is [Scenario.CRDIndex].
	CRDIndex int `json:"crdIndex,omitempty"`
	// Version is a version of the CRD. Empty: the storage version.
	Version string `json:"version,omitempty"`
	// Full requests all fields with their descriptions, optional fields as YAML
	// comments. Otherwise the sample has the required fields only.
	Full bool `json:"full,omitempty"`
}

// SampleResult is a sample object of a CRD.
type SampleResult struct {
	// Object is YAML. It is empty if the CRD lacks the version or cannot be
	// decoded; the findings of a [Report] on the CRD give the reason.
	Object string `json:"object"`
	// Unsolved lists the constraints that the object may violate, such as
	// patterns and rules for which no value was found.
	Unsolved []string `json:"unsolved"`
}

// TemplateRequest requests the start of a document for a CRD.
type TemplateRequest struct {
	CRD string `json:"crd"`
	// Document is conversion or admission.
	Document Document `json:"document"`
}

// TemplateResult is the start of a document.
type TemplateResult struct {
	// Text is YAML. For a conversion, it has rules that are drafted from the differences
	// between the schemas of the versions. For admission, it has a policy and its binding.
	// It is empty if the CRD cannot be decoded.
	Text string `json:"text"`
}

// FormatRequest requests a document as YAML with an indentation of two spaces.
// The input is YAML or JSON.
type FormatRequest struct {
	Text string `json:"text"`
}

// FormatResult is the response to a [FormatRequest].
type FormatResult struct {
	// Text is the formatted document, or empty if the document cannot be
	// formatted. Problem and Range then describe and locate the reason.

	Text    string `json:"text"`
	Problem string `json:"problem"`
	Range   Range  `json:"range"`
}
