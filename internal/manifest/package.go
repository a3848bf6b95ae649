package manifest

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// A Package is the result of generating CRDs from the Go packages that a pattern matches.
type Package struct {
	// Pattern is the pattern of the packages, such as "./api/...".
	Pattern string
	CRDs    []GeneratedFile
	// Options holds the options of controller-gen that the project uses, and OptionsFrom the file that has them,
	// such as "Makefile:12". They are empty for the defaults and for options of the user.
	Options, OptionsFrom string
	// LacksMarkers reports that the CRDs are generated without the markers that are not valid: controller-gen
	// generates none.
	LacksMarkers bool
	// Findings lists the mistakes in the Go files and the notes on them, in the order of the files.
	Findings []Finding
	// Again generates the CRDs with other contents of files, by their paths.
	Again func(ctx context.Context, texts map[string]string) (*Package, error)
}

// HasErrors reports whether a finding is an error.
func (p *Package) HasErrors() bool {
	return slices.ContainsFunc(p.Findings, func(f Finding) bool { return f.Severity == playground.SeverityError })
}

// A GeneratedFile is a CRD that is generated from Go, or an object that is built from several files.
type GeneratedFile struct {
	Text string
	// Origin returns the place from which a range in Text is generated.
	Origin func(playground.Range) Place
	// Hint returns a hint in the terms of the sources; nil keeps hints as they are.
	Hint func(string) string
	// Translate returns the edits of source files with the effect of edits of Text, or nil. It may take
	// time to test them.
	Translate func(context.Context, []edit.Edit) []Edit
}

// IsGoPattern reports whether a path is a pattern of Go packages: a directory and "...".
func IsGoPattern(path string) bool { return path == "..." || strings.HasSuffix(path, "/...") }

// AddPackage adds a package and the documents of its CRDs.
func (in *Input) AddPackage(p *Package) {
	in.Packages = append(in.Packages, p)
	first := len(in.Documents)
	for _, file := range p.CRDs {
		in.addGenerated(p.Pattern, file)
	}
	for _, d := range in.Documents[first:] {
		d.IsIncomplete = sync.OnceValue(func() bool { return p.spoils(d, in.Documents[first:]) })
	}
}

// spoils reports whether an error of the package may be about a CRD: it stands in a directory of the CRD's types,
// or in one of other types, which any CRD of the package may need.
func (p *Package) spoils(crd *Document, all []*Document) bool {
	directories := func(d *Document) (found []string) {
		for i := 0; d.Has("spec", "versions", i); i++ {
			found = append(found, filepath.Dir(d.Place(d.At("spec", "versions", i)).Path()))
		}
		return found
	}
	own := directories(crd)
	return slices.ContainsFunc(p.Findings, func(f Finding) bool {
		in := filepath.Dir(f.Path())
		ofOther := func(d *Document) bool { return slices.Contains(directories(d), in) }
		return f.Severity == playground.SeverityError && (slices.Contains(own, in) || !slices.ContainsFunc(all, ofOther))
	})
}

// AddBuilt adds objects that a kustomization or a chart builds. by is the path of its file.
func (in *Input) AddBuilt(by string, file GeneratedFile) {
	first := len(in.Documents)
	in.addGenerated(by, file)
	for _, d := range in.Documents[first:] {
		d.BuiltBy = by
	}
}

// addGenerated adds the documents of a generated file. path names what it is generated from.
func (in *Input) addGenerated(path string, file GeneratedFile) {
	first := len(in.Documents)
	in.divide(&File{Path: path, Text: file.Text})
	for _, d := range in.Documents[first:] {
		d.Origin = func(r playground.Range) Place { return file.Origin(d.InFile(r)) }
		d.Translate, d.Hint = file.Translate, file.Hint
	}
}

// WithGo returns the input after files of Go, by their paths, got other contents: the CRDs are generated
// again.
func (in *Input) WithGo(ctx context.Context, texts map[string]string) (*Input, error) {
	changed := NewInput()
	for _, p := range in.Packages {
		next, err := p.Again(ctx, texts)
		if err != nil {
			return nil, err
		}
		changed.AddPackage(next)
	}
	generated := map[string][]*Document{}
	for _, d := range changed.Documents {
		generated[d.File.Path] = append(generated[d.File.Path], d)
	}
	changed.Documents = nil
	for _, d := range in.Documents {
		if d.Origin == nil || d.BuiltBy != "" {
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
