package assist

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// completion responds to a completion request.
func (a *Assistant) completion(ctx context.Context, at playground.Cursor) (*playground.Completion, error) {
	if in, err := a.completeComment(ctx, at); in != nil || err != nil {
		return in, err
	}
	restore, err := release.Emulate(at.Scenario)
	if err != nil {
		return nil, err
	}
	defer restore()
	c, err := a.contextAt(ctx, at)
	if err != nil {
		return nil, err
	}
	found := c.complete()
	return &found, nil
}

// complete lists the completion items at the cursor.
func (c *cursorContext) complete() playground.Completion {
	completion := playground.Completion{Range: c.Word, Items: []playground.CompletionItem{}}
	if scope := c.celScope(); scope != nil {
		return scope.Complete(c.celCursor())
	}
	if c.kind == nil || c.Role == tolerant.Nowhere {
		return completion
	}
	schema := c.kind.Root.At(c.Path)
	w := itemWriter{Cursor: c.Cursor, context: c}
	switch c.Role {
	case tolerant.AtKey:
		completion.Items = append(w.nextListItem(), w.fieldItems(schema, c.siblings())...)
	case tolerant.AtValue:
		completion.Items = w.valueItems(schema)
	case tolerant.AtDash:
		completion.Items = w.listItem(schema)
	case tolerant.AtStart:
		completion.Items = w.startItems(schema)
	}
	if completion.Items == nil {
		completion.Items = []playground.CompletionItem{}
	}
	return completion
}

// siblings returns the other keys of the mapping at the cursor.
func (c *cursorContext) siblings() []string {
	var names []string
	for _, child := range c.Nodes[len(c.Nodes)-1].Children {
		if child != c.Entry {
			names = append(names, child.Key)
		}
	}
	return names
}

// itemWriter writes completion items for a place in YAML or JSON.
type itemWriter struct {
	tolerant.Cursor
	context *cursorContext
	// below is set if the items begin in a new line below the key at the cursor.
	below bool
}

// startItems lists the items below a key or after a dash.
func (w *itemWriter) startItems(schema crdschema.Schema) []playground.CompletionItem {
	isAfterDash := w.Entry != nil
	switch {
	case schema.Is("array") && !isAfterDash:
		return append(w.listItem(schema), w.valueItems(schema)...)
	case schema.Is("object"):
		return w.fieldItems(schema, nil)
	}
	return w.valueItems(schema)
}

// listItem returns a new item of a list.
func (w *itemWriter) listItem(list crdschema.Schema) []playground.CompletionItem {
	if list.Schema == nil || !list.Is("array") || w.Flow {
		return nil
	}
	item := list.Child(0)
	s, column := snippet{}, w.Column
	if w.below {
		column = w.keyColumn()
		s.newLine(column)
	}
	s.write("- ")
	s.writeItem(list, column, 0)
	return []playground.CompletionItem{{
		Label: "- item", Kind: playground.ItemField, Detail: item.TypeName(), Description: item.Documentation(),
		Insert: s.source(), Stops: s.stops,
	}}
}

// nextListItem returns another item of the list above the cursor. The dashes of the list
// are in the column of its key.
func (w *itemWriter) nextListItem() []playground.CompletionItem {
	if w.Above == nil || w.Typed != "" {
		return nil
	}
	return w.listItem(w.context.kind.Root.At(jsonvalue.AppendStep(w.Path, w.Above.Key)))
}

// indent returns the column of new fields.
func (w *itemWriter) indent() int {
	if w.below {
		return w.keyColumn() + indentation
	}
	return w.Column
}

// keyColumn returns the column of the key whose value contains the cursor.
func (w *itemWriter) keyColumn() int {
	if w.Entry == nil {
		return w.Column
	}
	return w.context.outline.Key(w.Entry).Start.Character
}

// prefix returns the white space before an item.
func (w *itemWriter) prefix() string {
	switch {
	case w.below:
		return "\n" + strings.Repeat(" ", w.indent())
	case w.NeedsBlank:
		return " "
	}
	return ""
}

// fieldItems lists the fields of an object that are not present yet.
func (w *itemWriter) fieldItems(schema crdschema.Schema, present []string) []playground.CompletionItem {
	if schema.Schema == nil {
		return nil
	}
	items := []playground.CompletionItem{}
	written, required := sets.New(present...), sets.New(schema.Required...).Insert(w.listKeys()...)
	for _, name := range sortFields(schema, w.listKeys(), w.schemaType()) {
		if !written.Has(name) {
			items = append(items, w.fieldItem(schema, name, required.Has(name)))
		}
	}
	return items
}

// listKeys returns the keys of the list whose item contains the cursor.
func (w *itemWriter) listKeys() []string {
	if n := len(w.Path); n > 0 {
		if _, isItem := w.Path[n-1].(int); isItem {
			return w.context.kind.Root.At(w.Path[:n-1]).ListKeys()
		}
	}
	return nil
}

// schemaType returns the type keyword of the mapping at the cursor, for the case that the
// mapping is a schema in a CRD.
func (w *itemWriter) schemaType() string {
	if n := len(w.Nodes); n > 0 {
		return w.Nodes[n-1].Scalar("type")
	}
	return ""
}

func (w *itemWriter) fieldItem(schema crdschema.Schema, name string, isRequired bool) playground.CompletionItem {
	property := schema.Child(name)
	item := playground.CompletionItem{
		Label: name, Kind: playground.ItemField, Detail: property.TypeName(),
		Required:    isRequired && (property.Schema == nil || property.Default == nil),
		Description: property.Documentation(),
	}
	s := snippet{}
	s.write(w.prefix())
	switch {
	case w.HasColon:
		s.write(w.key(name))
	case w.JSON:
		s.writeJSONField(name, property)
	case w.Flow:
		s.writeFlowField(name, property)
	default:
		s.writeField(name, property, w.indent(), 0)
	}
	item.Insert, item.Stops = s.source(), s.stops
	return item
}

func (w *itemWriter) key(name string) string {
	if w.JSON {
		return jsonString(name)
	}
	return yamlString(name)
}

// valueItems lists the values that the schema or the documentation of the API names, and
// the beginnings of objects and lists.
func (w *itemWriter) valueItems(schema crdschema.Schema) []playground.CompletionItem {
	if schema.Schema == nil {
		return w.context.documentedItems(w)
	}
	items := w.context.documentedItems(w)
	add := func(value any, detail, description string) {
		item := w.valueItem(value, detail, description)
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
		items = append(items, w.childItems(schema)...)
	}
	return items
}

func (w *itemWriter) valueItem(value any, detail, description string) playground.CompletionItem {
	source := yamlValue(value)
	if w.JSON || w.Quoted == '"' {
		source = jsonvalue.String(value)
	}
	label := source
	if word, isString := value.(string); isString && word != "" {
		label = word
	}
	return playground.CompletionItem{
		Label: label, Kind: playground.ItemValue, Detail: detail, Description: description,
		Insert: w.prefix() + source, Stops: []int{},
	}
}

// childItems lists the items in a new line below the key of an object or a list.
func (w *itemWriter) childItems(schema crdschema.Schema) []playground.CompletionItem {
	if w.Entry == nil {
		return nil
	}
	below := *w
	below.below = true
	switch {
	case schema.Is("object"):
		return below.fieldItems(schema, nil)
	case schema.Is("array"):
		return below.listItem(schema)
	}
	return nil
}
