// Package load reads Kubernetes manifests from files, directories, revisions of a git
// repository, addresses and standard input, and CRDs from Go packages.
package load

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

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/project"
)

// A Reader reads manifests.
type Reader struct {
	// Stdin is the file with the path "-".
	Stdin io.Reader
	// Directory is the directory of relative paths and of the git repository; empty means
	// the current directory.
	Directory string
	// Previous is the result of an earlier Read of the same paths, or nil. Read shares its
	// documents of unchanged files. It reads addresses and revisions only once.
	Previous *manifest.Input
	// Wants reports whether the content of a file matters. If it is nil, all do.
	Wants func(text string) bool
	// Generate generates CRDs from the Go packages that match a pattern. If it is nil, Read
	// accepts no patterns of Go packages.
	Generate func(ctx context.Context, pattern string) (*manifest.Package, error)
	// Render renders the Helm charts of an input. isNamed reports whether the directory of a chart is a path of the
	// input. If Render is nil, templates are left alone.
	Render func(in *manifest.Input, isNamed func(directory string) bool)
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
// Kustomizations are built, and replace the files that they name, unless Wants is set. Problems with one path
// do not affect the others.
func (r Reader) Read(ctx context.Context, paths []string) *manifest.Input {
	in := manifest.NewInputAfter(r.Previous, r.Wants)
	named := map[*manifest.File]bool{}
	for _, path := range paths {
		in.SkipOthers(func() (explicit bool) {
			first, problems := len(in.Documents), len(in.Problems)
			if explicit = r.read(ctx, in, path); !explicit {
				in.Problems = slices.DeleteFunc(in.Problems, func(p manifest.Problem) bool {
					problems--
					return problems < 0 && p.IsForeign
				})
			}
			for _, d := range in.Documents[first:] {
				named[d.File] = explicit
			}
			return explicit
		})
	}
	if r.Wants == nil && r.Render != nil {
		r.Render(in, func(directory string) bool {
			return slices.ContainsFunc(paths, func(path string) bool { return filepath.Clean(path) == directory })
		})
	}
	if r.Wants == nil {
		r.kustomize(in)
	}
	in.SkipParts(func(f *manifest.File) bool { return !named[f] })
	return in
}

// read reads the manifests at a path. It reports whether the path names files, rather than
// a directory or revision that may contain other files, too.
func (r Reader) read(ctx context.Context, in *manifest.Input, path string) (explicit bool) {
	switch {
	case path == "":
		in.Fail(`""`, errors.New("the path is empty"))
		return true
	case path == "-":
		in.Load(&manifest.File{Path: stdinPath}, func() (string, error) { return interruptible(ctx, r.Stdin) })
		return true
	case strings.HasPrefix(path, "https://"):
		in.Load(&manifest.File{Path: path}, func() (string, error) { return fetch(ctx, path) })
		return true
	case strings.HasPrefix(path, "http://"):
		in.Fail(path, errors.New("only https addresses are read"))
		return true
	case r.Generate != nil && manifest.IsGoPattern(path):
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
		in.Fail(path, manifest.Cause(err))
		return true
	}
	revision, err := r.parseRevision(ctx, path)
	if err != nil {
		in.Fail(path, err)
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

// walk reads the manifests in a directory, in lexical order, without those that the settings of a project ignore.
func (r Reader) walk(ctx context.Context, in *manifest.Input, root string) {
	settings := map[string]project.Settings{}
	_ = filepath.WalkDir(r.absolute(root), func(path string, entry fs.DirEntry, err error) error {
		isIgnored := r.ignores(in, settings, path)
		path = r.relative(path, root)
		switch {
		case err != nil:
			in.Fail(path, manifest.Cause(err))
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir() && path != filepath.Clean(root) && IsIgnored(entry.Name()):
			return fs.SkipDir
		case isIgnored && entry.IsDir():
			in.Skip(path, reasonIgnored)
			return fs.SkipDir
		case isIgnored && IsManifestName(entry.Name()):
			in.Skip(path, reasonIgnored)
		case isDevice(entry): // Reading a named pipe may never end.
		case !entry.IsDir() && filepath.Ext(entry.Name()) == ".go":
			in.GoDirectory = root
		case !entry.IsDir() && IsManifestName(entry.Name()):
			r.loadFile(ctx, in, path)
		}
		return nil
	})
}

const reasonIgnored = "ignored by " + project.SettingsFile

// ignores reports whether the settings of a project ignore a file. It keeps those of each directory.
func (r Reader) ignores(in *manifest.Input, settings map[string]project.Settings, path string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	directory := filepath.Dir(path)
	own, ok := settings[directory]
	if !ok {
		if own, err = project.SettingsAt(directory); err != nil {
			name := own.File
			if base, err := filepath.Abs(r.Directory); err == nil {
				if relative, err := filepath.Rel(base, name); err == nil {
					name = relative
				}
			}
			in.Fail(name, manifest.Cause(err))
		}
		settings[directory] = own
	}
	return own.Ignores(path)
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

func (r Reader) loadFile(ctx context.Context, in *manifest.Input, path string) {
	beside := func(suffix string) (string, error) {
		text, err := os.ReadFile(r.absolute(path) + suffix)
		return string(text), err
	}
	in.Load(&manifest.File{Path: path, Writable: true, Beside: beside}, func() (string, error) {
		info, err := os.Stat(r.absolute(path))
		switch {
		case err != nil:
			return "", err
		case !info.Mode().IsRegular():
			return interruptible(ctx, &lazyFile{path: r.absolute(path)})
		case info.Size() > manifest.MaxFile:
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

var errTooLarge = fmt.Errorf("larger than %d MiB", manifest.MaxFile>>20)

// readLimited reads everything up to the limit for a file.
func readLimited(r io.Reader) (string, error) {
	var text strings.Builder
	n, err := io.Copy(&text, io.LimitReader(r, manifest.MaxFile+1))
	if err == nil && n > manifest.MaxFile {
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

// generate adds the CRDs of Go packages, and the mistakes in them.
func (r Reader) generate(ctx context.Context, in *manifest.Input, pattern string) {
	generated, err := r.Generate(ctx, pattern)
	if err != nil {
		in.Fail(pattern, err)
		return
	}
	if len(generated.CRDs) == 0 && len(generated.Findings) == 0 {
		in.Skip(pattern, "the Go packages contain no CRDs")
	}
	in.AddPackage(generated)
}
