package assist

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// complete lists what may stand at the place.
func (p *cursorContext) complete() playground.Completion {
	completion := playground.Completion{Range: p.Word, Items: []playground.CompletionItem{}}
	if scope := p.celScope(); scope != nil {
		return scope.complete(p)
	}
	if p.kind == nil || p.Role == tolerant.Nowhere {
		return completion
	}
	schema := p.kind.Root.At(p.Path)
	w := writer{Cursor: p.Cursor, known: p}
	switch p.Role {
	case tolerant.AtKey:
		completion.Items = append(w.nextItem(), w.fields(schema, p.siblings())...)
	case tolerant.AtValue:
		completion.Items = w.values(schema)
	case tolerant.AtDash:
		completion.Items = w.dash(schema)
	case tolerant.AtStart:
		completion.Items = w.start(schema)
	}
	if completion.Items == nil {
		completion.Items = []playground.CompletionItem{}
	}
	return completion
}

// siblings are the keys that the mapping at the place has already.
func (p *cursorContext) siblings() []string {
	var names []string
	for _, child := range p.Nodes[len(p.Nodes)-1].Children {
		if child != p.Entry {
			names = append(names, child.Key)
		}
	}
	return names
}

// writer makes the items for a place in YAML or JSON.
type writer struct {
	tolerant.Cursor
	known *cursorContext
	// below says that the items begin in a line of their own, below the key
	// that the cursor is behind.
	below bool
}

// start lists what may be below a key or behind a dash.
func (w *writer) start(schema crdschema.Schema) []playground.CompletionItem {
	isBehindDash := w.Entry != nil
	switch {
	case schema.Is("array") && !isBehindDash:
		return append(w.dash(schema), w.values(schema)...)
	case schema.Is("object"):
		return w.fields(schema, nil)
	}
	return w.values(schema)
}

// dash is a new item of a list.
func (w *writer) dash(list crdschema.Schema) []playground.CompletionItem {
	if list.Schema == nil || !list.Is("array") || w.Flow {
		return nil
	}
	item := list.Child(0)
	s, column := skeleton{}, w.Column
	if w.below {
		column = w.keyColumn()
		s.line(column)
	}
	s.write("- ")
	s.item(list, column, 0)
	return []playground.CompletionItem{{
		Label: "- item", Kind: playground.ItemField, Detail: item.TypeName(), Description: item.Documentation(),
		Insert: s.text(), Stops: s.stops,
	}}
}

// nextItem is another item of the list above the cursor, whose dashes are in
// the column of its key.
func (w *writer) nextItem() []playground.CompletionItem {
	if w.Above == nil || w.Typed != "" {
		return nil
	}
	return w.dash(w.known.kind.Root.At(jsonvalue.AppendStep(w.Path, w.Above.Key)))
}

// indent is the column at which fields begin.
func (w *writer) indent() int {
	if w.below {
		return w.keyColumn() + indentation
	}
	return w.Column
}

// keyColumn is the column of the key whose value the cursor is at.
func (w *writer) keyColumn() int {
	if w.Entry == nil {
		return w.Column
	}
	return w.known.outline.Key(w.Entry).Start.Character
}

// lead is what has to come before an item.
func (w *writer) lead() string {
	switch {
	case w.below:
		return "\n" + strings.Repeat(" ", w.indent())
	case w.NeedsBlank:
		return " "
	}
	return ""
}

// fields lists the fields of an object that are not there yet.
func (w *writer) fields(schema crdschema.Schema, present []string) []playground.CompletionItem {
	if schema.Schema == nil {
		return nil
	}
	items := []playground.CompletionItem{}
	for _, name := range w.fieldNames(schema) {
		if slices.Contains(present, name) {
			continue
		}
		items = append(items, w.field(schema, name))
	}
	return items
}

// fieldNames are in the order in which people write them.
func (w *writer) fieldNames(schema crdschema.Schema) []string {
	names := slices.Sorted(maps.Keys(schema.Properties))
	keys := w.listKeys()
	slices.SortStableFunc(names, func(a, b string) int {
		return w.rank(schema, keys, a) - w.rank(schema, keys, b)
	})
	return names
}

// listKeys are the keys of the list that the fields are of an item of.
func (w *writer) listKeys() []string {
	if n := len(w.Path); n > 0 {
		if _, isItem := w.Path[n-1].(int); isItem {
			return w.known.kind.Root.At(w.Path[:n-1]).ListKeys()
		}
	}
	return nil
}

// firstFields come before all others, wherever they are.
var firstFields = []string{"apiVersion", "kind", "metadata"}

// commonFields are those of the metadata and of schemas that most people look for.
var commonFields = []string{"name", "namespace", "labels", "annotations", "type", "description", "properties", "items", "spec"}

func (w *writer) rank(schema crdschema.Schema, keys []string, name string) int {
	isRequired := slices.Contains(schema.Required, name) && schema.Child(name).Default == nil
	switch {
	case slices.Contains(firstFields, name) && isRequired:
		return slices.Index(firstFields, name)
	case slices.Contains(keys, name):
		return 10
	case isRequired:
		return 11
	case slices.Contains(commonFields, name) && (schema.Name != "" || schema.Properties["uid"].Description != ""):
		return 20 + slices.Index(commonFields, name) + w.misplaced(name)
	case name == "status":
		return 90
	}
	return 50 + w.misplaced(name)
}

