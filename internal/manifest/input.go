package manifest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of the input. They leave room for the manifests of a large repository.
const (
	maxFile      = 64 << 20  // bytes of a file
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
}

func (p Problem) Error() string { return p.Path + ": " + p.Err.Error() }

// A Skipped file contains no objects, or objects that are not YAML yet.
type Skipped struct{ Path, Reason string }

// Reasons to skip a template: Helm installs the files below crds as they are.
const (
	ReasonTemplate   = "looks like a template"
	ReasonUnrendered = "looks like a template, but Helm does not render the files in crds"
)

func (in *Input) problem(path string, err error) {
	in.Problems = append(in.Problems, Problem{path, err})
}

func (in *Input) skip(path, reason string) {
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
func NewInput() *Input { return &Input{seen: map[string]bool{}} }

// Add adds documents. path names their source in messages, and need not exist.
func (in *Input) Add(path, text string) { in.AddFile(path, text, nil) }

// AddFile adds the documents of a file. beside is as in [File].
func (in *Input) AddFile(path, text string, beside func(suffix string) (string, error)) {
	in.load(&File{Path: path, Beside: beside}, func() (string, error) { return text, nil })
}

// count returns the number of results, to detect files without any.
func (in *Input) count() int { return len(in.Documents) + len(in.Problems) + len(in.Skipped) }

// A Reader reads manifests.
type Reader struct {
	// Stdin is the file with the path "-".
	Stdin io.Reader
	// Directory is the directory of relative paths and of the git repository; empty means
	// the current directory.
	Directory string
	// Previous is the result of an earlier Read of the same paths, or nil. Read shares its
	// documents of unchanged files. It reads addresses and revisions only once.
	Previous *Input
	// Wants reports whether the text of a file matters. If it is nil, all do.
	Wants func(text string) bool
	// Generate generates CRDs from the Go packages that match a pattern. If it is nil, Read
	// accepts no patterns of Go packages.
	Generate func(ctx context.Context, pattern string) (*Package, error)
}

// stdinPath is the name of standard input in messages.
const stdinPath = "<stdin>"

// Read reads the manifests at paths. A path is
//
//   - "-" for standard input,
//   - a file, whatever its name,
//   - a directory, whose files *.yaml, *.yml and *.json are read, also in subdirectories,
//     unless the name of the subdirectory begins with a dot,
//   - a pattern for these,
//   - a pattern for Go packages, which ends in "...",
//   - an https address,
//   - a revision of the git repository: REVISION:PATH, or REVISION for all its files.
//
// Problems with one path do not affect the others.
func (r Reader) Read(ctx context.Context, paths []string) *Input {
	in := &Input{seen: map[string]bool{}, known: r.Previous.dividedFiles(), wants: r.Wants}
	for _, path := range paths {
		before := len(in.others)
		explicit := r.read(ctx, in, path)
		if explicit {
			for _, file := range in.others[before:] {
				in.skip(file.Path, "contains no Kubernetes objects")
			}
		}
	}
	return in
}

// read reads the manifests at a path. It reports whether the path names files, rather than
// a directory or revision that may contain other files, too.
func (r Reader) read(ctx context.Context, in *Input, path string) (explicit bool) {
	switch {
	case path == "":
		in.problem(`""`, errors.New("the path is empty"))
		return true
	case path == "-":
		in.load(&File{Path: stdinPath}, func() (string, error) { return interruptible(ctx, r.Stdin) })
		return true
	case strings.HasPrefix(path, "https://"):
		in.load(&File{Path: path}, func() (string, error) { return fetch(ctx, path) })
		return true
	case strings.HasPrefix(path, "http://"):
		in.problem(path, errors.New("only https addresses are read"))
		return true
	case r.Generate != nil && IsGoPattern(path):
		r.generate(ctx, in, path)
		return true
	}
	info, err := os.Stat(r.absolute(path))
	switch {
	case err == nil && info.IsDir():
		r.walk(ctx, in, path)
		return false
	case err == nil:
		r.loadFile(ctx, in, path)
		return true
	}
	// A broken link matches itself.
	if matches, bad := filepath.Glob(r.absolute(path)); bad == nil && len(matches) > 0 && !slices.Contains(matches, r.absolute(path)) {
		for _, match := range matches {
			explicit = r.read(ctx, in, r.relative(match, path)) || explicit
		}
		return explicit
	}
	if !errors.Is(err, fs.ErrNotExist) {
		in.problem(path, cause(err))
		return true
	}
	revision, err := r.parseRevision(ctx, path)
	if err != nil {
		in.problem(path, err)
		return true
	}
	return revision.load(ctx, in)
}

// absolute returns the path relative to the current directory of the process.
func (r Reader) absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(r.Directory, path)
}

