package lsp

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	protocol "github.com/tliron/glsp/protocol_3_16"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// definition returns the schema node of a field, in the CRD or in the Go type that generates
// it. For a name in a rule, it is the schema node of the property.
func (s snapshot) definition(ctx context.Context, t target, cursor playground.Cursor, _ struct{}) (*protocol.Location, error) {
	node := propertyOf(t, cursor)
	if node == nil {
		explained, err := s.explain(ctx, cursor)
		if err != nil || explained.Schema == nil {
			return nil, err
		}
		node = explained.Schema
	}
	return s.location(t.crd.Place(*node)), nil
}

// selection matches a chain of field selections at the end of a string.
var selection = regexp.MustCompile(`\b(?:self|oldSelf)((?:\.\??\w+)+)$`)

// propertyOf returns the schema node of the property that a rule selects from self at a cursor;
// nil elsewhere.
func propertyOf(t target, at playground.Cursor) *playground.Range {
	if at.Document != playground.DocumentCRD {
		return nil
	}
	parsed, _ := source.Parse(t.crd.Text, source.DefaultLimits)
	if len(parsed.Documents) == 0 {
		return nil
	}
	d := parsed.Documents[0]
	path := d.PathAt(at.Position)
	rules := slices.Index(path, any("x-kubernetes-validations"))
	m := selection.FindStringSubmatch(throughWord(lineOf(t.crd.Text, at.Position.Line), at.Position.Character))
	if rules < 0 || m == nil {
		return nil
	}
	path = slices.Clone(path[:rules])
	for name := range strings.SplitSeq(m[1][1:], ".") {
		path = append(path, "properties", strings.TrimPrefix(name, "?"))
	}
	if found, ok := d.At(path...); ok {
		return new(found.Key())
	}
	return nil
}

func lineOf(text string, line int) string {
	for range line {
		_, text, _ = strings.Cut(text, "\n")
	}
	text, _, _ = strings.Cut(text, "\n")
	return text
}

// throughWord returns a line up to the end of the word at an offset in UTF-16 code units.
func throughWord(line string, units int) string {
	end := bytesOf(line, units)
	for end < len(line) && (line[end] == '_' || unicode.IsLetter(rune(line[end])) || unicode.IsDigit(rune(line[end]))) {
		end++
	}
	return line[:end]
}

// references returns the values of a schema node in the objects of the kind: the open ones, and those in the
// folders.
func (s snapshot) references(ctx context.Context, t target, cursor playground.Cursor, p protocol.ReferenceParams) ([]protocol.Location, error) {
	all := []protocol.Location{}
	explained, err := s.explain(ctx, cursor)
	if err != nil || explained.Schema == nil {
		return all, err
	}
	places, err := s.fieldsOf(ctx, t, explained)
	if err != nil {
		return all, err
	}
	if p.Context.IncludeDeclaration {
		places = append(places, t.crd.Place(*explained.Schema))
	}
	for _, place := range places {
		if l := s.location(place); l != nil {
			all = append(all, *l)
		}
	}
	return all, nil
}

// fieldsOf returns the keys of the fields with an explained schema node of a CRD in its objects: the open ones, and
// those in the folders.
func (s snapshot) fieldsOf(ctx context.Context, t target, explained *playground.Explanation) ([]manifest.Place, error) {
	var objects []target
	open := map[string]bool{}
	for _, uri := range slices.Sorted(maps.Keys(s.files)) {
		open[s.files[uri].path] = true
		for _, object := range s.targets(ctx, s.files[uri]) {
			if object.crd != nil && object.crd != object.document && object.crd.Text == t.crd.Text {
				objects = append(objects, object)
			}
		}
	}
	for _, object := range s.workspace.objects(ctx, t.crd.Described) {
		if !open[object.File.Path] {
			objects = append(objects, target{document: object, crd: t.crd})
		}
	}
	var all []manifest.Place
	for _, object := range objects {
		places, err := s.valuesOf(ctx, object, explained)
		if err != nil {
			return nil, err
		}
		all = append(all, places...)
	}
	return all, nil
}

// valuesOf returns the keys in an object whose values have an explained schema node.
func (s snapshot) valuesOf(ctx context.Context, object target, node *playground.Explanation) ([]manifest.Place, error) {
	name := node.Title[strings.LastIndexByte(node.Title, '.')+1:]
	var all []manifest.Place
	for _, e := range outline(object.document) {
		for e := range e.all() {
			// Items and the values of maps have no name of their own.
			if e.name() != name && !strings.HasSuffix(name, "]") {
				continue
			}
			found, err := s.explain(ctx, playground.Cursor{Scenario: object.scenario(s.settings.Release), Document: object.name(), Position: e.key.Start})
			if err != nil {
				return nil, err
			}
			if found.Schema == nil || *found.Schema != *node.Schema {
				continue
			}
			all = append(all, object.document.Place(e.key))
		}
	}
	return all, nil
}
