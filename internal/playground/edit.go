package playground

// Fix is a quick fix: a set of edits that resolves a [Finding].
type Fix struct {
	// Title is the label of the fix, for example "Set maxItems: 100".
	Title string `json:"title"`
	// Edits do not overlap. Their ranges refer to the unmodified documents.
	Edits []TextEdit `json:"edits"`
	// Safe reports that the fix keeps the meaning of the document: no value is lost,
	// invented or chosen among others.
	Safe bool `json:"-"`
}

// TextEdit replaces a range of a document, like the TextEdit of the Language
// Server Protocol.
type TextEdit struct {
	Document Document `json:"document"`
	Range    Range    `json:"range"`
	NewText  string   `json:"newText"`
}
