package playground

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

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

// junctorField captures the field in an error of allOf, anyOf, oneOf or not, which has no field of its
// own.
var junctorField = regexp.MustCompile(`^Invalid value: "": "([^"]+)" must (?:not )?validate `)

// formatField captures the field in an error of a numeric format, which has no field of its own.
var formatField = regexp.MustCompile(`Checked value must be of type \w+ with format \w+ in (.+)$`)

// Place returns the field that the finding is about: [Finding.Field], or else the field that the
// message names. It is empty for an error of the whole document.
func (f Finding) Place() string {
	if f.Field != "<nil>" {
		return f.Field
	}
	for _, pattern := range []*regexp.Regexp{formatField, junctorField} {
		if m := pattern.FindStringSubmatch(f.Message); m != nil {
			return m[1]
		}
	}
	return ""
}

// CutRule cuts the value from an error message about a CEL rule, which the API server prints as
// JSON, and returns what follows it. found is false if the message has no such value.
func CutRule(message string) (reason string, found bool) {
	value, found := strings.CutPrefix(message, "Invalid value: ")
	if !found || !strings.HasPrefix(value, `{"Rule":`) {
		return "", false
	}
	decoder := json.NewDecoder(strings.NewReader(value))
	if err := decoder.Decode(new(json.RawMessage)); err != nil {
		return "", false
	}
	return strings.CutPrefix(value[decoder.InputOffset():], ": ")
}

// CutCompilation divides an error message about a CEL expression that does not compile into the first mistake and the
// lines that point at its place. found is false for other messages.
func CutCompilation(message string) (mistake, excerpt string, found bool) {
	rest, found := strings.CutPrefix(message, "compilation failed: ERROR: <input>:")
	_, rest, hasPlace := strings.Cut(rest, ": ")
	mistake, excerpt, _ = strings.Cut(rest, "\n")
	return mistake, excerpt, found && hasPlace
}

// ReasonLimit is the [Finding.Reason] for a limit of the playground itself. The
// API server's verdict is then unknown.
const ReasonLimit = "PlaygroundLimit"

// ReasonOmitted is the [Finding.Reason] of the last finding of a list that omits
// findings. Its message states their number.
const ReasonOmitted = "PlaygroundOmitted"

// ReasonKept is the [Finding.Reason] for a value of the existing CRD that an apply request
// keeps although the document does not have it.
const ReasonKept = "PlaygroundKept"

// ReasonNote is the [Finding.Reason] of crdlab's own notes about an accepted CRD, which the API
// server does not know.
const ReasonNote = "PlaygroundNote"

// ReasonWarning is the [Finding.Reason] for a warning in the response, which is the message.
const ReasonWarning = "Warning"

// Related is a location that explains a [Finding], such as a schema keyword.
type Related struct {
	Document Document `json:"document"`
	Range    Range    `json:"range"`
	Message  string   `json:"message"`
	// Fails reports that the place is the part of a rule whose evaluation fails.
	Fails bool `json:"fails,omitempty"`
}

// Values of [Finding.Code] that the page treats in a way of their own.
const (
	// CodeConflict is the code of a field that another manager owns.
	CodeConflict = "apply-conflict"
	// CodeNoMatches is the code of an object whose kind or version the CRD does not serve.
	CodeNoMatches = "no-matches-for-kind"
	// CodePartlyRead is the code of a document whose end the API server's decoder ignores.
	CodePartlyRead = "partly-read"
	// CodeRulesNotChecked is the code of the API server's note that it skipped the rules.
	CodeRulesNotChecked = "rules-not-checked"
)

// Readable returns a copy of the findings of a request as people read them, errors first. It
// omits errors that follow from another finding, because the decoder has not read the rest of
// the document. The API server's note that it skipped the rules is no error of its own.
func Readable(all []Finding) []Finding {
	partly := slices.IndexFunc(all, func(f Finding) bool { return f.Code == CodePartlyRead })
	readable := []Finding{}
	for _, f := range all {
		switch {
		case f.Code == CodePartlyRead && slices.ContainsFunc(all, f.hides):
			f.Severity = SeverityError
		case partly >= 0 && all[partly].hides(f):
			continue
		case f.Code == CodeRulesNotChecked:
			f.Severity = SeverityInfo
		}
		readable = append(readable, f)
	}
	SortFindings(readable)
	return readable
}

// hides reports whether another finding is an error that follows from f, which is about the
// unread end of a document.
func (f Finding) hides(other Finding) bool {
	return other.Severity == SeverityError && other.Document == f.Document
}

// SortFindings sorts findings by their severity, errors first. It keeps the order of
// findings with the same severity.
func SortFindings(all []Finding) {
	order := []Severity{SeverityError, SeverityWarning, SeverityInfo}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Compare(slices.Index(order, a.Severity), slices.Index(order, b.Severity))
	})
}

// SortWarnings sorts warnings by their fields. The API server warns about a field before those below it,
// and about others in the random order of Go's maps. It keeps the order of the warnings about one field.
func SortWarnings(all []string) {
	slices.SortStableFunc(all, func(a, b string) int {
		a, _, _ = strings.Cut(a, ": ")
		b, _, _ = strings.Cut(b, ": ")
		return cmp.Compare(a, b)
	})
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