// misplaced ranks keywords of a schema behind those that fit its type.
func (w *writer) misplaced(name string) int {
	fits, known := fittingTypes[name]
	kind := ""
	if n := len(w.Nodes); n > 0 {
		kind = w.Nodes[n-1].Scalar("type")
	}
	if known && kind != "" && !strings.Contains(fits, kind) {
		return 100
	}
	return 0
}

func (w *writer) field(schema crdschema.Schema, name string) playground.CompletionItem {
	property := schema.Child(name)
	isRequired := slices.Contains(schema.Required, name) || slices.Contains(w.listKeys(), name)
	item := playground.CompletionItem{
		Label: name, Kind: playground.ItemField, Detail: property.TypeName(),
		Required:    isRequired && (property.Schema == nil || property.Default == nil),
		Description: property.Documentation(),
	}
	s := skeleton{}
	s.write(w.lead())
	switch {
	case w.HasColon:
		s.write(w.key(name))
	case w.JSON:
		s.jsonField(name, property)
	case w.Flow:
		s.flowField(name, property)
	default:
		s.field(name, property, w.indent(), 0)
	}
	item.Insert, item.Stops = s.text(), s.stops
	return item
}

func (w *writer) key(name string) string {
	if w.JSON {
		return quoted(name)
	}
	return yamlText(name)
}

// values lists the values that a scalar may have, as far as the schema names
// them, and what other values begin with.
func (w *writer) values(schema crdschema.Schema) []playground.CompletionItem {
	if schema.Schema == nil {
		return w.known.namedValues(w)
	}
	items := w.known.namedValues(w)
	add := func(value any, detail, description string) {
		item := w.value(value, detail, description)
		if !slices.ContainsFunc(items, func(other playground.CompletionItem) bool { return other.Label == item.Label }) {
			items = append(items, item)
		}
	}
	for _, value := range schema.Enum {
		detail := schema.TypeName()
		if schema.Default != nil && fmt.Sprint(value) == fmt.Sprint(schema.Default) {
			detail = "default"
		}
		add(value, detail, "")
	}
	if schema.Default != nil {
		add(schema.Default, "default", schema.Documentation())
	}
	if schema.Is("boolean") {
		add(true, "boolean", "")
		add(false, "boolean", "")
	}
	if schema.Example != nil {
		add(schema.Example, "example", "")
	}
	if schema.Nullable {
		add(nil, "nullable", "")
	}
	if w.Role == tolerant.AtValue && w.Typed == "" && !w.Flow {
		items = append(items, w.beginnings(schema)...)
	}
	return items
}

func (w *writer) value(value any, detail, description string) playground.CompletionItem {
	text := yamlValue(value)
	if w.JSON || w.Quoted == '"' {
		text = jsonvalue.String(value)
	}
	label := text
	if word, isText := value.(string); isText && word != "" {
		label = word
	}
	return playground.CompletionItem{
		Label: label, Kind: playground.ItemValue, Detail: detail, Description: description,
		Insert: w.lead() + text, Stops: []int{},
	}
}

// beginnings are the lines below a key whose value is an object or a list.
func (w *writer) beginnings(schema crdschema.Schema) []playground.CompletionItem {
	if w.Entry == nil {
		return nil
	}
	below := *w
	below.below = true
	switch {
	case schema.Is("object"):
		return below.fields(schema, nil)
	case schema.Is("array"):
		return below.dash(schema)
	}
	return nil
}

// yamlText writes a text as a scalar that is a text to Kubernetes, too, whose
// YAML takes y and on for Booleans.
func yamlText(text string) string {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null", "~":
		return quoted(text)
	}
	encoded, err := yaml.Marshal(text)
	if err != nil || strings.Contains(strings.TrimSpace(string(encoded)), "\n") {
		return quoted(text)
	}
	return strings.TrimSpace(string(encoded))
}

func yamlValue(value any) string {
	if text, isText := value.(string); isText {
		return yamlText(text)
	}
	return jsonvalue.String(value)
}

func quoted(text string) string { return jsonvalue.String(text) }

// fittingTypes are the types that keywords of a schema are about.
var fittingTypes = map[string]string{
	"properties": "object", "additionalProperties": "object", "required": "object", "maxProperties": "object", "minProperties": "object",
	"x-kubernetes-embedded-resource": "object", "x-kubernetes-map-type": "object", "x-kubernetes-preserve-unknown-fields": "object",
	"items": "array", "maxItems": "array", "minItems": "array", "x-kubernetes-list-type": "array", "x-kubernetes-list-map-keys": "array",
	"maxLength": "string", "minLength": "string", "pattern": "string",
	"maximum": "integer number", "minimum": "integer number", "exclusiveMaximum": "integer number", "exclusiveMinimum": "integer number", "multipleOf": "integer number",
	"format":          "string integer number",
	"additionalItems": "none", "definitions": "none", "dependencies": "none", "patternProperties": "none", "uniqueItems": "none", "id": "none", "$ref": "none", "$schema": "none",
}
