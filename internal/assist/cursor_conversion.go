package assist

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdlab/crdlab/internal/assist/celscope"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// conversionKind returns the type of a document with conversion rules, or nil for a response of a
// webhook. The versions and fields come from the CRD.
func (c *cursorContext) conversionKind() *crdschema.Kind {
	kind := c.root().Scalar("kind")
	isChoice := len(c.Path) == 1 && c.Path[0] == "kind"
	if kind != "" && kind != "APIConversion" && !isChoice || c.crd.Internal == nil {
		return nil
	}
	var versions []string
	for _, v := range c.crd.Internal.Spec.Versions {
		versions = append(versions, v.Name)
	}
	current := c.conversionAtCursor()
	from, to := c.fieldPaths(current.Scalar("from")), c.fieldPaths(current.Scalar("to"))
	rule := objectOf([]string{"field", "destination"}, map[string]spec.Schema{
		"field":          stringOf("The field in objects of version from, as a path with dots.", from...),
		"destination":    stringOf("The field in objects of version to, as a path with dots.", to...),
		"transformation": stringOf("A CEL expression for the new value. Its variable self is the value of the field. Without it, the value is copied."),
	})
	conversion := objectOf([]string{"from", "to", "rules"}, map[string]spec.Schema{
		"from":     stringOf("The version of the object that the API server sends.", versions...),
		"to":       stringOf("The version that the API server wants.", versions...),
		"rules":    listOf("The rules in their order. Other fields keep their paths.", rule),
		"preserve": listOf("Fields that the new version lacks. An annotation keeps them for the way back.", stringOf("", from...)),
	})
	root := objectOf([]string{"kind", "spec"}, map[string]spec.Schema{
		"kind": stringOf("APIConversion for conversion rules, ConversionReview for a response of the webhook.", "APIConversion", "ConversionReview"),
		"spec": objectOf([]string{"conversions"}, map[string]spec.Schema{
			"conversions": listOf("A conversion for each pair of versions, in both directions.", conversion),
		}),
	})
	return &crdschema.Kind{Root: crdschema.Schema{Schema: &root, Types: c.types}}
}

// conversionAtCursor returns the item of spec.conversions at the cursor, or nil.
func (c *cursorContext) conversionAtCursor() *tolerant.Node {
	if len(c.Path) < 3 || len(c.Nodes) < 4 || c.Path[1] != "conversions" {
		return nil
	}
	return c.Nodes[3]
}

// fieldPaths lists the paths of the fields in a version of the CRD.
func (c *cursorContext) fieldPaths(version string) []string {
	var paths []string
	var walk func(props *apiextensions.JSONSchemaProps, path string)
	walk = func(props *apiextensions.JSONSchemaProps, path string) {
		for _, name := range slices.Sorted(maps.Keys(props.Properties)) {
			if len(paths) == maxJSONPaths {
				return
			}
			if property := props.Properties[name]; !strings.Contains(name, ".") {
				paths = append(paths, path+"."+name)
				walk(&property, path+"."+name)
			}
		}
	}
	if schema := c.crd.VersionSchema(version); schema != nil {
		walk(schema, "")
	}
	return paths
}

// transformationScope returns the scope of the transformation at the cursor, whose variable self
// is the value of the field.
func (c *cursorContext) transformationScope() *celscope.Scope {
	conversion := c.conversionAtCursor()
	schema := c.crd.SchemasByVersion()[conversion.Scalar("from")]
	if schema == nil || len(c.Nodes) < 6 {
		return nil
	}
	var path []any
	for _, step := range jsonvalue.SplitJSONPath(c.Nodes[5].Scalar("field")) {
		path = append(path, step)
	}
	node, _ := crdschema.NodeAt(schema, path)
	if node == nil {
		return nil
	}
	isRoot := len(path) == 0 || node.XEmbeddedResource
	if isRoot {
		node = model.WithTypeAndObjectMeta(node)
	}
	self := model.SchemaDeclType(node, isRoot)
	if self == nil {
		return nil
	}
	return celscope.NewValueScope(self, c.crd.KindOfVersion(c.types, conversion.Scalar("from")).Root.At(path))
}

func objectOf(required []string, properties map[string]spec.Schema) spec.Schema {
	return spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"object"}, Required: required, Properties: properties}}
}

func listOf(description string, item spec.Schema) spec.Schema {
	list := crdschema.ListOf(&item)
	list.Description = description
	return *list
}

func stringOf(description string, values ...string) spec.Schema {
	return crdschema.WithEnum(*spec.StringProperty().WithDescription(description), values...)
}
