package assist

import (
	"context"
	"slices"

	"github.com/crdlab/crdlab/internal/assist/facts"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

const (
	// maxFields limits the fields of a tree. The largest CRDs of well-known projects have
	// about 1,500 in each version.
	maxFields = 20_000
	// maxFieldBytes limits the strings of a tree. YAML aliases can repeat a description
	// often, and a response may have 16 MiB.
	maxFieldBytes = 6 << 20
)

// fields responds to a fields request.
func (a *Assistant) fields(ctx context.Context, request playground.FieldsRequest) (*playground.FieldsResult, error) {
	tree := &playground.FieldsResult{Versions: []string{}, ShortNames: []string{}, Fields: []playground.Field{}}
	s, err := engine.SetDefaults(request.Scenario)
	if err != nil {
		return nil, err
	}
	c, err := a.evaluateCRD(ctx, s)
	if err != nil {
		return nil, err
	}
	kind := c.KindOfVersion(a.engine.KubernetesTypes(), request.Version)
	if kind == nil {
		return tree, nil
	}
	for _, version := range c.Internal.Spec.Versions {
		tree.Versions = append(tree.Versions, version.Name)
	}
	tree.Version = kind.Version
	tree.Group, tree.Scope, tree.ShortNames = c.Report.Group, c.Report.Scope, c.Report.Names.ShortNames
	lister := newFieldLister(c, kind, tree)
	root := lister.root()
	tree.Fields = append(tree.Fields, lister.describe(c.Internal.Spec.Names.Kind, 0, root))
	lister.list(root, 1)
	return tree, nil
}

// A fieldLister lists the fields of one version of a CRD.
type fieldLister struct {
	crd   *crd.CRD
	kind  *crdschema.Kind
	rules map[string][]playground.Rule // by the path of their schema node
	tree  *playground.FieldsResult
	bytes int
}

func newFieldLister(c *crd.CRD, kind *crdschema.Kind, tree *playground.FieldsResult) *fieldLister {
	l := &fieldLister{crd: c, kind: kind, rules: map[string][]playground.Rule{}, tree: tree}
	for _, rule := range c.Report.Rules {
		if rule.Version == kind.Version {
			l.rules[rule.SchemaPath] = append(l.rules[rule.SchemaPath], rule)
		}
	}
	return l
}

// A schemaNode is a node of a schema and its location in the CRD.
type schemaNode struct {
	crdschema.Schema
	path     crdschema.Path
	location source.Location
	// isLocated is false if only Kubernetes specifies the node.
	isLocated bool
}

func (l *fieldLister) root() schemaNode {
	root := schemaNode{Schema: l.kind.Root}
	for i, version := range l.crd.Internal.Spec.Versions {
		if version.Name == l.kind.Version {
			root.location, root.isLocated = l.crd.Doc.At(l.crd.SchemaPath(i, nil)...)
		}
	}
	return root
}

// child returns the node at a step: the name of a property, 0 for the items of a list, or
// an empty name for the values of a map.
func (n schemaNode) child(step any) schemaNode {
	child := schemaNode{Schema: n.Child(step)}
	var keys []any
	switch step {
	case 0:
		child.path, keys = n.path.Items(), []any{"items"}
	case "":
		child.path, keys = n.path.Additional(), []any{"additionalProperties"}
	default:
		child.path, keys = n.path.Property(step.(string)), []any{"properties", step}
	}
	if n.isLocated {
		child.location, child.isLocated = n.location.At(keys...)
	}
	return child
}

// list lists the fields of a node, each with the fields of its value.
func (l *fieldLister) list(parent schemaNode, depth int) {
	for _, name := range sortFields(parent.Schema, parent.ListKeys(), "") {
		node := parent.child(name)
		if isMetadata(parent.Schema) && !node.isLocated {
			continue // the fields of metadata are the same in all CRDs
		}
		if len(l.tree.Fields) == maxFields || l.bytes > maxFieldBytes {
			l.tree.Omitted++
			continue
		}
		field := l.describe(name, depth, node)
		field.Required = slices.Contains(parent.Required, name)
		inner := l.describeContents(&field, node)
		l.bytes += fieldBytes(field)
		l.tree.Fields = append(l.tree.Fields, field)
		if inner.Schema.Schema != nil {
			l.list(inner, depth+1)
		}
	}
}

func (l *fieldLister) describe(name string, depth int, node schemaNode) playground.Field {
	field := playground.Field{
		Name: name, Depth: depth, Path: node.path.ValuePath(),
		Type: node.TypeName(), Description: node.Documentation(),
		Facts: []playground.Fact{}, Rules: append([]playground.Rule{}, l.rules[node.path.String()]...),
	}
	if node.Schema.Schema != nil {
		field.Facts = append(field.Facts, fieldFacts(node.Schema)...)
	}
	if node.isLocated {
		field.Range = new(node.location.Key())
	}
	return field
}

// describeContents adds the constraints of the items of a list or the values of a map to
// its field. It returns the innermost node, which has the fields of the value.
func (l *fieldLister) describeContents(field *playground.Field, node schemaNode) schemaNode {
	of := ""
	for {
		step, name := contentsOf(node.Schema)
		if step == nil {
			return node
		}
		node, of = node.child(step), " of "+name+of
		if node.Schema.Schema == nil {
			return node
		}
		if field.Description == "" {
			field.Description = node.Documentation()
		}
		for _, fact := range fieldFacts(node.Schema) {
			field.Facts = append(field.Facts, playground.Fact{Name: fact.Name + of, Text: fact.Text})
		}
		field.Rules = append(field.Rules, l.rules[node.path.String()]...)
	}
}

// contentsOf returns the step from a list to its items, or from a map to its values; nil
// for other values.
func contentsOf(schema crdschema.Schema) (step any, name string) {
	switch {
	case schema.Schema == nil || len(schema.Properties) > 0:
		return nil, ""
	case schema.Items != nil && schema.Items.Schema != nil:
		return 0, "items"
	case schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil:
		return "", "values"
	}
	return nil, ""
}

// fieldFacts lists the default and the constraints of a value, including its alternatives.
func fieldFacts(schema crdschema.Schema) []playground.Fact {
	f := facts.List(valueFacts(schema))
	if crdschema.BoolExtension(schema.Schema, "x-kubernetes-int-or-string") {
		return f // its alternatives are its type
	}
	f.AddAlternatives(schema)
	return f
}

func fieldBytes(field playground.Field) int {
	size := len(field.Name) + len(field.Path) + len(field.Type) + len(field.Description)
	for _, fact := range field.Facts {
		size += len(fact.Name) + len(fact.Text)
	}
	for _, rule := range field.Rules {
		size += len(rule.Rule) + len(rule.Message) + len(rule.MessageExpression)
	}
	return size
}
