package gotypes

import (
	"cmp"
	"go/token"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// files reads Go files.
type files struct {
	read   func(path string) []byte
	name   naming
	byPath map[string]*manifest.File
	// texts belongs to the options.
	texts map[string]string
}

// naming returns the path of a file for people, and whether the file is the user's own. Others may be in
// the module cache.
type naming func(path string) (name string, isOwn bool)

// newFiles returns a reader of files. An unreadable file counts as empty.
func newFiles(read func(path string) []byte, name naming) *files {
	return &files{read: read, name: name, byPath: map[string]*manifest.File{}}
}

func (f *files) file(path string) *manifest.File {
	if f.byPath[path] == nil {
		name, isOwn := f.name(path)
		text, ok := f.texts[name]
		if !ok {
			text = string(f.read(path))
		}
		f.byPath[path] = manifest.NewFile(name, text)
		f.byPath[path].Writable = isOwn
	}
	return f.byPath[path]
}

// between converts the byte offsets from start to end of a file.
func (f *files) between(path string, start, end int) manifest.Place {
	file := f.file(path)
	return manifest.Place{File: file, Range: file.Between(start, end)}
}

// tokens returns the place between two positions of the same file.
func (f *files) tokens(set *token.FileSet, start, end token.Pos) manifest.Place {
	from, to := set.Position(start), set.Position(end)
	return f.between(from.Filename, from.Offset, to.Offset)
}

// parsed converts "FILE:LINE:COLUMN". The range covers the comment or the word that begins
// there. Without a line, it returns the path alone.
func (f *files) parsed(at string) manifest.Place {
	rest, column, ok := cutNumber(at)
	path, line, hasLine := cutNumber(rest)
	if !hasLine {
		path, line, column = rest, column, 1
	}
	if !ok {
		return manifest.Place{File: manifest.NewFile(strings.TrimSuffix(at, ":-"), "")}
	}
	file := f.file(path)
	start, ok := file.LineStart(line - 1)
	if !ok {
		return manifest.Place{File: file}
	}
	start = min(start+column-1, len(file.Text))
	return f.between(path, start, start+wordLength(file.Text[start:]))
}

// first returns the start of the first file of a package.
func (f *files) first(p *packages.Package) manifest.Place {
	if len(p.GoFiles) == 0 {
		return manifest.Place{File: manifest.NewFile(p.PkgPath, "")}
	}
	return f.between(p.GoFiles[0], 0, 0)
}

// cutNumber divides "TEXT:NUMBER".
func cutNumber(s string) (before string, number int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	number, err := strconv.Atoi(s[i+1:])
	return s[:i], number, err == nil
}

// wordLength returns the length of the comment, the word or the character at the start of a
// text.
func wordLength(text string) int {
	if line, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(line, "//") {
		return len(line)
	}
	isWord := func(r rune) bool { return r == '_' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	if n := strings.IndexFunc(text, func(r rune) bool { return !isWord(r) }); n > 0 {
		return n
	}
	_, size := utf8.DecodeRuneInString(text)
	return size
}

// packageProblems returns the errors of packages and their imports. Like controller-gen, it
// omits type errors, because controller-tools checks only the types that it needs.
func packageProblems(roots []*loader.Package, f *files) []manifest.Finding {
	var all []manifest.Finding
	broken := map[string]bool{} // the files with syntax errors
	raw := make([]*packages.Package, len(roots))
	for i, root := range roots {
		raw[i] = root.Package
	}
	known := map[packages.Error]bool{}
	packages.Visit(raw, nil, func(p *packages.Package) {
		for _, e := range p.Errors {
			if e.Kind == packages.TypeError || known[e] {
				continue
			}
			known[e] = true
			place := f.parsed(e.Pos)
			if e.Pos == "" || strings.HasSuffix(e.Pos, ":-") {
				if len(p.Errors) > 1 {
					continue // The others say why.
				}
				place = f.first(p)
			}
			if e.Kind == packages.ParseError && broken[place.Path()] {
				continue // The other syntax errors of a file follow from the first.
			}
			broken[place.Path()] = broken[place.Path()] || e.Kind == packages.ParseError
			all = append(all, manifest.Finding{Place: place, Severity: playground.SeverityError, Message: e.Msg})
		}
	})
	sortProblems(all)
	return all
}

func sortProblems(problems []manifest.Finding) {
	sort.SliceStable(problems, func(i, j int) bool { // Generic code for large structs is large, too.
		a, b := problems[i], problems[j]
		return cmp.Or(cmp.Compare(a.Path(), b.Path()), cmp.Compare(a.Range.Start.Line, b.Range.Start.Line),
			cmp.Compare(a.Range.Start.Character, b.Range.Start.Character), cmp.Compare(a.Message, b.Message)) < 0
	})
}
