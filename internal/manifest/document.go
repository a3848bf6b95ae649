// Package manifest divides files into Kubernetes objects. It defines the files, their places, and the
// findings there.
package manifest

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// A File is a file with manifests.
type File struct {
	// Path names the file as the user does: a path, an address, or REVISION:PATH.
	Path string
	Text string
	// Writable reports that Path is a file in the file system.
	Writable bool
	// Beside reads the file whose path has a suffix more; nil without such files.
	Beside func(suffix string) (string, error)

	index *yamltext.Index
}

// Line returns a line of the file, counted from 0, without its line break.
func (f *File) Line(line int) string {
	start, ok := f.LineStart(line)
	if !ok {
		return ""
	}
	rest := f.Text[start:]
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	return strings.TrimSuffix(rest, "\r")
}

// LineAt returns the range of a line, counted from 0, without its line break.
func (f *File) LineAt(line int) playground.Range {
	length := len(utf16.Encode([]rune(f.Line(line))))
	return playground.Range{Start: playground.Position{Line: line}, End: playground.Position{Line: line, Character: length}}
}

// A Document is a Kubernetes object in a file: a CRD, or another object.
type Document struct {
	File *File
	// Text is the YAML or JSON of the object alone. Blanks at its start replace the rest of
	// its first line in the file.
	Text string
	// Range is the range of the object in the file, with the comments before it.
	Range playground.Range
	// Line is the line of the object's first field in the file, counted from 0.
	Line                        int
	APIVersion, Namespace, Name string
	// Kind is the group and kind of the object.
	Kind bundle.Kind
	// IsCRD reports that the object is a CRD, which describes the kind Described.
	IsCRD     bool
	Described bundle.Kind
	// BuiltBy is the file of the kustomization or chart that builds the object; empty for others.
	BuiltBy string
	// Origin, Hint and Translate come from a [GeneratedFile]; nil for a document that is not generated.
	Origin    func(playground.Range) Place
	Hint      func(string) string
	Translate func(context.Context, []edit.Edit) []Edit
	// IsIncomplete reports that a generated CRD may lack parts, because its Go types have errors; nil for others.
	IsIncomplete func() bool
}

// IsGenerated reports whether the document is not in a file of the user.
func (d *Document) IsGenerated() bool { return d.Origin != nil }

// HasLine reports whether a line of the file, counted from 0, belongs to the object or to the comments before it.
func (d *Document) HasLine(line int) bool {
	end := d.Range.End
	return d.Range.Start.Line <= line && (line < end.Line || line == end.Line && end.Character > 0)
}

// Place returns the place of a range in Text: the origin of a generated document. A range in the
// comments before the object means the object, so its place is the object's first line.
func (d *Document) Place(r playground.Range) Place {
	if d.Origin != nil {
		return d.Origin(r)
	}
	at := d.InFile(r)
	if at.Start.Line < d.Line {
		at = d.File.LineAt(d.Line)
	}
	return Place{d.File, at}
}

// Between returns the range of the bytes from start to end.
func (f *File) Between(start, end int) playground.Range { return f.index.Range(start, end) }

// LineStart returns the offset of a line, counted from 0; ok is false if there is no such line.
func (f *File) LineStart(line int) (offset int, ok bool) {
	starts := f.index.Lines()
	if line < 0 || line >= len(starts) {
		return 0, false
	}
	return int(starts[line]), true
}

// Whole returns the range of the whole file.
func (f *File) Whole() playground.Range { return f.index.Range(0, len(f.Text)) }

// NewFile returns a file without documents.
func NewFile(path, text string) *File {
	return &File{Path: path, Text: text, index: yamltext.NewIndex(text)}
}

// InFile returns the range in the file of a range in Text.
func (d *Document) InFile(r playground.Range) playground.Range {
	r.Start.Line += d.Range.Start.Line
	r.End.Line += d.Range.Start.Line
	return r
}

// At returns the range in Text of the value at a path of names and indexes of the object, or
// of the nearest value that contains it.
func (d *Document) At(path ...any) playground.Range {
	parsed, _ := source.Parse(d.Text, source.DefaultLimits)
	if len(parsed.Documents) == 0 || parsed.Documents[0].Empty() {
		return playground.Range{}
	}
	at := parsed.Documents[0].Root()
	found := at.Value()
	for _, step := range path {
		below, ok := at.At(step)
		if !ok {
			break
		}
		at, found = below, below.Key()
	}
	return found
}

// Has reports whether the object has a value at a path of names and indexes.
func (d *Document) Has(path ...any) bool {
	_, ok := d.value(path)
	return ok
}

// Scalar returns the scalar of the object at a path of names and indexes, or an empty string.
func (d *Document) Scalar(path ...any) string {
	at, ok := d.value(path)
	if !ok {
		return ""
	}
	return at.Node().Value
}

