package gotypes

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/project"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// maxText limits the source in bytes. The largest packages of public operators need a third of it.
const maxText = 1 << 20

// generateText generates the CRDs of Go source, without the go command. A mistake in the source or in the
// options is a problem in the answer. The only error is the context's.
func generateText(ctx context.Context, s playground.GenerateRequest) (answer *playground.GenerateResult, err error) {
	p := &pasted{answer: playground.GenerateResult{Problems: []playground.GoProblem{}, Origins: []playground.Origin{}}}
	defer func() {
		if cause := recover(); cause != nil {
			p.fail(0, fmt.Sprintf("controller-gen fails for these types: %v", cause), "")
			answer, err = &p.answer, ctx.Err()
		}
	}()
	p.generate(ctx, s)
	all := p.answer.Problems
	sort.SliceStable(all, func(i, j int) bool { // Generic code for large structs is large, too.
		a, b := all[i].Range.Start, all[j].Range.Start
		return a.Line < b.Line || a.Line == b.Line && a.Character < b.Character
	})
	return &p.answer, ctx.Err()
}

// Pasted source is divided into files.
type pasted struct {
	files []pastedFile
	// first has the line of the source on which a file begins, by path.
	first  map[string]int
	answer playground.GenerateResult
	// isTrial reports that only the problems are of interest.
	isTrial bool
}

// A pastedFile is a file in pasted source. header is the line with its name, and first its own first line.
type pastedFile struct {
	txtar.File
	header, first int
}

// generateLine begins a line that calls controller-gen for "go generate".
const generateLine = "//go:generate controller-gen "

// optionsIn returns the options of controller-gen in the last line of the source for "go generate", and the line.
func optionsIn(text string) (options string, line int) {
	for i, l := range strings.Split(text, "\n") {
		if !strings.HasPrefix(l, "//go:generate ") || !strings.Contains(l, "controller-gen") {
			continue
		}
		if found, _, isCRD := project.Arguments(l); isCRD {
			options, line = found, i
		}
	}
	return options, line
}

// fail adds an error at a line of the source.
func (p *pasted) fail(line int, message, hint string) {
	start := playground.Position{Line: line}
	p.answer.Problems = append(p.answer.Problems, playground.GoProblem{
		Range: playground.Range{Start: start, End: start}, Severity: playground.SeverityError, Message: message, Hint: hint, Fixes: []playground.Fix{},
	})
}

func (p *pasted) generate(ctx context.Context, s playground.GenerateRequest) {
	if len(s.Text) > maxText {
		p.fail(0, fmt.Sprintf("The text has %d bytes, but at most %d are read.", len(s.Text), maxText), "Paste only the packages with the types of the CRDs.")
		return
	}
	options, line := s.Options, 0
	if options == "" {
		options, line = optionsIn(s.Text)
	}
	o, err := ParseOptions(options)
	if err != nil {
		p.fail(line, "The options are not valid: "+err.Error(), "")
		return
	}
	o.Conventions = s.Conventions && !p.isTrial
	p.files = divide(s.Text)
	tree, err := txtar.FS(p.archive())
	if err != nil {
		p.fail(0, err.Error(), "")
		return
	}
	g, err := generateFiles(tree, []string{"./..."}, o)
	if err != nil {
		p.fail(0, err.Error(), "")
		return
	}
	fixes := map[int]manifest.Fix{}
	for _, problem := range g.findings {
		if len(problem.Fixes) > 0 {
			fixes[len(p.answer.Problems)] = problem.Fixes[0]
		}
		at, _ := p.rangeOf(problem.Place)
		p.answer.Problems = append(p.answer.Problems, playground.GoProblem{Range: at, Severity: problem.Severity, Message: problem.Message, Hint: problem.Hint, Fixes: []playground.Fix{}})
	}
	if p.isTrial {
		return
	}
	if s.Fixes {
		p.addFixes(ctx, s, fixes)
	}
	line = 0
	for _, crd := range g.crds {
		if g.lacksMarkers { // The page must accept no object that the types are to refuse.
			break
		}
		p.addOrigins(ctx, crd, line)
		p.answer.CRDs += crd.text
		line += strings.Count(crd.text, "\n")
	}
	p.translateFixes(ctx, g, s.CRDFixes)
	switch {
	case len(p.files) == 0 || len(g.crds) > 0 || g.lacksGroup:
	case !strings.Contains(s.Text, "+groupName="):
		p.fail(p.files[0].first, "No package has a group, so there is no CRD.", "Add the comment // +groupName=example.com above the package clause.")
	case !g.failed():
		p.fail(p.files[0].first, "The text declares no kind.", "A kind is a struct that embeds metav1.TypeMeta and metav1.ObjectMeta, with the import k8s.io/apimachinery/pkg/apis/meta/v1.")
	}
}

