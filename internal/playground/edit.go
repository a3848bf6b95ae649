package playground

// Fix is a change that makes a [Finding] go away, for the user to choose.
type Fix struct {
	// Title says what the change does, as on a button: "Set maxItems: 100".
	Title string `json:"title"`
	// Edits do not overlap. Their ranges are all those of the texts before.
	Edits []TextEdit `json:"edits"`
}

// TextEdit replaces a range of a text, as the Language Server Protocol has it.
type TextEdit struct {
	Document Document `json:"document"`
	Range    Range    `json:"range"`
	NewText  string   `json:"newText"`
}