func (d *Document) value(path []any) (source.Location, bool) {
	parsed, _ := source.Parse(d.Text, source.DefaultLimits)
	if len(parsed.Documents) == 0 || parsed.Documents[0].Empty() {
		return source.Location{}, false
	}
	return parsed.Documents[0].At(path...)
}

// newDocument returns the document for an object that extends from start to end.
// parsed is the object as a document of its own, with the same lines.
func newDocument(file *File, start, end int, parsed *source.Document) *Document {
	d := &Document{
		File:  file,
		Text:  file.indented(start, end),
		Range: file.index.Range(start, end),
		Kind:  bundle.KindOf(parsed),
	}
	d.Line = d.Range.Start.Line + firstLine(parsed)
	d.APIVersion, _ = parsed.Lookup("apiVersion")
	d.Namespace, _ = parsed.Lookup("metadata", "namespace")
	d.Name, _ = parsed.Lookup("metadata", "name")
	if name, kind, ok := bundle.Described(parsed); ok {
		d.IsCRD, d.Name, d.Described = true, name, kind
	}
	return d
}

// firstLine returns the line of the first field of a document.
func firstLine(d *source.Document) int {
	if d.Err != nil || d.Empty() {
		return 0
	}
	return d.Root().Value().Start.Line
}

// indented returns a part of the file with blanks instead of the rest of its first line.
func (f *File) indented(start, end int) string {
	return strings.Repeat(" ", f.index.Position(start).Character) + f.Text[start:end]
}

// divide adds the documents of a file to the input.
func (in *Input) divide(file *File) {
	file.index = yamltext.NewIndex(file.Text)
	before := in.count()
	for _, chunk := range yamltext.Split(file.Text) {
		if len(in.Documents) >= maxDocuments {
			in.Fail(file.Path, fmt.Errorf("more than %d documents: the rest is not read", maxDocuments))
			return
		}
		if !in.addChunk(file, chunk) {
			return
		}
	}
	if in.count() == before {
		in.others = append(in.others, file)
	}
}

const byteOrderMark = "\ufeff"

// addChunk adds the documents in a part of a file. It returns false if the file is not to
// be read any further.
func (in *Input) addChunk(file *File, chunk yamltext.Chunk) bool {
	if file.Text[:chunk.Start] == byteOrderMark {
		chunk.Start = 0 // Blanks instead of the mark would indent the first line.
	}
	text := file.Text[chunk.Start:chunk.End]
	parsed, err := in.parse(text)
	if len(parsed.Documents) == 0 {
		if err != nil {
			in.Fail(file.at(chunk.Start), err)
		}
		return true
	}
	d := parsed.Documents[0]
	if isTemplate(d) {
		reason := ReasonTemplate
		if slices.Contains(strings.Split(path.Dir(filepath.ToSlash(file.Path)), "/"), "crds") {
			reason = ReasonUnrendered
		}
		in.Skip(file.Path, reason)
		return false
	}
	if hasPlaceholders(file, d) {
		in.Skip(file.Path, ReasonPlaceholders)
		return true
	}
	kind := bundle.KindOf(d)
	switch exceeded := (*source.LimitError)(nil); {
	case errors.As(d.Err, &exceeded):
		in.Fail(file.at(chunk.Start), d.Err)
	case d.Err != nil && isHTML(d.Text):
		in.Fail(file.Path, errHTML)
	case d.Err != nil && kind.Kind == "":
		err := shifted(d.Err, file.index.Position(chunk.Start).Line)
		in.Problems = append(in.Problems, Problem{file.Path, err, !resemblesObject.MatchString(text)})
	case kind.Group == kustomizeGroup: // no object of a cluster
	case isList(d, kind):
		in.addItems(file, chunk.Start, d)
	case kind.Kind != "" && hasAPIVersion(d):
		in.Documents = append(in.Documents, newDocument(file, chunk.Start, chunk.End, d))
	}
	return true
}

// parse parses the next part of a file. After an edit, the parts have the same order.
func (in *Input) parse(text string) (*source.File, error) {
	if in.before == nil {
		return source.Parse(text, source.DefaultLimits)
	}
	var before *source.File
	if i := len(in.parsed); i < len(in.before) {
		before = in.before[i]
	}
	parsed, _, err := source.ParseAfter(before, text, source.DefaultLimits)
	in.parsed = append(in.parsed, parsed)
	return parsed, err
}

// resemblesObject matches the first fields of an object, in YAML or JSON.
var resemblesObject = regexp.MustCompile(`(?m)^[\s{-]*"?(?:apiVersion|kind|metadata|spec)"?\s*:`)

// kustomizeGroup is the API group of the files kustomization.yaml.
const kustomizeGroup = "kustomize.config.k8s.io"

var errHTML = errors.New("an HTML page, not YAML: download the file from its raw address")

