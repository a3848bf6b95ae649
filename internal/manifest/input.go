package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/source"
)

// Limits of the input. They leave room for the manifests of a large repository.
const (
	MaxFile      = 64 << 20  // bytes of a file
	maxTotal     = 512 << 20 // bytes of all files
	maxDocuments = 100_000
)

// Input holds the documents of files.
type Input struct {
	// Documents holds the objects in the order of the files.
	Documents []*Document
	// Problems lists the unusable files or parts of files.
	Problems []Problem
	// Skipped lists files that are not manifests, although the user or their name
	// suggests it.
	Skipped []Skipped
	// Packages lists the Go packages from which CRDs were generated.
	Packages []*Package
	// Builds lists the kustomizations and charts that were built.
	Builds []Build
	// GoDirectory is a path that is a directory with Go files, which are not read. It is empty
	// if there is none.
	GoDirectory string

	bytes int
	seen  map[string]bool
	wants func(text string) bool
	// others holds the files without any object.
	others []*File
	// divided holds the files whose documents can be shared with a later input, and known
	// maps the paths of an earlier input to its files.
	divided []divided
	known   map[string]divided
	// parsed holds the parts of the files as they were parsed, for the input after an edit, if
	// before is not nil. before holds those of the input before the edit.
	parsed, before []*source.File
}

// IsDescribed reports whether a CRD of the input describes a kind.
func (in *Input) IsDescribed(kind bundle.Kind) bool {
	return slices.ContainsFunc(in.Documents, func(d *Document) bool { return d.IsCRD && d.Described == kind })
}

// A divided file has only documents: neither problems nor other contents.
type divided struct {
	file      *File
	documents []*Document
}

// dividedFiles returns the divided files of an input by their paths.
func (in *Input) dividedFiles() map[string]divided {
	known := map[string]divided{}
	if in != nil {
		for _, d := range in.divided {
			known[d.file.Path] = d
		}
	}
	return known
}

// share adds the documents of a divided file.
func (in *Input) share(d divided) {
	in.bytes += len(d.file.Text)
	in.divided = append(in.divided, d)
	in.Documents = append(in.Documents, d.documents...)
}

// A Problem is a file that cannot be used. Path may have a line: PATH:LINE.
type Problem struct {
	Path string
	Err  error
	// IsForeign reports that the file resembles no object, such as a configuration in JSON with comments.
	IsForeign bool
}

func (p Problem) Error() string { return p.Path + ": " + p.Err.Error() }

// A Skipped file contains no objects, or objects that are not YAML yet.
type Skipped struct{ Path, Reason string }

// A Build is a kustomization or a chart that was built.
type Build struct {
	Path    string `json:"path"`
	Objects int    `json:"objects"`
	// LeftOut lists remote parts, and dependencies of the chart that are not in its directory, which were not read.
	LeftOut []string `json:"leftOut"`
}

// Reasons to skip a template: Helm installs the files below crds as they are.
const (
	ReasonTemplate     = "looks like a template"
	ReasonChart        = "a template of a Helm chart; --helm renders it"
	ReasonPlaceholders = "has placeholders in the place of values"
	ReasonUnrendered   = "looks like a template, but Helm does not render the files in crds"
)

// SkipParts skips the parts of CRDs in files that were only found, such as patches that no kustomization names: they
// have no field that a CRD needs.
func (in *Input) SkipParts(isFound func(*File) bool) {
	in.Documents = slices.DeleteFunc(in.Documents, func(d *Document) bool {
		isPart := d.IsCRD && d.Described.Kind == "" && isFound(d.File) && !d.IsGenerated() && d.isPart()
		if isPart {
			in.Skip(d.File.Path, "a part of a CRD, such as a patch that no kustomization names")
		}
		return isPart
	})
}

// isPart reports whether a CRD has other fields, and none that a CRD needs.
func (d *Document) isPart() bool {
	needed := d.Has("spec", "group") || d.Has("spec", "names") || d.Has("spec", "versions")
	return !needed && (d.Has("spec") || d.Has("metadata", "annotations"))
}

// Files returns the files of the input that were read, in their order.
func (in *Input) Files() []*File {
	var all []*File
	seen := map[*File]bool{}
	add := func(f *File) {
		if !seen[f] {
			seen[f], all = true, append(all, f)
		}
	}
	for _, d := range in.Documents {
		add(d.File)
	}
	for _, f := range in.others {
		add(f)
	}
	return all
}

