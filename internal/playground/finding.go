package playground

// Finding is a diagnostic about one document.
type Finding struct {
	Severity Severity `json:"severity"`
	// Stage is the stage that produced the finding; empty if it is unknown,
	// because the evaluation was aborted.
	Stage StageName `json:"stage"`
	// Reason is the API server's cause type, such as FieldValueInvalid, or
	// PlaygroundLimit.
	Reason string `json:"reason"`
	// Code names the kind of error, such as cel-undefined-field. It is the key of the
	// error's page in the error index, or empty.
	Code string `json:"code"`
	// Field and Message are quoted from the API server's cause.
	Field   string `json:"field"`
	Message string `json:"message"`
	// Document is the document that contains Range.
	Document Document `json:"document"`
	Range    Range    `json:"range"`
	// Hint suggests a remedy in plain language, or is empty.
	Hint string `json:"hint"`
	// Fixes lists alternative quick fixes, starting with the most likely one.
	Fixes []Fix `json:"fixes"`
	// Related lists other locations that explain the finding.
	Related []Related `json:"related"`
}

// ReasonLimit is the [Finding.Reason] for a limit of the playground itself. The
// API server's verdict is then unknown.
const ReasonLimit = "PlaygroundLimit"

// ReasonOmitted is the [Finding.Reason] of the last finding of a list that omits
// findings. Its message states their number.
const ReasonOmitted = "PlaygroundOmitted"

// Related is a location that explains a [Finding], such as a schema keyword.
type Related struct {
	Document Document `json:"document"`
	Range    Range    `json:"range"`
	Message  string   `json:"message"`
}

// Severity classifies a [Finding]. An error means that the CRD or the object is
// rejected.
type Severity string

// Severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// Range is a half-open range of a document: it includes Start and excludes End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is a zero-based line and a zero-based offset in UTF-16 code units, as
// in the Language Server Protocol.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}
