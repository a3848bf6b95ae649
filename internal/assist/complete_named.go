package assist

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// A namedValue is one that a field of a CRD may have, though no schema says so.
type namedValue struct{ value, description string }

// namedValues are those of the API's documentation, by type and field; what
// the types have in common is in the v1 and v1beta1 ones.
var namedValues = map[string][]namedValue{
	"CustomResourceDefinitionSpec.scope": {
		{string(apiextensionsv1.NamespaceScoped), "Each object is in a namespace."},
		{string(apiextensionsv1.ClusterScoped), "Objects are in no namespace."},
	},
	"CustomResourceConversion.strategy": {
		{string(apiextensionsv1.NoneConverter), "Only apiVersion changes between versions."},
		{string(apiextensionsv1.WebhookConverter), "A webhook converts; spec.conversion.webhook says which."},
	},
	"WebhookConversion.conversionReviewVersions": {{"v1", ""}, {"v1beta1", ""}},
	"JSONSchemaProps.type":                       {{"object", ""}, {"array", ""}, {"string", ""}, {"integer", ""}, {"number", ""}, {"boolean", ""}},
	"JSONSchemaProps.x-kubernetes-list-type": {
		{"atomic", "The list is replaced as a whole; the default."},
		{"set", "Items are scalars and unique; appliers own items."},
		{"map", "Items are objects with unique x-kubernetes-list-map-keys; appliers own fields of items."},
	},
	"JSONSchemaProps.x-kubernetes-map-type": {
		{"granular", "Appliers own entries; the default."},
		{"atomic", "The object is replaced as a whole."},
	},
	"ValidationRule.reason": {
		{string(apiextensionsv1.FieldValueInvalid), "The default."},
		{string(apiextensionsv1.FieldValueForbidden), ""},
		{string(apiextensionsv1.FieldValueRequired), ""},
		{string(apiextensionsv1.FieldValueDuplicate), ""},
	},
	"CustomResourceColumnDefinition.type":   {{"string", ""}, {"integer", ""}, {"number", ""}, {"boolean", ""}, {"date", "Shown as an age."}},
	"CustomResourceColumnDefinition.format": {{"int32", ""}, {"int64", ""}, {"float", ""}, {"double", ""}, {"byte", ""}, {"date", ""}, {"date-time", ""}, {"password", ""}},
}

// namedFormats are the formats that are validated, by type, from
// k8s.io/apiextensions-apiserver/pkg/apiserver/validation/formats.go.
var namedFormats = map[string][]namedValue{
	"integer": {{"int32", ""}, {"int64", ""}},
	"number":  {{"float", ""}, {"double", ""}},
	"string": {
		{"date-time", "RFC 3339, such as 2006-01-02T15:04:05Z."},
		{"date", "RFC 3339's full date, such as 2006-01-02."},
		{"duration", "As Go's time.ParseDuration reads it, such as 1h30m."},
		{"byte", "Base64."},
		{"password", "Any text; only a hint."},
		{"uri", "As Go's url.ParseRequestURI reads it."},
		{"hostname", "RFC 1034, section 3.1."},
		{"ipv4", ""}, {"ipv6", ""}, {"cidr", "An IPv4 or IPv6 network, such as 10.0.0.0/8."}, {"mac", ""}, {"email", ""},
		{"uuid", ""}, {"uuid3", ""}, {"uuid4", ""}, {"uuid5", ""},
		{"k8s-short-name", "A DNS label, such as the name of a Service."},
		{"k8s-long-name", "A DNS subdomain, such as the names of most objects."},
		{"hexcolor", ""}, {"rgbcolor", ""}, {"creditcard", ""}, {"isbn", ""}, {"isbn10", ""}, {"isbn13", ""}, {"ssn", ""}, {"bsonobjectid", ""},
	},
}

// namedValues lists the values of a field that its schema does not name.
func (p *cursorContext) namedValues(w *writer) []playground.CompletionItem {
	items := []playground.CompletionItem{}
	for _, named := range p.named() {
		items = append(items, w.value(named.value, "", named.description))
	}
	return items
}

func (p *cursorContext) named() []namedValue {
	switch p.document {
	case playground.DocumentCRD, playground.DocumentOldCRD:
	case playground.DocumentAdmission:
		return p.namedInAdmission()
	default:
		return nil
	}
	owner, field := p.fieldAt()
	mapping := p.ownerNode()
	switch owner + "." + field {
	case "JSONSchemaProps.format":
		return namedFormats[mapping.Scalar("type")]
	case "JSONSchemaProps.required":
		return keysOf(mapping.Child("properties"))
	case "JSONSchemaProps.x-kubernetes-list-map-keys":
		return keysOf(mapping.Child("items").Child("properties"))
	case "CustomResourceColumnDefinition.jsonPath", "SelectableField.jsonPath",
		"CustomResourceSubresourceScale.specReplicasPath", "CustomResourceSubresourceScale.statusReplicasPath", "CustomResourceSubresourceScale.labelSelectorPath":
		return p.jsonPaths(field)
	}
	return namedValues[owner+"."+field]
}

// fieldAt is the field whose value, or item, is at the place, and the type that
// it is a field of.
func (p *cursorContext) fieldAt() (owner, field string) {
	path := p.fieldPath()
	if len(path) == 0 {
		return "", ""
	}
	field, _ = path[len(path)-1].(string)
	owner = p.kind.Root.At(path[:len(path)-1]).Name
	return owner[strings.LastIndexByte(owner, '.')+1:], field
}

// fieldPath leads to the field of fieldAt; it is empty if the place is the
// document itself.
func (p *cursorContext) fieldPath() []any {
	if n := len(p.Path); n > 0 {
		if _, isItem := p.Path[n-1].(int); isItem {
			return p.Path[:n-1]
		}
	}
	return p.Path
}

// ownerNode is the mapping that the field of fieldAt is in.
func (p *cursorContext) ownerNode() *tolerant.Node {
	// The place itself is not among the nodes if nothing is there yet.
	at := len(p.fieldPath()) - 1
	if at < 0 || at >= len(p.Nodes) {
		return nil
	}
	return p.Nodes[at]
}

func keysOf(mapping *tolerant.Node) []namedValue {
	var named []namedValue
	if mapping == nil {
		return nil
	}
	for _, child := range mapping.Children {
		named = append(named, namedValue{child.Key, child.Scalar("description")})
	}
	return named
}

const (
	maxJSONPaths     = 300
	maxJSONPathDepth = 8
)

// jsonPaths are the paths of the fields of the version that the place is in.
func (p *cursorContext) jsonPaths(field string) []namedValue {
	root := p.root().Child("spec")
	if len(p.Path) > 2 && p.Path[1] == "versions" && len(p.Nodes) > 3 {
		root = p.Nodes[3]
	}
	schema := root.Child("schema").Child("openAPIV3Schema")
	if schema == nil {
		schema = p.root().Child("spec").Child("validation").Child("openAPIV3Schema")
	}
	list := pathList{}
	if field == "jsonPath" {
		list.paths = append(list.paths, namedValue{".metadata.creationTimestamp", ""}, namedValue{".metadata.name", ""})
	}
	list.walk(schema, "", 0)
	return list.paths
}

type pathList struct{ paths []namedValue }

func (l *pathList) walk(schema *tolerant.Node, path string, depth int) {
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
			l.paths = append(l.paths, namedValue{at, property.Scalar("description")})
		}
		l.walk(property, at, depth+1)
	}
}
