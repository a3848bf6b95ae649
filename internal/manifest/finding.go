package manifest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// A Place is a range of a file. The zero value is an unknown place.
type Place struct {
	File  *File
	Range playground.Range
}

// Path returns the path of the file, or an empty string.
func (p Place) Path() string {
	if p.File == nil {
		return ""
	}
	return p.File.Path
}

// Line returns the number of the first line, counted from 1 for people, or 0 if the place is not known.
func (p Place) Line() int {
	if p.File == nil {
		return 0
	}
	return p.Range.Start.Line + 1
}

// Source returns the first line.
func (p Place) Source() string {
	if p.File == nil {
		return ""
	}
	return p.File.Line(p.Range.Start.Line)
}

// String returns the place in the form of compilers: PATH:LINE:COLUMN.
func (p Place) String() string {
	return fmt.Sprintf("%s:%d:%d", p.Path(), p.Line(), p.Range.Start.Character+1)
}

// A Printed place has its positions as people count them, from 1, columns in UTF-16 code units. The end is
// exclusive. Columns and the end are 0 if they do not matter.
type Printed struct {
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
}

// Printed returns the place for people.
func (p Place) Printed() Printed {
	if p.File == nil {
		return Printed{}
	}
	start, end := p.Range.Start, p.Range.End
	return Printed{p.File.Path, start.Line + 1, start.Character + 1, end.Line + 1, end.Character + 1}
}

// An Edit replaces the range of the place by a string.
type Edit struct {
	Place
	NewText string
}

// A Fix has edits of files that may resolve a finding.
type Fix struct {
	Title string
	// Safe reports that the fix keeps the meaning of the document, and chooses nothing for the author.
	Safe  bool
	Edits []Edit
	// Resolve returns edits that are tested, which takes time; nil without the wanted effect.
	// nil means that Edits are right.
	Resolve func(context.Context) []Edit
}

// Resolved returns the edits of the fix; nil without the wanted effect.
func (f Fix) Resolved(ctx context.Context) []Edit {
	if f.Resolve == nil {
		return f.Edits
	}
	return f.Resolve(ctx)
}

// A Finding is a mistake in a file, or a note on it.
type Finding struct {
	Place
	Severity playground.Severity
	// Code is [playground.Finding.Code].
	Code string
	// Reason, Field and Message are quoted from the API server.
	Reason, Field, Message string
	Hint                   string
	Related                []Related
	// Fixes lists alternative fixes.
	Fixes []Fix
}

// Related is a place that explains a finding.
type Related struct {
	Place
	Message string
}

// SafeFix returns the only fix if it is safe and needs no test.
func (f Finding) SafeFix() (Fix, bool) {
	if len(f.Fixes) == 1 && f.Fixes[0].Safe && f.Fixes[0].Resolve == nil {
		return f.Fixes[0], true
	}
	return Fix{}, false
}

// MarshalJSON implements [json.Marshaler]. Positions are counted from 1, and fixes have their titles only.
func (f Finding) MarshalJSON() ([]byte, error) {
	type related struct {
		Printed
		Message string `json:"message"`
	}
	all := []related{}
	for _, r := range f.Related {
		all = append(all, related{r.Printed(), r.Message})
	}
	_, isSafe := f.SafeFix()
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // The caller decides.
	err := encoder.Encode(struct {
		Printed
		Severity playground.Severity `json:"severity"`
		Reason   string              `json:"reason"`
		Field    string              `json:"field"`
		Message  string              `json:"message"`
		Hint     string              `json:"hint"`
		Source   string              `json:"source"`
		Related  []related           `json:"related"`
		Fixes    []string            `json:"fixes"`
		SafeFix  bool                `json:"safeFix"`
	}{f.Printed(), f.Severity, f.Reason, f.Field, f.Message, f.Hint, f.Source(), all, f.titles(), isSafe})
	return b.Bytes(), err
}

// titles returns the titles of the fixes that need no test.
func (f Finding) titles() []string {
	all := []string{}
	for _, fix := range f.Fixes {
		if fix.Resolve == nil {
			all = append(all, fix.Title)
		}
	}
	return all
}

// Text returns the finding in kubectl's words. Some messages repeat the field.
func (f Finding) Text() string {
	if f.Field == "" || strings.Contains(f.Message, strconv.Quote(f.Field)) || f.Reason == playground.ReasonWarning && strings.HasPrefix(f.Message, f.Field) {
		return f.Message
	}
	return f.Field + ": " + f.Message
}

// Short returns the finding for people: its message without a rule as JSON, which its place shows, and without
// the middle of a long one, which quotes a value.
func (f Finding) Short() string {
	if reason, found := playground.CutRule(f.Message); found {
		f.Message = "Invalid value: " + reason
	}
	if all := []rune(f.Message); len(all) > maxShort {
		f.Message = string(all[:maxShort/4]) + " … " + string(all[len(all)-maxShort/2:])
	}
	return f.Text()
}

// maxShort limits the characters of a message for people.
const maxShort = 1000

// Plain returns a finding without its place, and with the titles of its fixes.
func Plain(f playground.Finding) Finding {
	plain := Finding{Code: f.Code, Severity: f.Severity, Reason: f.Reason, Field: cmp.Or(f.Place(), f.Field), Message: f.Message, Hint: f.Hint}
	for _, fix := range f.Fixes {
		plain.Fixes = append(plain.Fixes, Fix{Title: fix.Title})
	}
	return plain
}

// Advice is a hint or the title of a fix, with its label.
type Advice struct{ Label, Text string }

// Advice returns the remedies of the finding.
func (f Finding) Advice() []Advice {
	var all []Advice
	if f.Hint != "" {
		all = append(all, Advice{"hint:", f.Hint})
	}
	label := "fix:"
	if _, isSafe := f.SafeFix(); isSafe {
		label = "safe fix:"
	}
	for _, title := range f.titles() {
		all = append(all, Advice{label, title})
	}
	return all
}

// Explained returns the finding for people, followed by a line for each advice.
func (f Finding) Explained() string {
	lines := []string{f.Short()}
	for _, advice := range f.Advice() {
		lines = append(lines, advice.Label+" "+advice.Text)
	}
	return strings.Join(lines, "\n")
}
