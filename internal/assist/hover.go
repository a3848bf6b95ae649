package assist

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// hover describes what is at the place, whose document may be one of the objects
// that were judged.
func (p *cursorContext) hover(judged []playground.Object) playground.Hover {
	nothing := playground.Hover{Range: p.Word, Facts: []playground.Fact{}}
	if scope := p.celScope(); scope != nil {
		return scope.hover(p)
	}
	if p.kind == nil || p.Entry == nil || p.Role == tolerant.Nowhere {
		return nothing
	}
	path := p.Path
	if p.Role == tolerant.AtKey {
		path = jsonvalue.AppendStep(path, p.Entry.Key)
	}
	if len(path) == 0 {
		return nothing
	}
	schema := p.kind.Root.At(path)
	title := fieldTitle(path)
	if schema.Schema == nil {
		return p.unknownField(path, title, judged)
	}
	return playground.Hover{
		Range: p.Word, Title: title, Type: schema.TypeName(), Description: schema.Documentation(),
		Facts: append(p.facts(schema, path), p.fate(path, judged)...),
	}
}

// fieldTitle is the name of the field that a path leads to, with the indexes
// behind it.
func fieldTitle(path []any) string {
	from := len(path) - 1
	for from > 0 {
		if _, isItem := path[from].(int); !isItem {
			break
		}
		from--
	}
	return jsonvalue.PathString(path[from:])
}

// fate is what the stages of the request did to the value at a path.
func (p *cursorContext) fate(path []any, judged []playground.Object) []playground.Fact {
	f := factList{}
	index := 0
	for _, before := range p.outline.Documents[:p.Document] {
		if before.Kind != 0 {
			index++
		}
	}
	if index >= len(judged) {
		return nil
	}
	at := jsonvalue.PathString(path)
	for _, stage := range judged[index].Stages {
		for _, change := range stage.Changes {
			if change.Path == at {
				f.add(stage.Name, changeText(change))
			}
		}
	}
	return f.facts
}

func changeText(change playground.Change) string {
	text := change.Because
	switch change.Op {
	case playground.ChangeAdd:
		text = "added: " + text
	case playground.ChangeRemove:
		text = "removed: " + text
	case playground.ChangeReplace:
		text = "becomes " + string(change.Value) + ": " + text
	}
	return strings.TrimSuffix(text, ": ")
}

// unknownField says what becomes of a field that the schema does not have.
func (p *cursorContext) unknownField(path []any, title string, judged []playground.Object) playground.Hover {
	hover := playground.Hover{Range: p.Word, Facts: []playground.Fact{}}
	parent := p.kind.Root.At(path[:len(path)-1])
	_, isField := path[len(path)-1].(string)
	if parent.Schema == nil || !isField || p.document == playground.DocumentCRD || p.document == playground.DocumentOldCRD {
		return hover
	}
	hover.Title = title
	hover.Facts = append(hover.Facts, p.fate(path, judged)...)
	if crdschema.BoolExtension(parent.Schema, "x-kubernetes-preserve-unknown-fields") || p.kind.Version != "" && p.crd.Storage != nil && p.crd.Storage.PreserveUnknown {
		hover.Description = "Not in the schema, and kept: unknown fields are preserved here."
	} else {
		hover.Description = "Not in the schema: the API server refuses or drops it."
	}
	return hover
}

// facts are what a schema demands and does.
func (p *cursorContext) facts(schema crdschema.Schema, path []any) []playground.Fact {
	f := factList{facts: []playground.Fact{}}
	last := path[len(path)-1]
	parent := p.kind.Root.At(path[:len(path)-1])
	if name, isField := last.(string); isField && parent.Schema != nil && slices.Contains(parent.Required, name) {
		f.add("required", "yes")
	}
	if schema.Default != nil {
		f.add("default", jsonvalue.String(schema.Default))
	}
	f.values(schema)
	f.bounds(schema)
	f.extensions(schema)
	f.rules(schema)
	return f.facts
}

type factList struct{ facts []playground.Fact }

func (f *factList) add(name, text string) {
	f.facts = append(f.facts, playground.Fact{Name: name, Text: text})
}

// maxHoverValues is how many values of an enum are listed.
const maxHoverValues = 20

func (f *factList) values(schema crdschema.Schema) {
	if len(schema.Enum) == 0 {
		return
	}
	var values []string
	for i, value := range schema.Enum {
		if i == maxHoverValues {
			values = append(values, fmt.Sprintf("and %d more", len(schema.Enum)-i))
			break
		}
		values = append(values, jsonvalue.String(value))
	}
	f.add("enum", strings.Join(values, ", "))
}

func (f *factList) bounds(schema crdschema.Schema) {
	if schema.Format != "" {
		f.add("format", schema.Format)
	}
	if schema.Pattern != "" {
		f.add("pattern", schema.Pattern)
	}
	number := func(name string, value *float64, exclusive bool) {
		if value != nil && exclusive {
			f.add(name, fmt.Sprintf("%v, exclusive", *value))
		} else if value != nil {
			f.add(name, fmt.Sprint(*value))
		}
	}
	count := func(name string, value *int64) {
		if value != nil {
			f.add(name, fmt.Sprint(*value))
		}
	}
	number("minimum", schema.Minimum, schema.ExclusiveMinimum)
	number("maximum", schema.Maximum, schema.ExclusiveMaximum)
	number("multipleOf", schema.MultipleOf, false)
	count("minLength", schema.MinLength)
	count("maxLength", schema.MaxLength)
	count("minItems", schema.MinItems)
	count("maxItems", schema.MaxItems)
	count("minProperties", schema.MinProperties)
	count("maxProperties", schema.MaxProperties)
}

func (f *factList) extensions(schema crdschema.Schema) {
	if schema.Nullable {
		f.add("nullable", "yes")
	}
	if kind, ok := schema.Extensions.GetString("x-kubernetes-list-type"); ok {
		if keys := schema.ListKeys(); len(keys) > 0 {
			kind += " by " + strings.Join(keys, ", ")
		}
		f.add("list", kind)
	}
	if kind, ok := schema.Extensions.GetString("x-kubernetes-map-type"); ok {
		f.add("map", kind)
	}
	if crdschema.BoolExtension(schema.Schema, "x-kubernetes-preserve-unknown-fields") {
		f.add("unknown fields", "preserved")
	}
}

func (f *factList) rules(schema crdschema.Schema) {
	rules, _ := schema.Extensions["x-kubernetes-validations"].([]any)
	for _, each := range rules {
		rule, ok := each.(apiextensionsv1.ValidationRule)
		if !ok {
			continue
		}
		text := strings.TrimSpace(rule.Rule)
		if rule.Message != "" {
			text += "\n" + strings.TrimSpace(rule.Message)
		}
		f.add("rule", text)
	}
}
