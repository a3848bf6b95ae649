package assist

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// documentedValue is a value that the documentation of the API lists, but no schema.
type documentedValue struct{ value, description string }

// documentedValues lists the values of the API's documentation by type and field. The
// types of v1 and v1beta1 share them.
var documentedValues = map[string][]documentedValue{
	"CustomResourceDefinitionSpec.scope": {
		{string(apiextensionsv1.NamespaceScoped), "Objects belong to a namespace."},
		{string(apiextensionsv1.ClusterScoped), "Objects do not belong to a namespace."},
	},
	"CustomResourceConversion.strategy": {
		{string(apiextensionsv1.NoneConverter), "Only apiVersion changes between versions."},
		{string(apiextensionsv1.WebhookConverter), "The webhook in spec.conversion.webhook converts objects."},
	},
	"WebhookConversion.conversionReviewVersions": {{"v1", ""}, {"v1beta1", ""}},
	"JSONSchemaProps.type":                       {{"object", ""}, {"array", ""}, {"string", ""}, {"integer", ""}, {"number", ""}, {"boolean", ""}},
	"JSONSchemaProps.x-kubernetes-list-type": {
		{"atomic", "Server-side apply replaces the whole list. The default."},
		{"set", "Items are unique scalars. Field managers own individual items."},
		{"map", "Items are objects with unique x-kubernetes-list-map-keys. Field managers own fields of items."},
	},
	"JSONSchemaProps.x-kubernetes-map-type": {
		{"granular", "Field managers own individual entries. The default."},
		{"atomic", "Server-side apply replaces the whole object."},
	},
	"ValidationRule.reason": {
		{string(apiextensionsv1.FieldValueInvalid), "The default."},
		{string(apiextensionsv1.FieldValueForbidden), ""},
		{string(apiextensionsv1.FieldValueRequired), ""},
		{string(apiextensionsv1.FieldValueDuplicate), ""},
	},
	"CustomResourceColumnDefinition.type":   {{"string", ""}, {"integer", ""}, {"number", ""}, {"boolean", ""}, {"date", "Shown as the time since then."}},
	"CustomResourceColumnDefinition.format": {{"int32", ""}, {"int64", ""}, {"float", ""}, {"double", ""}, {"byte", ""}, {"date", ""}, {"date-time", ""}, {"password", ""}},
}

// documentedFormats lists the formats that the API server validates, by type. They follow
// k8s.io/apiextensions-apiserver/pkg/apiserver/validation/formats.go.
var documentedFormats = map[string][]documentedValue{
	"integer": {{"int32", ""}, {"int64", ""}},
	"number":  {{"float", ""}, {"double", ""}},
	"string": {
		{"date-time", "RFC 3339, such as 2006-01-02T15:04:05Z."},
		{"date", "A full-date of RFC 3339, such as 2006-01-02."},
		{"duration", "A duration for Go's time.ParseDuration, such as 1h30m."},
		{"byte", "Base64."},
		{"password", "Any string; not validated."},
		{"uri", "A URI for Go's url.ParseRequestURI."},
		{"hostname", "RFC 1034, section 3.1."},
		{"ipv4", ""}, {"ipv6", ""}, {"cidr", "An IPv4 or IPv6 network, such as 10.0.0.0/8."}, {"mac", ""}, {"email", ""},
		{"uuid", ""}, {"uuid3", ""}, {"uuid4", ""}, {"uuid5", ""},
		{"k8s-short-name", "A DNS label, such as the name of a Service."},
		{"k8s-long-name", "A DNS subdomain, such as the names of most objects."},
		{"hexcolor", ""}, {"rgbcolor", ""}, {"creditcard", ""}, {"isbn", ""}, {"isbn10", ""}, {"isbn13", ""}, {"ssn", ""}, {"bsonobjectid", ""},
	},
}

// documentedItems lists the documented values of the field at the cursor.
func (c *cursorContext) documentedItems(w *itemWriter) []playground.CompletionItem {
	items := []playground.CompletionItem{}
	for _, v := range c.documentedValues() {
		items = append(items, w.valueItem(v.value, "", v.description))
	}
	return items
}

func (c *cursorContext) documentedValues() []documentedValue {
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
		return documentedFormats[mapping.Scalar("type")]
	case "JSONSchemaProps.required":
		return keyValues(mapping.Child("properties"))
	case "JSONSchemaProps.x-kubernetes-list-map-keys":
		return keyValues(mapping.Child("items").Child("properties"))
	case "CustomResourceColumnDefinition.jsonPath", "SelectableField.jsonPath",
		"CustomResourceSubresourceScale.specReplicasPath", "CustomResourceSubresourceScale.statusReplicasPath", "CustomResourceSubresourceScale.labelSelectorPath":
		return c.jsonPaths(field)
	}
	return documentedValues[owner+"."+field]
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
func keyValues(mapping *tolerant.Node) []documentedValue {
	var values []documentedValue
	if mapping == nil {
		return nil
	}
	for _, child := range mapping.Children {
		values = append(values, documentedValue{child.Key, child.Scalar("description")})
	}
	return values
}

const (
	maxJSONPaths     = 300
	maxJSONPathDepth = 8
)

// jsonPaths lists the paths of the fields of the CRD's version at the cursor.
func (c *cursorContext) jsonPaths(field string) []documentedValue {
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
		list.paths = append(list.paths, documentedValue{".metadata.creationTimestamp", ""}, documentedValue{".metadata.name", ""})
	}
	list.walk(schema, "", 0)
	return list.paths
}

type jsonPathList struct{ paths []documentedValue }

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
			l.paths = append(l.paths, documentedValue{at, property.Scalar("description")})
		}
		l.walk(property, at, depth+1)
	}
}