// relative returns the path of a match in the form of its pattern.
func (r Reader) relative(match, pattern string) string {
	if filepath.IsAbs(pattern) || r.Directory == "" {
		return match
	}
	if path, err := filepath.Rel(r.Directory, match); err == nil {
		return path
	}
	return match
}

// walk reads the manifests in a directory, in lexical order.
func (r Reader) walk(ctx context.Context, in *Input, root string) {
	_ = filepath.WalkDir(r.absolute(root), func(path string, entry fs.DirEntry, err error) error {
		path = r.relative(path, root)
		switch {
		case err != nil:
			in.problem(path, cause(err))
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir() && path != filepath.Clean(root) && IsIgnored(entry.Name()):
			return fs.SkipDir
		case isDevice(entry): // Reading a named pipe may never end.
		case !entry.IsDir() && filepath.Ext(entry.Name()) == ".go":
			in.GoDirectory = root
		case !entry.IsDir() && IsManifestName(entry.Name()):
			r.loadFile(ctx, in, path)
		}
		return nil
	})
}

// IsIgnored reports whether a directory of this name contains no manifests of its own
// repository.
func IsIgnored(directory string) bool {
	return strings.HasPrefix(directory, ".") || directory == "node_modules"
}

// IsManifestName reports whether a file in a directory is read.
func IsManifestName(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(filepath.Ext(name)))
}

// isDevice reports whether a directory entry is neither a file nor a directory nor a link.
func isDevice(entry fs.DirEntry) bool {
	return entry.Type()&(fs.ModeDevice|fs.ModeNamedPipe|fs.ModeSocket|fs.ModeIrregular) != 0
}

func (r Reader) loadFile(ctx context.Context, in *Input, path string) {
	beside := func(suffix string) (string, error) {
		text, err := os.ReadFile(r.absolute(path) + suffix)
		return string(text), err
	}
	in.load(&File{Path: path, Writable: true, Beside: beside}, func() (string, error) {
		info, err := os.Stat(r.absolute(path))
		switch {
		case err != nil:
			return "", err
		case !info.Mode().IsRegular():
			return interruptible(ctx, &lazyFile{path: r.absolute(path)})
		case info.Size() > maxFile:
			return "", errTooLarge
		}
		file, err := os.Open(r.absolute(path))
		if err != nil {
			return "", err
		}
		defer file.Close()
		return readLimited(file)
	})
}

// load reads the text of a file and adds its documents, unless it was added before.
func (in *Input) load(file *File, read func() (string, error)) {
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
		in.problem(path, cause(err))
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

var errTooLarge = fmt.Errorf("larger than %d MiB", maxFile>>20)

// readLimited reads everything up to the limit for a file.
func readLimited(r io.Reader) (string, error) {
	var text strings.Builder
	n, err := io.Copy(&text, io.LimitReader(r, maxFile+1))
	if err == nil && n > maxFile {
		err = errTooLarge
	}
	return text.String(), err
}

// A lazyFile is a file that is opened when it is read: opening a named pipe waits for its
// writer. It is read once, and stays open.
type lazyFile struct {
	path string
	file *os.File
}

func (f *lazyFile) Read(buffer []byte) (n int, err error) {
	if f.file == nil {
		if f.file, err = os.Open(f.path); err != nil {
			return 0, err
		}
	}
	return f.file.Read(buffer)
}

// interruptible reads like readLimited until ctx ends. Then the read goes on in the
// background: a terminal or a pipe may never end.
func interruptible(ctx context.Context, r io.Reader) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := readLimited(r)
		done <- result{text, err}
	}()
	select {
	case read := <-done:
		return read.text, read.err
	case <-ctx.Done():
		return "", ctx.Err()
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

// cause returns an error without the path, which precedes it in messages.
func cause(err error) error {
	if failure := (*fs.PathError)(nil); errors.As(err, &failure) {
		return failure.Err
	}
	return err
}
