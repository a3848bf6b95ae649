package assist

import (
	"strings"

	"github.com/crdlab/crdlab/internal/documented"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// documentedItems lists the documented values of the field at the cursor.
func (c *cursorContext) documentedItems(w *itemWriter) []playground.CompletionItem {
	items := []playground.CompletionItem{}
	for _, v := range c.documentedValues() {
		items = append(items, w.valueItem(v.Value, "", v.Description))
	}
	return items
}

func (c *cursorContext) documentedValues() []documented.Value {
	switch c.document {
	case playground.DocumentCRD, playground.DocumentOldCRD:
	case playground.DocumentAdmission:
		return c.admissionValues()
	default:
		return nil
	}
	owner, field := c.fieldAt()
	mapping := c.ownerNode()
	switch owner + "." + field {
	case "JSONSchemaProps.format":
		return documented.OfFormat(mapping.Scalar("type"))
	case "JSONSchemaProps.required":
		return keyValues(mapping.Child("properties"))
	case "JSONSchemaProps.x-kubernetes-list-map-keys":
		return keyValues(mapping.Child("items").Child("properties"))
	case "CustomResourceColumnDefinition.jsonPath", "SelectableField.jsonPath",
		"CustomResourceSubresourceScale.specReplicasPath", "CustomResourceSubresourceScale.statusReplicasPath", "CustomResourceSubresourceScale.labelSelectorPath":
		return c.jsonPaths(field)
	}
	return documented.OfField(owner + "." + field)
}

// fieldAt returns the field whose value or item is at the cursor, and the name of the type
// that declares the field.
func (c *cursorContext) fieldAt() (owner, field string) {
	path := c.fieldPath()
	if len(path) == 0 {
		return "", ""
	}
	field, _ = path[len(path)-1].(string)
	owner = c.kind.Root.At(path[:len(path)-1]).Name
	return owner[strings.LastIndexByte(owner, '.')+1:], field
}

// fieldPath returns the path of the field of fieldAt. It is empty at the root of the
// document.
func (c *cursorContext) fieldPath() []any {
	if n := len(c.Path); n > 0 {
		if _, isItem := c.Path[n-1].(int); isItem {
			return c.Path[:n-1]
		}
	}
	return c.Path
}

// ownerNode returns the mapping that contains the field of fieldAt, or nil.
func (c *cursorContext) ownerNode() *tolerant.Node {
	// The tree has no node for a value that is not written yet.
	at := len(c.fieldPath()) - 1
	if at < 0 || at >= len(c.Nodes) {
		return nil
	}
	return c.Nodes[at]
}

// keyValues returns the keys of a mapping of schemas as values.
func keyValues(mapping *tolerant.Node) []documented.Value {
	var values []documented.Value
	if mapping == nil {
		return nil
	}
	for _, child := range mapping.Children {
		values = append(values, documented.Value{Value: child.Key, Description: child.Scalar("description")})
	}
	return values
}

const (
	maxJSONPaths     = 300
	maxJSONPathDepth = 8
)

// jsonPaths lists the paths of the fields of the CRD's version at the cursor.
func (c *cursorContext) jsonPaths(field string) []documented.Value {
	root := c.root().Child("spec")
	if len(c.Path) > 2 && c.Path[1] == "versions" && len(c.Nodes) > 3 {
		root = c.Nodes[3]
	}
	schema := root.Child("schema").Child("openAPIV3Schema")
	if schema == nil {
		schema = c.root().Child("spec").Child("validation").Child("openAPIV3Schema")
	}
	var list jsonPathList
	if field == "jsonPath" {
		list.paths = append(list.paths, documented.Value{Value: ".metadata.creationTimestamp"}, documented.Value{Value: ".metadata.name"})
	}
	list.walk(schema, "", 0)
	return list.paths
}

type jsonPathList struct{ paths []documented.Value }

func (l *jsonPathList) walk(schema *tolerant.Node, path string, depth int) {
	properties := schema.Child("properties")
	if properties == nil || depth > maxJSONPathDepth {
		return
	}
	for _, property := range properties.Children {
		if len(l.paths) >= maxJSONPaths || strings.ContainsAny(property.Key, ".[]'\" ") {
			continue
		}
		at := path + "." + property.Key
		if property.Child("properties") == nil {
			l.paths = append(l.paths, documented.Value{Value: at, Description: property.Scalar("description")})
		}
		l.walk(property, at, depth+1)
	}
}
