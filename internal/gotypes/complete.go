package gotypes

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"

	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/crdlab/crdlab/internal/documented"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// Respond responds to an assist request about Go. It reports false for other requests. The only
// error is the context's.
func Respond(ctx context.Context, request playground.AssistRequest) (response playground.AssistResponse, ok bool, err error) {
	switch {
	case request.Generate != nil:
		response.Generate, err = generateText(ctx, *request.Generate)
	case request.CompleteGo != nil:
		response.CompleteGo = Complete(*request.CompleteGo)
	case request.HoverGo != nil:
		response.HoverGo = Hover(*request.HoverGo)
	default:
		return response, false, nil
	}
	return response, true, err
}

// vocabulary returns the markers of API types, with the help of controller-tools: those for CRDs
// and those for deep copies.
var vocabulary = sync.OnceValue(func() *markers.Registry {
	registry := &markers.Registry{}
	for _, register := range []func(*markers.Registry) error{crd.Generator{}.RegisterMarkers, deepcopy.Generator{}.RegisterMarkers} {
		if err := register(registry); err != nil {
			panic(err) // the definitions are constant
		}
	}
	return registry
})

// Complete lists the markers, or the arguments of the marker, at a position of a Go file. The
// list is empty outside of markers. The file may be incomplete.
func Complete(c playground.GoCursor) *playground.Completion {
	at := playground.Range{Start: c.Position, End: c.Position}
	completion := &playground.Completion{Range: at, Items: []playground.CompletionItem{}}
	m, ok := markerAt(c)
	if !ok {
		return completion
	}
	word := m.before
	if definition, value := m.value(); definition != nil {
		word = value
		completion.Items = valueItems(definition, "")
	} else if definition, arguments := m.arguments(); definition != nil {
		words := words(arguments)
		word = words[len(words)-1]
		completion.Items = argumentItems(definition, words[:len(words)-1], word)
		if _, value, isValue := strings.Cut(word, "="); isValue {
			word = value
		}
	} else {
		completion.Items = m.markerItems()
	}
	completion.Range.Start.Character -= yamltext.UTF16Len(word)
	return completion
}

// Hover describes the marker at a position of a Go file. Its title is empty outside of markers.
func Hover(c playground.GoCursor) *playground.Hover {
	hover := &playground.Hover{Range: playground.Range{Start: c.Position, End: c.Position}, Facts: []playground.Fact{}}
	m, ok := markerAt(c)
	if !ok {
		return hover
	}
	definition := vocabulary().Lookup("+"+m.text, m.target)
	for _, t := range targets {
		if definition == nil {
			definition = vocabulary().Lookup("+"+m.text, t)
		}
	}
	if definition == nil {
		return hover
	}
	hover.Range.Start.Character = m.start
	hover.Range.End.Character = m.start + len(definition.Name)
	hover.Title, hover.Type = "+"+definition.Name, "applies to "+targetNames[definition.Target]
	help := helpOf(definition)
	hover.Description = described(help.DetailedHelp)
	for _, name := range argumentsOf(definition) {
		argument := definition.Fields[name]
		text := argument.TypeString()
		if argument.Optional {
			text += " (optional)"
		}
		if summary := described(help.FieldsHelp(definition)[name]); summary != "" {
			text += ": " + summary
		}
		if name == "" {
			name = "value"
		}
		hover.Facts = append(hover.Facts, playground.Fact{Name: name, Text: text})
	}
	return hover
}

// markerOnLine matches a comment that is a marker, up to its content.
var markerOnLine = regexp.MustCompile(`^\s*//\s*\+`)

// A markerAtCursor is a marker in a file. text is the marker without the plus sign, before is its
// part before the cursor, and start is the column of text in UTF-16 code units.
type markerAtCursor struct {
	text, before string
	start        int
	target       markers.TargetType
}

// markerAt returns the marker at a cursor.
func markerAt(c playground.GoCursor) (m markerAtCursor, ok bool) {
	index := yamltext.NewIndex(c.Text)
	offset := index.Offset(c.Position)
	first := index.LineStart(offset)
	line, after, _ := strings.Cut(c.Text[first:], "\n")
	start := len(markerOnLine.FindString(line))
	if start == 0 || offset < first+start {
		return m, false
	}
	return markerAtCursor{
		text: strings.TrimSpace(line[start:]), before: c.Text[first+start : offset],
		start: yamltext.UTF16Len(line[:start]), target: targetBefore(after),
	}, true
}

// targetBefore returns the target of a marker that precedes source. It looks at the first line of
// code, so that a file that does not parse has completion, too.
func targetBefore(text string) markers.TargetType {
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case line == "" || strings.HasPrefix(line, "//"):
		case strings.HasPrefix(line, "package "):
			return markers.DescribesPackage
		case strings.HasPrefix(line, "type "):
			return markers.DescribesType
		default:
			return markers.DescribesField
		}
	}
	return markers.DescribesType
}

// arguments returns the definition of a marker whose named arguments the cursor is in, and their
// text before the cursor.
func (m markerAtCursor) arguments() (definition *markers.Definition, text string) {
	for _, d := range vocabulary().AllDefinitions() {
		rest, ok := strings.CutPrefix(m.before, d.Name+":")
		if ok && d.Target == m.target && !hasValue(d) && !d.Empty() {
			return d, rest
		}
	}
	return nil, ""
}

