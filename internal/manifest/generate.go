package manifest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// A Package is the result of generating CRDs from the Go packages that a pattern matches.
type Package struct {
	// Pattern is the pattern of the packages, such as "./api/...".
	Pattern  string
	CRDs     []GeneratedFile
	Mistakes []Mistake
	// Again generates the CRDs with other texts of files, by their paths.
	Again func(ctx context.Context, texts map[string]string) (*Package, error)
}

// HasErrors reports whether a mistake is an error.
func (p *Package) HasErrors() bool {
	return slices.ContainsFunc(p.Mistakes, func(m Mistake) bool { return m.Severity == playground.SeverityError })
}

// A GeneratedFile is a generated CRD. Origin returns the file and the range there from which
// a range in Text is generated.
type GeneratedFile struct {
	Text   string
	Origin func(playground.Range) (*File, playground.Range)
	// Translate returns the edits of Go files with the effect of edits of Text; none if there are none.
	Translate func(context.Context, []edit.Edit) []FileEdit
}

// A FileEdit is an edit of a file.
type FileEdit struct {
	File *File
	edit.Edit
}

// A GoFix has edits of Go files. Safe reports that they choose nothing for the author.
type GoFix struct {
	Title string
	Safe  bool
	Edits []FileEdit
}

// A Mistake is a mistake in a Go file.
type Mistake struct {
	File     *File
	Range    playground.Range
	Severity playground.Severity
	Message  string
	Hint     string
	// Fix returns a fix that is tested, without edits if there is none.
	Fix func(context.Context) GoFix
}

// String returns the mistake in the form of compilers.
func (m Mistake) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", m.File.Path, m.Range.Start.Line+1, m.Range.Start.Character+1, m.Message)
}

// IsGoPattern reports whether a path is a pattern of Go packages: a directory and "...".
func IsGoPattern(path string) bool { return path == "..." || strings.HasSuffix(path, "/...") }

// generate adds the CRDs of Go packages, and their mistakes.
func (r Reader) generate(ctx context.Context, in *Input, pattern string) {
	generated, err := r.Generate(ctx, pattern)
	if err != nil {
		in.problem(pattern, err)
		return
	}
	if len(generated.CRDs) == 0 && len(generated.Mistakes) == 0 {
		in.skip(pattern, "the Go packages contain no CRDs")
	}
	in.add(generated)
}

// add adds a package and the documents of its CRDs.
func (in *Input) add(p *Package) {
	in.Packages = append(in.Packages, p)
	for _, file := range p.CRDs {
		first := len(in.Documents)
		in.divide(&File{Path: p.Pattern, Text: file.Text})
		for _, d := range in.Documents[first:] {
			d.Origin = func(r playground.Range) (*File, playground.Range) { return file.Origin(d.InFile(r)) }
			d.Translate = file.Translate
		}
	}
}

// WithGo returns the input after files of Go, by their paths, got other texts: the CRDs are generated
// again.
func (in *Input) WithGo(ctx context.Context, texts map[string]string) (*Input, error) {
	changed := &Input{seen: map[string]bool{}}
	for _, p := range in.Packages {
		next, err := p.Again(ctx, texts)
		if err != nil {
			return nil, err
		}
		changed.add(next)
	}
	generated := map[string][]*Document{}
	for _, d := range changed.Documents {
		generated[d.File.Path] = append(generated[d.File.Path], d)
	}
	changed.Documents = nil
	for _, d := range in.Documents {
		if d.Origin == nil {
			changed.Documents = append(changed.Documents, d)
			continue
		}
		changed.Documents = append(changed.Documents, generated[d.File.Path]...)
		delete(generated, d.File.Path)
	}
	for _, p := range changed.Packages {
		changed.Documents = append(changed.Documents, generated[p.Pattern]...)
	}
	return changed, nil
}
