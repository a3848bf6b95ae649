//go:build !js

package gotypes

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/crdlab/crdlab/internal/manifest"
)

// Load generates the CRDs of the Go packages that match patterns, as the go command finds
// them; without the go command, as [LoadFiles] finds them. directory is the current directory
// of the patterns; empty means the directory of the process. The paths of files in it begin with it.
func Load(ctx context.Context, directory string, patterns []string, o Options) (*manifest.Package, error) {
	first, err := filepath.Abs(filepath.Join(directory, strings.TrimSuffix(patterns[0], "...")))
	if err != nil {
		return nil, err
	}
	if filepath.IsAbs(patterns[0]) {
		first = filepath.Clean(strings.TrimSuffix(patterns[0], "..."))
	}
	if o, err = o.ofProject(first); err != nil {
		return nil, err
	}
	g, err := repeatable(ctx, o, func(ctx context.Context, o Options) (*generated, error) { return load(ctx, directory, patterns, o) })
	if err != nil {
		return nil, err
	}
	p := g.asPackage(strings.Join(patterns, " "))
	if p.Options = o.text; o.text != "" {
		p.OptionsFrom = displayPath(directory, o.source)
	}
	return p, nil
}

func load(ctx context.Context, directory string, patterns []string, o Options) (*generated, error) {
	for _, pattern := range patterns {
		if err := findDirectory(directory, pattern); err != nil {
			return nil, err
		}
	}
	name := func(path string) (string, bool) {
		path = displayPath(directory, path)
		if filepath.IsAbs(path) {
			return path, false
		}
		return filepath.Join(directory, path), true
	}
	if _, err := exec.LookPath("go"); err != nil {
		return loadWithoutGo(directory, patterns, o, name)
	}
	overlay, err := onDisk(directory, o.Texts)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	roots, err := loader.LoadRootsWithConfig(&packages.Config{Context: ctx, Dir: directory, Fset: set, Overlay: overlay}, patterns...)
	if err != nil {
		return nil, err
	}
	for _, root := range roots {
		root.Fset = set // as their loader does later
		replaceSyntax(root, overlay)
	}
	read := func(path string) []byte {
		if !filepath.IsAbs(path) {
			path = filepath.Join(directory, path)
		}
		text, _ := os.ReadFile(path)
		return text
	}
	return generate(roots, newFiles(read, name), o, func(*places) []manifest.Finding { return nil })
}

// onDisk returns the contents of files that exist, by their absolute paths. The paths in texts are
// relative to a directory.
func onDisk(directory string, texts map[string]string) (map[string][]byte, error) {
	base, err := filepath.Abs(directory)
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for path, text := range texts {
		if !filepath.IsAbs(path) {
			path = filepath.Join(base, path)
		}
		if _, err := os.Stat(path); err == nil { // controller-tools reads all files of a package from disk.
			all[path] = []byte(text)
		}
	}
	return all, nil
}

// replaceSyntax parses a package whose files differ from the disk. controller-tools does
// not parse it again.
func replaceSyntax(pkg *loader.Package, overlay map[string][]byte) {
	if !slices.ContainsFunc(pkg.CompiledGoFiles, func(name string) bool { return overlay[name] != nil }) {
		return
	}
	pkg.Syntax = []*ast.File{}
	isRight := true
	for _, name := range pkg.CompiledGoFiles {
		var text any // nil means the text on disk
		if replaced, ok := overlay[name]; ok {
			text = replaced
		}
		file, err := parser.ParseFile(pkg.Fset, name, text, parser.AllErrors|parser.ParseComments)
		if err != nil {
			pkg.AddError(err)
			isRight = false
		}
		pkg.Syntax = append(pkg.Syntax, file)
	}
	if !isRight {
		pkg.Syntax = []*ast.File{}
	}
}

// loadWithoutGo generates the CRDs of directories. The nearest directory above the first one
// that has a file go.mod contains the module.
func loadWithoutGo(directory string, patterns []string, o Options, name naming) (*generated, error) {
	base, err := filepath.Abs(directory)
	if err != nil {
		return nil, err
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return nil, err
	}
	absolute := make([]string, len(patterns))
	for i, pattern := range patterns {
		if isImportPath(pattern) {
			return nil, fmt.Errorf("%s: a directory such as ./api/... is needed without the go command", pattern)
		}
		absolute[i] = filepath.FromSlash(pattern)
		if !filepath.IsAbs(absolute[i]) {
			absolute[i] = filepath.Join(base, absolute[i])
		}
	}
	root, module := moduleAbove(strings.TrimSuffix(absolute[0], "..."), base)
	for i := range absolute {
		if absolute[i], err = filepath.Rel(root, absolute[i]); err != nil {
			return nil, err
		}
		absolute[i] = filepath.ToSlash(absolute[i])
	}
	fileName := func(path string) string { return filepath.Join(root, filepath.FromSlash(path)) }
	s := newSources(os.DirFS(root), module, fileName)
	s.further = s.otherVersions
	return s.generate(absolute, o, name)
}

