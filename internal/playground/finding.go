package playground

// Finding is one thing to tell the user about a text.
type Finding struct {
	Severity Severity `json:"severity"`
	// Stage is the stage that found it; empty if that is not known, because the
	// evaluation was ended.
	Stage string `json:"stage"`
	// Reason is the cause's type of the API server, such as FieldValueInvalid, or
	// PlaygroundLimit.
	Reason string `json:"reason"`
	// Field and Message are those of the API server's cause, word for word.
	Field   string `json:"field"`
	Message string `json:"message"`
	// Document is the text that Range is in.
	Document Document `json:"document"`
	Range    Range    `json:"range"`
	// Hint is in plain words what to do about it, or empty.
	Hint string `json:"hint"`
	// Fixes are changes that each make the finding go away, the likeliest first.
	Fixes []Fix `json:"fixes"`
	// Related are other places that explain the finding.
	Related []Related `json:"related"`
}

// ReasonLimit is the [Finding.Reason] of a limit that is the playground's own, so
// that there is no verdict.
const ReasonLimit = "PlaygroundLimit"

// Related is a place that explains a [Finding], such as the schema's keyword.
type Related struct {
	Document Document `json:"document"`
	Range    Range    `json:"range"`
	Message  string   `json:"message"`
}

// Severity of a [Finding]. An error keeps the CRD or the object from being
// accepted.
type Severity string

// Severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Range is a stretch of a text from Start up to but without End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is a place in a text as the Language Server Protocol counts it:
// zero-based, Character in UTF-16 code units.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}
