package playground

// Question asks for help with writing; one of its fields is set.
type Question struct {
	Complete *Cursor        `json:"complete,omitempty"`
	Hover    *Cursor        `json:"hover,omitempty"`
	Sample   *SampleRequest `json:"sample,omitempty"`
	Format   *FormatRequest `json:"format,omitempty"`
	Try      *TryRequest    `json:"try,omitempty"`
}

// Help is the answer to a [Question]; the field of the same meaning is set.
type Help struct {
	Completion *Completion `json:"completion,omitempty"`
	Hover      *Hover      `json:"hover,omitempty"`
	Sample     *Sample     `json:"sample,omitempty"`
	Formatted  *Formatted  `json:"formatted,omitempty"`
	Tried      *Tried      `json:"tried,omitempty"`
	// Missing: the engine lacks a part that would have told more.
	Missing bool `json:"missing,omitempty"`
}

// Cursor is a place in one of the documents of a scenario, or in an expression
// that is tried.
type Cursor struct {
	Scenario Scenario `json:"scenario"`
	Document Document `json:"document"`
	Position Position `json:"position"`
	// Trial is the expression that Position is in, instead of Document.
	Trial *Trial `json:"trial,omitempty"`
}

// Completion is what may stand at a [Cursor]. Without items nothing is known.
type Completion struct {
	// Range is what is typed already and takes the place of an item: the word
	// that the cursor is in, or nothing.
	Range Range            `json:"range"`
	Items []CompletionItem `json:"items"`
}

// Kinds of [CompletionItem].
const (
	ItemField    = "field"
	ItemValue    = "value"
	ItemVariable = "variable"
	ItemFunction = "function"
	ItemMacro    = "macro"
)

// CompletionItem is one of the things that may stand at a cursor. They come in
// the order in which they are to be offered.
type CompletionItem struct {
	Label string `json:"label"`
	// Kind is one of the Item… constants.
	Kind string `json:"kind"`
	// Detail is a type, such as []Object, or a signature.
	Detail string `json:"detail"`
	// Required: without the field the object is not valid.
	Required    bool   `json:"required"`
	Description string `json:"description"`
	// Insert takes the place of Completion.Range. Its lines after the first are
	// indented as they have to be in the text.
	Insert string `json:"insert"`
	// Stops are the offsets in Insert, in UTF-16 code units, at which the user
	// goes on writing, in order; empty: at its end.
	Stops []int `json:"stops"`
}

// Hover describes what is at a [Cursor]. Without a title nothing is known.
type Hover struct {
	Range Range  `json:"range"`
	Title string `json:"title"`
	// Type is that of a schema, such as []Object, or of CEL, such as list(int).
	Type        string `json:"type"`
	Description string `json:"description"`
	Facts       []Fact `json:"facts"`
}

// Fact is one thing to know about what is hovered: "default" and its JSON,
// "rule" and its text.
type Fact struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// SampleRequest asks for an object of a CRD.
type SampleRequest struct {
	CRD string `json:"crd"`
	// Version is one of the CRD's; empty: the one that is stored.
	Version string `json:"version,omitempty"`
	// Full asks for all fields, those that may be left out as comments, with
	// their descriptions; otherwise the object has what it must have.
	Full bool `json:"full,omitempty"`
}

// Sample is an object of a CRD as YAML; empty if the CRD has no such version
// or cannot be decoded, of which Findings in a [Report] tell more.
type Sample struct {
	Object string `json:"object"`
	// Unsolved are the demands of the schema that the object may not meet,
	// such as patterns and rules that no value was found for.
	Unsolved []string `json:"unsolved"`
}

// FormatRequest asks for a text indented by two, and for YAML instead of JSON.
type FormatRequest struct {
	Text string `json:"text"`
}

// Formatted is a text that means the same.
type Formatted struct {
	// Text is empty if it cannot be formatted; then Problem says why, and Range
	// where.
	Text    string `json:"text"`
	Problem string `json:"problem"`
	Range   Range  `json:"range"`
}