// moduleAbove returns the nearest directory with a file go.mod at or above a directory, and the
// path of its module. Without go.mod, it returns base: its packages then cannot import each other.
func moduleAbove(directory, base string) (root, module string) {
	for at := filepath.Clean(directory); ; at = filepath.Dir(at) {
		if text, err := os.ReadFile(filepath.Join(at, "go.mod")); err == nil {
			return at, modfile.ModulePath(text)
		}
		if at == filepath.Dir(at) {
			return base, unnamedModule
		}
	}
}

// Text returns Go files of one module as the source of a [playground.GenerateRequest]. Each path is a file,
// or a directory with "...": this means the packages below it that have a group, and for those
// of the module that they import. If the project uses options of controller-gen, a line for "go generate" at the
// end has them, and source is the place that they come from.
func Text(paths []string, o Options) (text, source string, err error) {
	base, err := os.Getwd()
	if err != nil {
		return "", "", err
	}
	absolute := func(path string) string {
		if path = filepath.FromSlash(path); filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(base, path)
	}
	root, module := moduleAbove(filepath.Dir(absolute(paths[0])), base)
	s := newSources(os.DirFS(root), module, func(path string) string { return path })
	for _, path := range paths {
		relative, err := filepath.Rel(root, absolute(path))
		if err != nil {
			return "", "", err
		}
		name := filepath.ToSlash(relative)
		if !strings.HasSuffix(path, "...") {
			if s.texts[name], err = os.ReadFile(path); err != nil {
				return "", "", err
			}
			continue
		}
		if err := findDirectory("", path); err != nil {
			return "", "", err
		}
		directories, err := s.match(name)
		if err != nil {
			return "", "", err
		}
		for _, directory := range directories {
			if s.hasGroup(directory) {
				s.user(directory)
			}
		}
	}
	if len(s.texts) == 0 {
		return "", "", fmt.Errorf("%s: no package has a comment // +groupName=", strings.Join(paths, " "))
	}
	text = joined(s.texts)
	directory, isPattern := strings.CutSuffix(absolute(paths[0]), "...")
	if !isPattern {
		directory = filepath.Dir(directory)
	}
	if o, err = o.ofProject(filepath.Clean(directory)); err != nil {
		return "", "", err
	}
	if written, _ := optionsIn(text); o.text != "" && o.text != written {
		text += "\n" + generateLine + "crd:" + o.text + " paths=./...\n"
	}
	return text, displayPath("", o.source), nil
}

// hasGroup reports whether a file of a directory names the group of its CRDs.
func (s *sources) hasGroup(directory string) bool {
	return slices.ContainsFunc(s.goFiles(directory), func(name string) bool {
		text, err := fs.ReadFile(s.tree, name)
		return err == nil && strings.Contains(string(text), "+groupName=")
	})
}

// joined returns the source that the function divide divides into the same files. A single file has no name there.
func joined(texts map[string][]byte) string {
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if len(texts) > 1 {
			fmt.Fprintf(&all, "// %s\n", name)
		}
		fmt.Fprintln(&all, strings.TrimSuffix(string(texts[name]), "\n"))
	}
	return all.String()
}

// findDirectory returns an error if the directory of a pattern does not exist. The error of
// the go command would not say so.
func findDirectory(base, pattern string) error {
	if isImportPath(pattern) {
		return nil
	}
	path := filepath.FromSlash(strings.TrimSuffix(pattern, "..."))
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return errors.New("no such directory: " + pattern)
	}
	return nil
}

// isImportPath reports whether a pattern begins with an import path, and not with a directory.
func isImportPath(pattern string) bool {
	return !filepath.IsAbs(filepath.FromSlash(pattern)) && !strings.HasPrefix(pattern, ".")
}

// displayPath returns the path of a file relative to a directory if the file is inside it.
func displayPath(directory, path string) string {
	base, err := filepath.Abs(directory)
	if err != nil {
		return path
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return path
	}
	if !filepath.IsAbs(path) {
		return path
	}
	relative, err := filepath.Rel(base, path)
	if err != nil || relative == ".." || strings.HasPrefix(relative, ".."+string(filepath.Separator)) {
		return path
	}
	return relative
}
