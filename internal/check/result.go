package check

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// A Result has the verdicts on manifests.
type Result struct {
	// Releases lists the Kubernetes releases that judged.
	Releases []Release `json:"releases"`
	// Documents lists the CRDs, the objects with a CRD and the admission policies, in the order of
	// the input.
	Documents []Document `json:"documents"`
	// Admission is [playground.Scenario.Admission] with which the objects were judged.
	Admission string `json:"-"`
	// WithoutCRD lists the objects that nothing can judge.
	WithoutCRD []Object `json:"withoutCRD"`
	// Skipped lists files that are not manifests.
	Skipped []Skipped `json:"skipped"`
	// Problems lists unusable files.
	Problems []Problem `json:"problems"`
}

// A Release is a Kubernetes release.
type Release struct {
	// Kubernetes is the minor release, such as "1.37".
	Kubernetes string `json:"kubernetes"`
	// Approximate reports that the libraries of the newest release judged instead of the
	// release's own.
	Approximate bool `json:"approximate"`
}

// An Object identifies an object in a file.
type Object struct {
	Path string `json:"path"`
	// Line is the line of the object's first field, counted from 1.
	Line       int    `json:"line"`
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
}

// A Skipped file contains no objects.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// A Problem is a file, or a line of a file, that cannot be used.
type Problem struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Problems returns the problems of inputs.
func Problems(inputs ...*manifest.Input) []Problem {
	var all []Problem
	for _, in := range inputs {
		for _, p := range in.Problems {
			all = append(all, Problem{p.Path, p.Err.Error()})
		}
	}
	return all
}

// A Document is an object with its verdicts.
type Document struct {
	Object
	// CRD is the position of the object's CRD as PATH:LINE; empty for a CRD.
	CRD string `json:"crd"`
	// Verdicts has one entry for each of the releases.
	Verdicts []Verdict `json:"verdicts"`

	source *manifest.Document
}

// Source returns the document of the input; nil for Go packages.
func (d Document) Source() *manifest.Document { return d.source }

// Verdict is the verdict of a release on a document.
type Verdict struct {
	Kubernetes string `json:"kubernetes"`
	Accepted   bool   `json:"accepted"`
	// Approximate reports that the libraries of the newest release judged instead of the
	// release's own. The document then does not count as accepted.
	Approximate bool `json:"approximate,omitempty"`
	// Unknown is the reason why the verdict is not known; otherwise empty.
	Unknown string            `json:"unknown"`
	Status  playground.Status `json:"status"`
	// Output is the output of kubectl.
	Output   string    `json:"output"`
	Findings []Finding `json:"findings"`
	// Cost is the cost of the rules in CEL cost units: estimated for a CRD, and actual for
	// an object.
	Cost      uint64 `json:"cost"`
	CostLimit uint64 `json:"costLimit"`
}

// DropNotes removes crdlab's own notes.
func (r *Result) DropNotes() {
	for _, d := range r.Documents {
		for i := range d.Verdicts {
			d.Verdicts[i].Findings = slices.DeleteFunc(d.Verdicts[i].Findings, func(f Finding) bool { return f.Reason == playground.ReasonNote })
		}
	}
}

// Finding is a finding in a file.
type Finding struct {
	Place
	Severity playground.Severity `json:"severity"`
	// Reason, Field and Message are quoted from the API server.
	Reason  string `json:"reason"`
	Field   string `json:"field"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
	// Source is the first line of the finding's range.
	Source  string    `json:"source"`
	Related []Related `json:"related"`
	// Fixes lists alternative fixes by their titles.
	Fixes []string `json:"fixes"`
	// SafeFix reports that the only fix keeps the meaning of the document.
	SafeFix bool `json:"safeFix"`

	// Code is [playground.Finding.Code].
	Code string `json:"-"`

	// edits holds the edits of the safe fix, with the positions in the file.
	edits []edit.Edit
	// inGo returns the fixes in Go types, or only the safe ones; nil if there are none. They are
	// tested, which takes time.
	inGo func(ctx context.Context, onlySafe bool) []manifest.GoFix
}

// Place is a range of a file. Lines and columns are counted from 1, columns in UTF-16 code
// units. The end is exclusive.
type Place struct {
	Path      string `json:"path"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
}

