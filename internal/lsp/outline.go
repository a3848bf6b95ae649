package lsp

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	protocol "github.com/tliron/glsp/protocol_3_16"
	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// An element is a key or an item of a document with its value.
type element struct {
	path []any
	at   source.Location
	// detail is the value of a scalar.
	detail string
	// key is the range of the key or the dash, and value the range of the value, in the document.
	key, value playground.Range
	kind       yaml.Kind
	children   []element
}

// name returns the key, or the index in brackets.
func (e element) name() string {
	switch step := e.path[len(e.path)-1].(type) {
	case string:
		return step
	default:
		return fmt.Sprintf("[%d]", step)
	}
}

// whole returns the range of the key and the value.
func (e element) whole() playground.Range {
	whole := playground.Range{Start: e.key.Start, End: e.value.End}
	if before(whole.End, e.key.End) {
		whole.End = e.key.End
	}
	return whole
}

// all returns the element and all elements below it.
func (e element) all() iter.Seq[element] {
	return func(yield func(element) bool) { e.visit(yield) }
}

func (e element) visit(yield func(element) bool) bool {
	if !yield(e) {
		return false
	}
	for _, child := range e.children {
		if !child.visit(yield) {
			return false
		}
	}
	return true
}

// outline returns the elements of a document. An invalid document has no elements.
func outline(d *manifest.Document) []element {
	parsed, _ := source.Parse(d.Text, source.DefaultLimits)
	if len(parsed.Documents) == 0 || parsed.Documents[0].Err != nil || parsed.Documents[0].Empty() {
		return nil
	}
	return elementsOf(nil, parsed.Documents[0].Root())
}

func elementsOf(path []any, at source.Location) []element {
	var all []element
	add := func(step any, below source.Location) {
		e := element{path: append(slices.Clone(path), step), at: below, key: below.Key(), value: below.Value(), kind: below.Node().Kind}
		if e.kind == yaml.ScalarNode {
			e.detail = below.Node().Value
		}
		e.children = elementsOf(e.path, below)
		all = append(all, e)
	}
	switch node := at.Node(); {
	case node == nil:
	case node.Kind == yaml.MappingNode:
		for key, below := range at.Entries() {
			if below.Node() != nil {
				add(key.Value, below)
			}
		}
		slices.SortFunc(all, func(a, b element) int {
			return cmp.Or(a.key.Start.Line-b.key.Start.Line, a.key.Start.Character-b.key.Start.Character)
		})
	case node.Kind == yaml.SequenceNode:
		for i := range at.Len() {
			if below, ok := at.At(i); ok && below.Node() != nil {
				add(i, below)
			}
		}
	}
	return all
}

// symbolKinds maps the kinds of values to kinds of symbols.
var symbolKinds = map[yaml.Kind]protocol.SymbolKind{
	yaml.MappingNode:  protocol.SymbolKindStruct,
	yaml.SequenceNode: protocol.SymbolKindArray,
	yaml.ScalarNode:   protocol.SymbolKindField,
}

// documentSymbols returns the documents of a file with their fields.
func (s snapshot) documentSymbols(_ context.Context, f *file, _ struct{}) ([]protocol.DocumentSymbol, error) {
	all := []protocol.DocumentSymbol{}
	for _, d := range f.read().Documents {
		at := s.rangeIn(d.File, d.Range)
		all = append(all, protocol.DocumentSymbol{
			Name: strings.TrimSpace(d.Kind.Kind + " " + d.Name), Detail: &d.APIVersion, Kind: protocol.SymbolKindClass,
			Range: at, SelectionRange: at, Children: s.symbols(d, f.outline()[d]),
		})
	}
	return all, nil
}

