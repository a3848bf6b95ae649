package manifest

import (
	"context"
	"fmt"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// A Package is the result of generating CRDs from the Go packages that a pattern matches.
type Package struct {
	// Pattern is the pattern of the packages, such as "./api/...".
	Pattern  string
	CRDs     []GeneratedFile
	Mistakes []Mistake
}

// A GeneratedFile is a generated CRD. Origin returns the file and the range there from which
// a range in Text is generated.
type GeneratedFile struct {
	Text   string
	Origin func(playground.Range) (*File, playground.Range)
}

// A Mistake is a mistake in a Go file.
type Mistake struct {
	File     *File
	Range    playground.Range
	Severity playground.Severity
	Message  string
	Hint     string
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
	in.Packages = append(in.Packages, generated)
	if len(generated.CRDs) == 0 && len(generated.Mistakes) == 0 {
		in.skip(pattern, "the Go packages contain no CRDs")
	}
	for _, file := range generated.CRDs {
		first := len(in.Documents)
		in.divide(&File{Path: pattern, Text: file.Text})
		for _, d := range in.Documents[first:] {
			d.Origin = func(r playground.Range) (*File, playground.Range) { return file.Origin(d.InFile(r)) }
		}
	}
}