// archive returns the files whose names are right, and reports the others.
func (p *pasted) archive() *txtar.Archive {
	archive := &txtar.Archive{}
	p.first = map[string]int{}
	for _, file := range p.files {
		name := path.Clean(file.Name)
		if _, ok := p.first[name]; ok {
			p.fail(file.header, fmt.Sprintf("The text has the file %s twice.", name), "Combine them, or change a name.")
			continue
		}
		if !fs.ValidPath(name) {
			p.fail(file.header, file.Name+" is not the path of a file in a module.", "Write a path such as api/v1/types.go.")
			continue
		}
		p.first[name] = file.first
		archive.Files = append(archive.Files, txtar.File{Name: name, Data: file.Data})
	}
	return archive
}

// divide divides source into files: a txtar archive, or source in which lines such as
// "// api/v1/types.go" begin the files. Source before the first name is the file types.go; in
// an archive, it is a comment.
func divide(text string) []pastedFile {
	nameIn, isArchive := commentedName, false
	for line := range strings.Lines(text) {
		if _, isArchive = archivedName(line); isArchive {
			nameIn = archivedName
			break
		}
	}
	var all []pastedFile
	current := pastedFile{File: txtar.File{Name: "types.go"}}
	finish := func() {
		if isNamed := current.first > current.header; isNamed || !isArchive && strings.TrimSpace(string(current.Data)) != "" {
			all = append(all, current)
		}
	}
	// An index counts the same lines as an editor: a carriage return ends a line, too.
	index, offset := yamltext.NewIndex(text), 0
	for line := range strings.Lines(text) {
		start := offset
		offset += len(line)
		name, ok := nameIn(line)
		if !ok {
			current.Data = append(current.Data, line...)
			continue
		}
		finish()
		current = pastedFile{txtar.File{Name: name}, index.Position(start).Line, index.Position(offset).Line}
	}
	finish()
	return all
}

// archivedName returns the name in a line of a txtar archive: "-- NAME --".
func archivedName(line string) (name string, ok bool) {
	name, isStart := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "-- ")
	name, isEnd := strings.CutSuffix(name, " --")
	return strings.TrimSpace(name), isStart && isEnd && strings.TrimSpace(name) != ""
}

// commentedName returns the path in a comment that is only the path of a Go file.
func commentedName(line string) (name string, ok bool) {
	name, ok = strings.CutPrefix(strings.TrimRight(line, " \t\r\n"), "// ")
	return name, ok && strings.HasSuffix(name, ".go") && !strings.ContainsAny(name, " \t")
}

// rangeOf returns the range of a place in the source; ok is false if the source lacks it.
func (p *pasted) rangeOf(place manifest.Place) (r playground.Range, ok bool) {
	first, ok := p.first[place.Path()]
	if !ok {
		return r, false
	}
	r = place.Range
	r.Start.Line += first
	r.End.Line += first
	return r, true
}

