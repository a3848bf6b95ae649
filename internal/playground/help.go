package playground

// AssistRequest is an assist request; exactly one of its fields is set.
type AssistRequest struct {
	Complete *Cursor            `json:"complete,omitempty"`
	Hover    *Cursor            `json:"hover,omitempty"`
	Sample   *SampleRequest     `json:"sample,omitempty"`
	Format   *FormatRequest     `json:"format,omitempty"`
	Try      *ExpressionRequest `json:"try,omitempty"`
}

// AssistResponse is the response to an [AssistRequest]; only the corresponding field is set.
type AssistResponse struct {
	Completion *Completion       `json:"completion,omitempty"`
	Hover      *Hover            `json:"hover,omitempty"`
	Sample     *Sample           `json:"sample,omitempty"`
	Formatted  *Formatted        `json:"formatted,omitempty"`
	Tried      *ExpressionResult `json:"tried,omitempty"`
	// Missing reports that a feature omitted from this engine could have provided
	// a better response.
	Missing bool `json:"missing,omitempty"`
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

// SampleRequest requests a sample object of a CRD.
type SampleRequest struct {
	CRD string `json:"crd"`
	// Version is a version of the CRD. Empty: the storage version.
	Version string `json:"version,omitempty"`
	// Full requests all fields with their descriptions, optional fields as YAML
	// comments. Otherwise the sample has the required fields only.
	Full bool `json:"full,omitempty"`
}

// Sample is a sample object of a CRD.
type Sample struct {
	// Object is YAML. It is empty if the CRD lacks the version or cannot be
	// decoded; the findings of a [Report] on the CRD give the reason.
	Object string `json:"object"`
	// Unsolved lists the constraints that the object may violate, such as
	// patterns and rules for which no value was found.
	Unsolved []string `json:"unsolved"`
}

// FormatRequest requests a document as YAML with an indentation of two spaces.
// The input is YAML or JSON.
type FormatRequest struct {
	Text string `json:"text"`
}

// Formatted is the response to a [FormatRequest].
type Formatted struct {
	// Text is the formatted document, or empty if the document cannot be
	// formatted. Problem and Range then describe and locate the reason.

	Text    string `json:"text"`
	Problem string `json:"problem"`
	Range   Range  `json:"range"`
}