// Related is a place that explains a finding.
type Related struct {
	Place
	Message string `json:"message"`
}

// Text returns the finding in kubectl's words. Some messages repeat the field.
func (f Finding) Text() string {
	if f.Field == "" || strings.Contains(f.Message, strconv.Quote(f.Field)) || f.Reason == playground.ReasonWarning && strings.HasPrefix(f.Message, f.Field) {
		return f.Message
	}
	return f.Field + ": " + f.Message
}

// Short returns the finding for people: its text without a rule as JSON, which its place shows.
func (f Finding) Short() string {
	if reason, found := playground.CutRule(f.Message); found {
		f.Message = "Invalid value: " + reason
	}
	return f.Text()
}

// Plain returns a finding without its place.
func Plain(f playground.Finding) Finding {
	plain := Finding{Code: f.Code, Severity: f.Severity, Reason: f.Reason, Field: cmp.Or(f.Place(), f.Field), Message: f.Message, Hint: f.Hint, Related: []Related{}, Fixes: []string{}}
	for _, fix := range f.Fixes {
		plain.Fixes = append(plain.Fixes, fix.Title)
	}
	return plain
}

// Advice is a hint or the title of a fix, with its label.
type Advice struct{ Label, Text string }

// Advice returns what the author can do about the finding.
func (f Finding) Advice() []Advice {
	var all []Advice
	if f.Hint != "" {
		all = append(all, Advice{"hint:", f.Hint})
	}
	label := "fix:"
	if f.SafeFix {
		label = "safe fix:"
	}
	for _, fix := range f.Fixes {
		all = append(all, Advice{label, fix})
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

// CRDOf returns the CRD of an object, or nil for a CRD.
func (r *Result) CRDOf(d Document) *Document {
	for i, crd := range r.Documents {
		if d.CRD != "" && crd.CRD == "" && crd.position() == d.CRD {
			return &r.Documents[i]
		}
	}
	return nil
}

// position returns the position of an object as PATH:LINE.
func (o Object) position() string { return fmt.Sprintf("%s:%d", o.Path, o.Line) }

// Counts has the number of documents for each outcome. A document counts once, for the worst
// of its verdicts.
type Counts struct{ Accepted, Rejected, Unknown int }

// Count counts the documents. A document is rejected if a release rejects it, and otherwise
// unknown if a release does not judge it, or judges it approximately.
func (r *Result) Count() Counts {
	var c Counts
	for _, d := range r.Documents {
		switch {
		case slices.ContainsFunc(d.Verdicts, Verdict.Rejects):
			c.Rejected++
		case slices.ContainsFunc(d.Verdicts, func(v Verdict) bool { return v.Unknown != "" || v.Approximate }):
			c.Unknown++
		default:
			c.Accepted++
		}
	}
	return c
}

// Rejects reports whether the release rejects the document.
func (v Verdict) Rejects() bool { return !v.Accepted && v.Unknown == "" }

// placeOf returns the place of a range in a document. A range in the comments before the
// object means the object, so its place is the object's first line.
func placeOf(d *manifest.Document, r playground.Range) Place {
	place, _ := located(d, r)
	return place
}

// located returns the place of a range in a document like [placeOf], and the place's first
// line. The place in a generated document is its origin.
func located(d *manifest.Document, r playground.Range) (place Place, line string) {
	file, at := d.Source(r)
	if d.Origin == nil && at.Start.Line < d.Line {
		length := len(utf16.Encode([]rune(d.File.Line(d.Line))))
		at = playground.Range{Start: playground.Position{Line: d.Line}, End: playground.Position{Line: d.Line, Character: length}}
	}
	return placeIn(file, at), file.Line(at.Start.Line)
}

// placeIn returns the place of a range in a file.
func placeIn(file *manifest.File, r playground.Range) Place {
	return Place{file.Path, r.Start.Line + 1, r.Start.Character + 1, r.End.Line + 1, r.End.Character + 1}
}

func objectOf(d *manifest.Document) Object {
	o := Object{d.File.Path, d.Line + 1, d.APIVersion, d.Kind.Kind, d.Namespace, d.Name}
	if d.Origin != nil {
		place := placeOf(d, d.At("spec", "versions"))
		o.Path, o.Line = place.Path, place.Line
	}
	return o
}