// isHTML reports whether source is a page of a website, which people save instead of the file it shows.
func isHTML(text string) bool {
	start := strings.ToLower(strings.TrimSpace(text))
	return strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html")
}

// shifted returns a syntax error of a document that begins in a line of its file.
func shifted(err error, line int) error {
	if failure := (*source.SyntaxError)(nil); errors.As(err, &failure) {
		failure.Range.Start.Line += line
		failure.Range.End.Line += line
	}
	return fmt.Errorf("neither YAML nor JSON: %w", err)
}

// hasAPIVersion reports whether a document names its version. A document with a syntax
// error need not.
func hasAPIVersion(d *source.Document) bool {
	_, ok := d.Lookup("apiVersion")
	return ok || d.Err != nil
}

// isList reports whether a document is a list of objects: a sequence, or an object such as
// a List with items. kubectl sends each item of such an object in its own request.
func isList(d *source.Document, kind bundle.Kind) bool {
	if d.Err != nil || d.Empty() {
		return false
	}
	if d.Root().Node().Kind == yaml.SequenceNode {
		return true
	}
	items, ok := d.At("items")
	return ok && items.Node().Kind == yaml.SequenceNode && strings.HasSuffix(kind.Kind, "List") && hasAPIVersion(d)
}

// addItems adds the items of a list that begins at an offset.
func (in *Input) addItems(file *File, offset int, list *source.Document) {
	items := list.Root()
	if inner, ok := list.At("items"); ok {
		items = inner
	}
	for i := range items.Len() {
		item, ok := items.At(i)
		if !ok || item.Node().Kind != yaml.MappingNode {
			continue
		}
		if len(in.Documents) >= maxDocuments {
			in.Fail(file.Path, fmt.Errorf("more than %d documents: the rest is not read", maxDocuments))
			return
		}
		start, end := list.Layout().Extent(item.Node())
		parsed, _ := source.Parse(file.indented(offset+start, offset+end), source.DefaultLimits)
		if len(parsed.Documents) == 1 && bundle.KindOf(parsed.Documents[0]).Kind != "" {
			in.Documents = append(in.Documents, newDocument(file, offset+start, offset+end, parsed.Documents[0]))
		}
	}
}

// at returns the position of an offset in the notation PATH:LINE.
func (f *File) at(offset int) string {
	return fmt.Sprintf("%s:%d", f.Path, f.index.Position(offset).Line+1)
}

// action matches a template action where YAML has a value or an entry of its own.
var action = regexp.MustCompile(`(?m)^\s*(?:- )*(?:[^\s#'"{][^#'"{]*:[ \t]+)?\{\{`)

// isTemplate reports whether a document becomes YAML only after its template actions were
// executed. Actions in strings and comments do not count.
func isTemplate(d *source.Document) bool {
	if !strings.Contains(d.Text, "{{") {
		return false
	}
	if d.Err != nil {
		return action.MatchString(d.Text)
	}
	return !d.Empty() && hasMappingKey(d.Root().Node())
}

// placeholder matches what Helm, envsubst and make replace.
var placeholder = regexp.MustCompile(`\{\{.*\}\}|\$[({]\w.*[)}]`)

// hasPlaceholders reports whether an object that is YAML already needs values first: a placeholder is in its name
// or namespace, where no cluster accepts it, or an unquoted value is one of envsubst, or the file is a template of a
// Helm chart with actions.
func hasPlaceholders(file *File, d *source.Document) bool {
	if !strings.Contains(d.Text, "{{") && !strings.Contains(d.Text, "$") || d.Err != nil {
		return false
	}
	if strings.Contains(d.Text, "{{") && slices.Contains(strings.Split(path.Dir(filepath.ToSlash(file.Path)), "/"), "templates") {
		return true
	}
	name, _ := d.Lookup("metadata", "name")
	namespace, _ := d.Lookup("metadata", "namespace")
	return placeholder.MatchString(name) || placeholder.MatchString(namespace) || hasVariable(d.Root().Node())
}

// variable matches what envsubst replaces.
var variable = regexp.MustCompile(`^\$(?:\{[A-Z_][A-Z0-9_]*(?::?[-=+?].*)?\}|[A-Z_][A-Z0-9_]*)$`)

// hasVariable reports whether an unquoted scalar is a variable of envsubst.
func hasVariable(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Style == 0 && variable.MatchString(n.Value) || slices.ContainsFunc(n.Content, hasVariable)
}

// hasMappingKey reports whether a key of a mapping is a mapping itself: YAML reads an
// action as such, and JSON does not have it.
func hasMappingKey(n *yaml.Node) bool {
	for i, child := range n.Content {
		isKey := n.Kind == yaml.MappingNode && i%2 == 0
		if isKey && child.Kind == yaml.MappingNode || hasMappingKey(child) {
			return true
		}
	}
	return false
}
