// Package documented has the values that the documentation of the Kubernetes API lists, but no schema.
package documented

import apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

// A Value is a value with its description, which may be empty.
type Value struct{ Value, Description string }

// A named list has values, which are data of the program: a map would need code.
type named []struct {
	name   string
	values []Value
}

func (n named) of(name string) []Value {
	for _, list := range n {
		if list.name == name {
			return list.values
		}
	}
	return nil
}

// OfField returns the values of a field, such as JSONSchemaProps.type.
func OfField(field string) []Value { return fields.of(field) }

// OfFormat returns the formats for a type in a schema.
func OfFormat(typeName string) []Value { return formats.of(typeName) }

// fields lists the values of fields by type and field. The
// types of v1 and v1beta1 share them.
var fields = named{
	{"CustomResourceDefinitionSpec.scope", []Value{
		{string(apiextensionsv1.NamespaceScoped), "Objects belong to a namespace."},
		{string(apiextensionsv1.ClusterScoped), "Objects do not belong to a namespace."},
	}},
	{"CustomResourceConversion.strategy", []Value{
		{string(apiextensionsv1.NoneConverter), "Only apiVersion changes between versions."},
		{string(apiextensionsv1.WebhookConverter), "The webhook in spec.conversion.webhook converts objects."},
	}},
	{"WebhookConversion.conversionReviewVersions", []Value{{"v1", ""}, {"v1beta1", ""}}},
	{"JSONSchemaProps.type", []Value{{"object", ""}, {"array", ""}, {"string", ""}, {"integer", ""}, {"number", ""}, {"boolean", ""}}},
	{"JSONSchemaProps.x-kubernetes-list-type", []Value{
		{"atomic", "Server-side apply replaces the whole list. The default."},
		{"set", "Items are unique scalars. Field managers own individual items."},
		{"map", "Items are objects with unique x-kubernetes-list-map-keys. Field managers own fields of items."},
	}},
	{"JSONSchemaProps.x-kubernetes-map-type", []Value{
		{"granular", "Field managers own individual entries. The default."},
		{"atomic", "Server-side apply replaces the whole object."},
	}},
	{"ValidationRule.reason", []Value{
		{string(apiextensionsv1.FieldValueInvalid), "The default."},
		{string(apiextensionsv1.FieldValueForbidden), ""},
		{string(apiextensionsv1.FieldValueRequired), ""},
		{string(apiextensionsv1.FieldValueDuplicate), ""},
	}},
	{"CustomResourceColumnDefinition.type", []Value{{"string", ""}, {"integer", ""}, {"number", ""}, {"boolean", ""}, {"date", "Shown as the time since then."}}},
	{"CustomResourceColumnDefinition.format", []Value{{"int32", ""}, {"int64", ""}, {"float", ""}, {"double", ""}, {"byte", ""}, {"date", ""}, {"date-time", ""}, {"password", ""}}},
}

// formats lists the formats that the API server validates, by type. They follow
// k8s.io/apiextensions-apiserver/pkg/apiserver/validation/formats.go.
var formats = named{
	{"integer", []Value{{"int32", ""}, {"int64", ""}}},
	{"number", []Value{{"float", ""}, {"double", ""}}},
	{"string", []Value{
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
	}},
}