// addOrigins adds the origins of a CRD that begins at a line of the answer.
func (p *pasted) addOrigins(ctx context.Context, crd generatedCRD, line int) {
	d := crd.document()
	if d == nil {
		return
	}
	for part := range d.parts {
		if ctx.Err() != nil {
			return
		}
		source, ok := p.rangeOf(part.place)
		if !ok {
			continue
		}
		part.Start.Line += line
		part.End.Line += line
		if last := len(p.answer.Origins) - 1; last >= 0 && p.answer.Origins[last].Source == source && p.answer.Origins[last].Range.End == part.Start {
			p.answer.Origins[last].Range.End = part.End
			continue
		}
		p.answer.Origins = append(p.answer.Origins, playground.Origin{Range: part.Range, Source: source})
	}
}

// A part is a range of a CRD with a Go source.
type part struct {
	playground.Range
	place manifest.Place
}

// maxRule limits the rules that are divided into words, in bytes.
const maxRule = 16 << 10

// parts yields each line of the CRD, and each word of a CEL rule.
func (d *document) parts(yield func(part) bool) {
	var place manifest.Place
	var token func(playground.Range) manifest.Place // nil outside of rules
	root, _ := d.yaml.At()
	// The lines of nodes count from the root.
	start, number := 0, root.Node().Line-root.Value().Start.Line
	paths := map[int][]any{number: {}}
	addPaths(paths, root.Node(), nil)
	for line := range strings.Lines(d.index.Text()) {
		end := start + len(line)
		content := end - len(strings.TrimLeft(line, " -"))
		if path, ok := paths[number]; ok {
			place, token = d.place(path, d.index.Range(content, end)), d.ruleTokens(path)
		}
		number++
		words := []part{{d.index.Range(start, end), place}}
		if token != nil {
			words = d.words(start, content, end, token)
		}
		for _, word := range words {
			if !yield(word) {
				return
			}
		}
		start = end
	}
}

// addPaths adds the path of the last key or item that begins in each line of a node.
func addPaths(paths map[int][]any, node *yaml.Node, path []any) {
	for i, child := range node.Content {
		entry, step := child, any(i)
		if node.Kind == yaml.MappingNode {
			if i%2 == 0 {
				continue
			}
			entry = node.Content[i-1]
			step = entry.Value
		}
		below := append(slices.Clip(path), step)
		paths[entry.Line] = below
		addPaths(paths, child, below)
	}
}

// ruleTokens returns the function that locates a part of the CEL rule at a path; nil if there is
// no rule, or it is too long.
func (d *document) ruleTokens(path []any) func(playground.Range) manifest.Place {
	root, rest, ok := d.schema(path)
	if n := len(path); !ok || n < 3 || path[n-1] != "rule" || path[n-3] != "x-kubernetes-validations" {
		return nil
	}
	found, _ := d.at(root, rest)
	o, comment, rule, ok := d.ruleMarker(found, path)
	if !ok || len(rule.Node().Value) > maxRule {
		return nil
	}
	return func(r playground.Range) manifest.Place { return d.token(o, comment, rule, r) }
}

// words divides the line of a rule from start to end. The blanks before content belong to the
// first word, and those after a word to the word.
func (d *document) words(start, content, end int, token func(playground.Range) manifest.Place) []part {
	text := d.index.Text()
	var all []part
	for start < end {
		to := content + tokenLength(text[content:end])
		word := d.index.Range(content, to)
		to = end - len(strings.TrimLeft(text[to:end], " \n"))
		all = append(all, part{d.index.Range(start, to), token(word)})
		start, content = to, to
	}
	return all
}

// tokenLength returns the length of the word or the other characters at the start of a string.
func tokenLength(text string) int {
	isOther := func(r rune) bool {
		return r != ' ' && r != '\n' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	if n := len(text) - len(strings.TrimLeftFunc(text, isOther)); n > 0 {
		return n
	}
	return wordLength(text)
}
