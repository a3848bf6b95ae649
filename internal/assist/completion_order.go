package assist

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
)

// firstFields precede all other fields of every object.
var firstFields = []string{"apiVersion", "kind", "metadata"}

// commonFields lists the fields of metadata and of schemas that most users look for.
var commonFields = []string{"name", "namespace", "labels", "annotations", "type", "description", "properties", "items", "spec"}

// sortFields returns the fields of a schema in the conventional order. The keys of the
// list that contains the object follow the first fields. If the object is a schema,
// schemaType is its type keyword.
func sortFields(schema crdschema.Schema, listKeys []string, schemaType string) []string {
	names := slices.Sorted(maps.Keys(schema.Properties))
	required := sets.New(schema.Required...)
	ranks := make(map[string]int, len(names))
	for _, name := range names {
		ranks[name] = rankField(schema, required, listKeys, schemaType, name)
	}
	slices.SortStableFunc(names, func(a, b string) int { return ranks[a] - ranks[b] })
	return names
}

func rankField(schema crdschema.Schema, required sets.Set[string], listKeys []string, schemaType, name string) int {
	isRequired := required.Has(name) && schema.Child(name).Default == nil
	switch {
	case slices.Contains(firstFields, name) && isRequired:
		return slices.Index(firstFields, name)
	case slices.Contains(listKeys, name):
		return 10
	case isRequired:
		return 11
	case slices.Contains(commonFields, name) && (schema.Name != "" || schema.Properties["uid"].Description != ""):
		return 20 + slices.Index(commonFields, name) + rankMisfit(name, schemaType)
	case name == "status":
		return 90
	}
	return 50 + rankMisfit(name, schemaType)
}

// rankMisfit moves schema keywords that do not apply to the schema's type to the end.
func rankMisfit(name, schemaType string) int {
	types, isKeyword := keywordTypes[name]
	if isKeyword && schemaType != "" && !strings.Contains(types, schemaType) {
		return 100
	}
	return 0
}

// keywordTypes lists the types to which a schema keyword applies.
var keywordTypes = map[string]string{
	"properties": "object", "additionalProperties": "object", "required": "object", "maxProperties": "object", "minProperties": "object",
	"x-kubernetes-embedded-resource": "object", "x-kubernetes-map-type": "object", "x-kubernetes-preserve-unknown-fields": "object",
	"items": "array", "maxItems": "array", "minItems": "array", "x-kubernetes-list-type": "array", "x-kubernetes-list-map-keys": "array",
	"maxLength": "string", "minLength": "string", "pattern": "string",
	"maximum": "integer number", "minimum": "integer number", "exclusiveMaximum": "integer number", "exclusiveMinimum": "integer number", "multipleOf": "integer number",
	"format":          "string integer number",
	"additionalItems": "none", "definitions": "none", "dependencies": "none", "patternProperties": "none", "uniqueItems": "none", "id": "none", "$ref": "none", "$schema": "none",
}