func (s snapshot) symbols(d *manifest.Document, elements []element) []protocol.DocumentSymbol {
	var all []protocol.DocumentSymbol
	for _, e := range elements {
		symbol := protocol.DocumentSymbol{
			Name: e.name(), Kind: symbolKinds[e.kind], Range: s.rangeIn(d.File, d.InFile(e.whole())), SelectionRange: s.rangeIn(d.File, d.InFile(e.key)),
			Children: s.symbols(d, e.children),
		}
		if e.detail != "" {
			symbol.Detail = new(shortened(e.detail))
		}
		all = append(all, symbol)
	}
	return all
}

// shortened returns the first line of a value, which a list shows.
func shortened(text string) string {
	const most = 60
	text, _, _ = strings.Cut(text, "\n")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// workspaceSymbols returns the CRDs and the Go types of kinds in the folders whose kind or name contains a query.
func (s snapshot) workspaceSymbols(ctx context.Context, p protocol.WorkspaceSymbolParams) ([]protocol.SymbolInformation, error) {
	all := []protocol.SymbolInformation{}
	query := strings.ToLower(p.Query)
	for _, crd := range s.workspace.allCRDs(ctx, s.settings) {
		if !strings.Contains(strings.ToLower(crd.Described.Kind+" "+crd.Name), query) {
			continue
		}
		if place := s.location(crd.Place(crd.At("kind"))); place != nil {
			all = append(all, protocol.SymbolInformation{
				Name: crd.Described.Kind, Kind: protocol.SymbolKindClass, Location: *place, ContainerName: &crd.Described.Group,
			})
		}
	}
	for _, kind := range s.workspace.goKinds() {
		if strings.Contains(strings.ToLower(kind.Message), query) {
			all = append(all, protocol.SymbolInformation{Name: kind.Message, Kind: protocol.SymbolKindStruct, Location: *s.location(kind.Place)})
		}
	}
	return all, nil
}

// foldingRanges returns the values and block scalars that extend over several lines.
func (s snapshot) foldingRanges(_ context.Context, f *file, _ struct{}) ([]protocol.FoldingRange, error) {
	all := []protocol.FoldingRange{}
	for _, d := range f.read().Documents {
		for _, e := range f.outline()[d] {
			for e := range e.all() {
				if r := s.rangeIn(d.File, d.InFile(e.whole())); r.Start.Line < r.End.Line {
					all = append(all, protocol.FoldingRange{StartLine: r.Start.Line, EndLine: r.End.Line})
				}
			}
		}
	}
	return all, nil
}

// selectionRanges returns for each position the value there, and the values around it.
func (s snapshot) selectionRanges(_ context.Context, f *file, p protocol.SelectionRangeParams) ([]protocol.SelectionRange, error) {
	all := []protocol.SelectionRange{}
	for _, at := range p.Positions {
		innermost := protocol.SelectionRange{Range: protocol.Range{Start: at, End: at}}
		for _, d := range f.read().Documents {
			if d.Range.Start.Line > int(at.Line) || d.Range.End.Line < int(at.Line) {
				continue
			}
			position := s.positionFrom(d.File, at)
			position.Line -= d.Range.Start.Line
			innermost = protocol.SelectionRange{Range: s.rangeIn(d.File, d.Range)}
			for _, r := range rangesAround(f.outline()[d], position) {
				innermost = protocol.SelectionRange{Range: s.rangeIn(d.File, d.InFile(r)), Parent: new(innermost)}
			}
		}
		all = append(all, innermost)
	}
	return all, nil
}

// rangesAround returns the ranges of the elements at a position, the outermost first. The
// innermost is the key or the value alone.
func rangesAround(elements []element, p playground.Position) []playground.Range {
	i := slices.IndexFunc(elements, func(e element) bool { return contains(e.whole(), p) })
	if i < 0 {
		return nil
	}
	e := elements[i]
	ranges := []playground.Range{e.whole()}
	switch {
	case contains(e.key, p):
		return append(ranges, e.key)
	case contains(e.value, p):
		ranges = append(ranges, e.value)
	}
	return append(ranges, rangesAround(e.children, p)...)
}
