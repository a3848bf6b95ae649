package playground

// Fix is a quick fix: a set of edits that resolves a [Finding].
type Fix struct {
	// Title is the label of the fix, for example "Set maxItems: 100".
	Title string `json:"title"`
	// Edits do not overlap. Their ranges refer to the unmodified documents.
	Edits []TextEdit `json:"edits"`
	// Effect is the effect of a fix of the CRD or of admission on the objects that are accepted:
	// widens, narrows or keeps. It is empty if the fix changes other documents, or what was not in
	// force before.
	Effect FixEffect `json:"effect,omitempty"`
	// Safe reports that the fix keeps the meaning of the document: no value is lost,
	// invented or chosen among others.
	Safe bool `json:"-"`
}

// FixEffect is the effect of a [Fix] on the objects that the API server accepts.
type FixEffect string

// Values of [FixEffect].
const (
	// FixWidens is the effect of a fix that accepts objects that were refused. The title says which.
	FixWidens FixEffect = "widens"
	// FixNarrows is the effect of a fix that refuses objects that were accepted.
	FixNarrows FixEffect = "narrows"
	// FixKeeps is the effect of a fix that changes neither.
	FixKeeps FixEffect = "keeps"
)

// TextEdit replaces a range of a document, like the TextEdit of the Language
// Server Protocol.
type TextEdit struct {
	Document Document `json:"document"`
	Range    Range    `json:"range"`
	NewText  string   `json:"newText"`
}