// Fail adds a file that cannot be used, once.
func (in *Input) Fail(path string, err error) {
	if !slices.ContainsFunc(in.Problems, func(p Problem) bool { return p.Path == path && p.Err.Error() == err.Error() }) {
		in.Problems = append(in.Problems, Problem{Path: path, Err: err})
	}
}

// Skip adds a file that is not a manifest, once for each reason.
func (in *Input) Skip(path, reason string) {
	if slices.Contains(in.Skipped, Skipped{path, reason}) {
		return
	}
	in.Skipped = append(in.Skipped, Skipped{path, reason})
}

// WithTexts returns the documents of the input after files, by their paths, got other
// content.
func (in *Input) WithTexts(texts map[string]string) *Input {
	changed := &Input{seen: map[string]bool{}, Packages: in.Packages}
	for _, d := range in.Documents {
		text, ok := texts[d.File.Path]
		switch {
		case !ok:
			changed.Documents = append(changed.Documents, d)
		case !changed.seen[d.File.Path]:
			changed.seen[d.File.Path] = true
			changed.divide(&File{Path: d.File.Path, Text: text, Writable: d.File.Writable, Beside: d.File.Beside})
		}
	}
	return changed
}

// NewInput returns an input without documents.
func NewInput() *Input { return NewInputAfter(nil, nil) }

// NewInputAfter returns an input that shares the documents of unchanged files with an earlier one, or nil.
// It ignores the files whose content does not matter by the function wants; nil wants all.
func NewInputAfter(previous *Input, wants func(text string) bool) *Input {
	return &Input{seen: map[string]bool{}, known: previous.dividedFiles(), wants: wants}
}

// SkipOthers skips the files without any object that read adds, if it reports that the user named them.
func (in *Input) SkipOthers(read func() (explicit bool)) {
	before := len(in.others)
	if read() {
		for _, file := range in.others[before:] {
			if strings.HasPrefix(strings.ToLower(path.Base(filepath.ToSlash(file.Path))), "kustomization") {
				continue
			}
			in.Skip(file.Path, "contains no Kubernetes objects")
		}
	}
}

// Add adds documents. path names their source in messages, and need not exist.
func (in *Input) Add(path, text string) { in.AddFile(path, text, nil) }

// NewEdited returns the input of one file, in less time if its text differs from that of before within a few lines.
// before is the result for the earlier text, and nil without one.
func NewEdited(before *Input, path, text string) *Input {
	in := NewInput()
	in.before = []*source.File{}
	if before != nil {
		in.before = before.parsed
	}
	in.Add(path, text)
	in.before = nil
	return in
}

// AddFile adds the documents of a file. beside is as in [File].
func (in *Input) AddFile(path, text string, beside func(suffix string) (string, error)) {
	in.Load(&File{Path: path, Beside: beside}, func() (string, error) { return text, nil })
}

// count returns the number of results, to detect files without any.
func (in *Input) count() int { return len(in.Documents) + len(in.Problems) + len(in.Skipped) }

// Load reads a file and adds its documents, unless it was added before.
func (in *Input) Load(file *File, read func() (string, error)) {
	path := file.Path
	if in.seen[path] {
		return
	}
	in.seen[path] = true
	known, isKnown := in.known[path]
	if isKnown && !file.Writable {
		in.share(known)
		return
	}
	text, err := read()
	if err == nil {
		err = checkText(text)
	}
	if err == nil && in.bytes+len(text) > maxTotal {
		err = fmt.Errorf("not read: all files together have more than %d MiB", maxTotal>>20)
	}
	if err != nil {
		in.Fail(path, Cause(err))
		return
	}
	if in.wants != nil && !in.wants(text) {
		return
	}
	if isKnown && known.file.Text == text {
		in.share(known)
		return
	}
	in.bytes += len(text)
	file.Text = text
	in.divideWhole(file)
}

// divideWhole adds the documents of a file, and keeps them for a later input.
func (in *Input) divideWhole(file *File) {
	first, others := len(in.Documents), len(in.Problems)+len(in.Skipped)
	in.divide(file)
	if len(in.Documents) > first && len(in.Problems)+len(in.Skipped) == others {
		in.divided = append(in.divided, divided{file, slices.Clone(in.Documents[first:])})
	}
}

// checkText rejects files that are certainly no manifests.
func checkText(text string) error {
	switch {
	case strings.ContainsRune(text, 0):
		return errors.New("a binary file")
	case !utf8.ValidString(text):
		return errors.New("not UTF-8")
	}
	return nil
}

// Cause returns an error without the path, which precedes it in messages.
func Cause(err error) error {
	if failure := (*fs.PathError)(nil); errors.As(err, &failure) {
		return failure.Err
	}
	return err
}