// value returns the definition of a marker whose value the cursor is in, and the value before the cursor.
func (m markerAtCursor) value() (definition *markers.Definition, text string) {
	for _, d := range vocabulary().AllDefinitions() {
		if rest, ok := strings.CutPrefix(m.before, d.Name+"="); ok && d.Target == m.target && hasValue(d) {
			return d, rest
		}
	}
	return nil, ""
}

// hasValue reports whether a marker has a value instead of named arguments. A marker that parses
// its content itself has one, too.
func hasValue(d *markers.Definition) bool {
	_, parses := reflect.PointerTo(d.Output).MethodByName("ParseMarker")
	return parses || d.AnonymousField()
}

// markerItems lists the markers of the target.
func (m markerAtCursor) markerItems() []playground.CompletionItem {
	items := []playground.CompletionItem{}
	for _, d := range vocabulary().AllDefinitions() {
		if d.Target != m.target {
			continue
		}
		item := playground.CompletionItem{Label: d.Name, Kind: playground.ItemFunction, Description: described(helpOf(d).DetailedHelp), Insert: d.Name, Stops: []int{}}
		switch {
		case hasValue(d):
			item.Detail = d.Fields[argumentsOf(d)[0]].TypeString()
			item.Insert += "="
		case !d.Empty():
			item.Detail = strings.Join(argumentsOf(d), ", ")
			item.Insert += ":"
		}
		items = append(items, item)
	}
	sort.SliceStable(items, func(i, j int) bool { return items[i].Label < items[j].Label }) // Generic code for large structs is large, too.
	return items
}

// argumentItems lists the arguments of a marker that are not among others, or the values of the
// argument that a word begins.
func argumentItems(d *markers.Definition, others []string, word string) []playground.CompletionItem {
	if name, _, isValue := strings.Cut(word, "="); isValue {
		return valueItems(d, name)
	}
	items := []playground.CompletionItem{}
	help := helpOf(d).FieldsHelp(d)
	for _, name := range argumentsOf(d) {
		if !slices.ContainsFunc(others, func(other string) bool { return strings.HasPrefix(other, name+"=") }) {
			items = append(items, playground.CompletionItem{
				Label: name, Kind: playground.ItemField, Detail: d.Fields[name].TypeString(), Required: !d.Fields[name].Optional,
				Description: described(help[name]), Insert: name + "=", Stops: []int{},
			})
		}
	}
	return items
}

// documentedArguments maps arguments, and markers with a value, to the fields of CRDs that they set.
var documentedArguments = map[string]string{
	"listType": "JSONSchemaProps.x-kubernetes-list-type", "mapType": "JSONSchemaProps.x-kubernetes-map-type", "structType": "JSONSchemaProps.x-kubernetes-map-type",
	"kubebuilder:validation:Type": "JSONSchemaProps.type", "kubebuilder:validation:XValidation:reason": "ValidationRule.reason",
	"kubebuilder:resource:scope": "CustomResourceDefinitionSpec.scope", "kubebuilder:printcolumn:type": "CustomResourceColumnDefinition.type",
	"kubebuilder:printcolumn:format": "CustomResourceColumnDefinition.format",
}

// valueItems lists the values of an argument, or of a marker if the argument's name is empty.
func valueItems(d *markers.Definition, argument string) []playground.CompletionItem {
	name := strings.Replace(strings.TrimSuffix(d.Name+":"+argument, ":"), crdmarkers.ValidationItemsPrefix, "kubebuilder:validation:", 1)
	values := documented.OfField(documentedArguments[name])
	if name == "kubebuilder:validation:Format" {
		values = slices.Concat(documented.OfFormat("string"), documented.OfFormat("integer"), documented.OfFormat("number"))
	}
	if d.Fields[argument].Type == markers.BoolType {
		values = []documented.Value{{Value: "true"}, {Value: "false"}}
	}
	items := []playground.CompletionItem{}
	for _, v := range values {
		items = append(items, playground.CompletionItem{Label: v.Value, Kind: playground.ItemValue, Description: v.Description, Insert: v.Value, Stops: []int{}})
	}
	return items
}

// argumentsOf returns the names of a marker's arguments, the required ones first.
func argumentsOf(d *markers.Definition) []string {
	names := slices.Sorted(maps.Keys(d.Fields))
	slices.SortStableFunc(names, func(a, b string) int {
		switch {
		case d.Fields[a].Optional == d.Fields[b].Optional:
			return 0
		case d.Fields[a].Optional:
			return 1
		}
		return -1
	})
	return names
}

func helpOf(d *markers.Definition) *markers.DefinitionHelp {
	if help := vocabulary().HelpFor(d); help != nil {
		return help
	}
	return &markers.DefinitionHelp{}
}

func described(help markers.DetailedHelp) string {
	return strings.TrimSpace(fmt.Sprintf("%s\n\n%s", help.Summary, help.Details))
}

// words divides the arguments of a marker at the commas outside of strings, lists and maps.
func words(text string) []string {
	all, from, depth, quote := []string{}, 0, 0, byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote && (quote == '`' || i == 0 || text[i-1] != '\\') {
				quote = 0
			}
		case c == '"' || c == '`':
			quote = c
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ',' && depth == 0:
			all, from = append(all, text[from:i]), i+1
		}
	}
	return append(all, text[from:])
}
