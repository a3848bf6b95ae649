package assist

import (
	"context"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/assist/facts"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/expect"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// hover responds to a hover request.
func (a *Assistant) hover(ctx context.Context, at playground.Cursor) (*playground.Hover, error) {
	if text := at.Scenario.Text(at.Document); text != nil && at.Trial == nil && strings.Contains(lineOf(*text, at.Position), "#") {
		if found := expect.HoverComment(*text, at.Position); found != nil {
			return found, nil
		}
	}
	var report playground.Report
	var err error
	if at.Document == playground.DocumentObject && at.Trial == nil {
		if report, err = a.engine.Evaluate(ctx, at.Scenario); err != nil {
			return nil, err
		}
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
	found := c.hover(report.Objects)
	return &found, nil
}

// hover describes the element at the cursor. evaluated holds the objects of the report if
// the document is the object's.
func (c *cursorContext) hover(evaluated []playground.Object) playground.Hover {
	nothing := playground.Hover{Range: c.Word, Facts: []playground.Fact{}}
	if scope := c.celScope(); scope != nil {
		return scope.Hover(c.celCursor())
	}
	if c.kind == nil || c.Entry == nil || c.Role == tolerant.Nowhere {
		return nothing
	}
	path := c.Path
	if c.Role == tolerant.AtKey {
		path = jsonvalue.AppendStep(path, c.Entry.Key)
	}
	if len(path) == 0 {
		return nothing
	}
	schema := c.kind.Root.At(path)
	title := fieldTitle(path)
	if schema.Schema == nil {
		return c.describeUnknownField(path, title, evaluated)
	}
	return playground.Hover{
		Range: c.Word, Title: title, Type: schema.TypeName(), Description: schema.Documentation(),
		Facts: append(c.schemaFacts(schema, path), c.changeFacts(path, evaluated)...),
	}
}

// fieldTitle returns the field name at the end of a path, including list indexes.
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

// changeFacts lists the changes of the value at a path by the stages of the request.
func (c *cursorContext) changeFacts(path []any, evaluated []playground.Object) []playground.Fact {
	f := facts.List{}
	evaluatedObject := c.evaluatedObject(evaluated)
	if evaluatedObject == nil {
		return nil
	}
	at := jsonvalue.PathString(path)
	for _, stage := range evaluatedObject.Stages {
		for _, change := range stage.Changes {
			if change.Path == at {
				f.Add(stage.Name, describeChange(change))
			}
		}
	}
	return f
}

// evaluatedObject returns the report of the object at the cursor, or nil without one.
func (c *cursorContext) evaluatedObject(evaluated []playground.Object) *playground.Object {
	index := 0
	for _, before := range c.outline.Documents[:c.Document] {
		if before.Kind != 0 {
			index++
		}
	}
	if index >= len(evaluated) {
		return nil
	}
	return &evaluated[index]
}

func describeChange(change playground.Change) string {
	description := change.Because
	switch change.Op {
	case playground.ChangeAdd:
		description = "added: " + description
	case playground.ChangeRemove:
		description = "removed: " + description
	case playground.ChangeReplace:
		description = "becomes " + string(change.Value) + ": " + description
	}
	return strings.TrimSuffix(description, ": ")
}

// describeUnknownField describes the consequence of a field that the schema does not
// declare.
func (c *cursorContext) describeUnknownField(path []any, title string, evaluated []playground.Object) playground.Hover {
	hover := playground.Hover{Range: c.Word, Facts: []playground.Fact{}}
	parent := c.kind.Root.At(path[:len(path)-1])
	_, isField := path[len(path)-1].(string)
	if parent.Schema == nil || !isField || c.document == playground.DocumentCRD || c.document == playground.DocumentOldCRD {
		return hover
	}
	hover.Title = title
	hover.Facts = append(hover.Facts, c.changeFacts(path, evaluated)...)
	if crdschema.BoolExtension(parent.Schema, "x-kubernetes-preserve-unknown-fields") || c.kind.Version != "" && c.crd.Storage != nil && c.crd.Storage.PreserveUnknown {
		hover.Description = "Not in the schema. The API server keeps the field, because it preserves unknown fields here."
	} else {
		hover.Description = "Not in the schema. The API server rejects or prunes the field."
	}
	return hover
}

// schemaFacts lists the constraints and rules of the schema at a path.
func (c *cursorContext) schemaFacts(schema crdschema.Schema, path []any) []playground.Fact {
	f := facts.List(constraintFacts(c.kind.Root, schema, path))
	f.AddRules(schema)
	return f
}

// constraintFacts lists the constraints of the schema at a path below root.
func constraintFacts(root, schema crdschema.Schema, path []any) []playground.Fact {
	f := facts.List{}
	if len(path) > 0 {
		parent := root.At(path[:len(path)-1])
		if name, isField := path[len(path)-1].(string); isField && parent.Schema != nil && slices.Contains(parent.Required, name) {
			f.Add("required", "yes")
		}
	}
	f = append(f, valueFacts(schema)...)
	if parent := parentOfDefault(root, schema, path); parent != "" {
		f.Add("default applies", "only if "+parent+" is present")
	}
	return f
}

// parentOfDefault returns the path of the innermost object around a default that an object
// may omit: the API server sets no default below an absent value. It is empty without one.
func parentOfDefault(root, schema crdschema.Schema, path []any) string {
	if schema.Default == nil {
		return ""
	}
	for n := len(path) - 1; n > 0; n-- {
		name, isField := path[n-1].(string)
		parent := root.At(path[:n-1])
		if !isField || parent.Schema == nil {
			return ""
		}
		if property, ok := parent.Properties[name]; !ok || property.Default != nil {
			return ""
		}
		if !slices.Contains(parent.Required, name) {
			return jsonvalue.PathString(path[:n])
		}
	}
	return ""
}

// valueFacts lists the default and the constraints of a value.
func valueFacts(schema crdschema.Schema) []playground.Fact {
	f := facts.List{}
	if schema.Default != nil {
		f.Add("default", jsonvalue.String(schema.Default))
	}
	f.AddValues(schema)
	f.AddBounds(schema)
	f.AddExtensions(schema)
	return f
}
