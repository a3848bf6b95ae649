package ui

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/crdlab/crdlab/internal/playground"
)

// annotateSchema notes for each line of an object, as objectLines prints it, the
// node of the schema that its value is of. What has no node of its own, such as
// a field that is preserved, has that of the value around it; apiVersion, kind
// and what the metadata holds have none.
func annotateSchema(lines []line, object any, places []playground.SchemaPlace) {
	g := governor{lines: lines, places: map[string]*playground.SchemaPlace{}}
	for i, place := range places {
		g.places[place.Path] = &places[i]
	}
	root, _ := object.(map[string]any)
	for _, key := range sortedLikeYAML(root) {
		place := g.places["properties["+key+"]"]
		switch key {
		case "metadata":
			g.metadata(root[key], place)
		case "apiVersion", "kind":
			g.entry(root[key], place)
		default:
			g.entry(root[key], cmp.Or(place, g.places[""]))
		}
	}
}

// leadPattern is what a line has before its key or its item.
var leadPattern = regexp.MustCompile(`^ *(?:- )*`)

// governor goes through the values of an object and, at the same pace, through
// its lines.
type governor struct {
	lines  []line
	next   int
	places map[string]*playground.SchemaPlace
}

func sortedLikeYAML(mapping map[string]any) []string {
	return slices.SortedFunc(maps.Keys(mapping), func(a, b string) int {
		switch {
		case keyLess(a, b):
			return -1
		case keyLess(b, a):
			return 1
		}
		return 0
	})
}

// entry goes through the line of a key and those of its value.
func (g *governor) entry(value any, at *playground.SchemaPlace) {
	line := g.take(at)
	switch v := value.(type) {
	case map[string]any:
		g.mapping(v, at)
	case []any:
		g.list(v, at)
	default:
		g.rest(at, len(leadPattern.FindString(line)))
	}
}

// metadata is an entry of whose members the schema may know some.
func (g *governor) metadata(value any, at *playground.SchemaPlace) {
	mapping, ok := value.(map[string]any)
	if !ok {
		g.entry(value, at)
		return
	}
	g.take(at)
	for _, key := range sortedLikeYAML(mapping) {
		g.entry(mapping[key], g.below(at, "properties["+key+"]"))
	}
}

func (g *governor) mapping(mapping map[string]any, at *playground.SchemaPlace) {
	for _, key := range sortedLikeYAML(mapping) {
		if isComplexKey(key) {
			g.next = len(g.lines) // its lines are not like those of others
			return
		}
		g.entry(mapping[key], cmp.Or(g.below(at, "properties["+key+"]"), g.below(at, "additionalProperties"), at))
	}
}

func (g *governor) list(list []any, at *playground.SchemaPlace) {
	below := cmp.Or(g.below(at, "items"), at)
	for _, item := range list {
		switch v := item.(type) {
		case map[string]any:
			if len(v) > 0 {
				g.mapping(v, below) // the dash is in the line of the first key
				continue
			}
		case []any:
			if len(v) > 0 {
				g.list(v, below)
				continue
			}
		}
		line := g.take(below)
		g.rest(below, len(leadPattern.FindString(line))-len("- "))
	}
}

// below is the node at the end of a path below another, or nil.
func (g *governor) below(at *playground.SchemaPlace, path string) *playground.SchemaPlace {
	if at == nil {
		return nil
	}
	return g.places[strings.TrimPrefix(at.Path+"."+path, ".")]
}

// take notes the node of the next line that is part of the object.
func (g *governor) take(at *playground.SchemaPlace) string {
	for ; g.next < len(g.lines); g.next++ {
		if l := &g.lines[g.next]; l.mark != markRemoved {
			l.schema = at
			g.next++
			return l.text
		}
	}
	return ""
}

// rest notes the node of the lines that a scalar has below its first one: they
// are indented more than its key or its dash.
func (g *governor) rest(at *playground.SchemaPlace, column int) {
	for ; g.next < len(g.lines); g.next++ {
		l := &g.lines[g.next]
		text := strings.TrimLeft(l.text, " ")
		if l.mark == markRemoved {
			return
		}
		if text != "" && len(l.text)-len(text) <= column {
			return
		}
		l.schema = at
	}
}

// schemaAttributes are the data attributes by which the page finds the schema of
// a line: its path, and from which place to which line it stands in the CRD.
func schemaAttributes(schema *playground.SchemaPlace) templ.Attributes {
	if schema == nil {
		return nil
	}
	at := schema.Range
	return templ.Attributes{
		"data-node":   cmp.Or(schema.Path, "the root of the schema"),
		"data-schema": fmt.Sprintf("%d:%d-%d", at.Start.Line, at.Start.Character, at.End.Line),
	}
}
