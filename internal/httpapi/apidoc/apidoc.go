// Package apidoc has the description of the HTTP API: its types as an OpenAPI document, and
// its page.
package apidoc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Document is an OpenAPI 3.1 document, limited to the features that the HTTP
// API uses.
type Document struct {
	OpenAPI string `json:"openapi"`
	Info    Info   `json:"info"`
	Tags    []Tag  `json:"tags"`
	// Paths maps each path to its operations by lower-case method.
	Paths      map[string]map[string]Operation `json:"paths"`
	Components Components                      `json:"components"`
}

// Info describes the API.
type Info struct {
	Title       string  `json:"title"`
	Description string  `json:"description"`
	Version     string  `json:"version"`
	License     License `json:"license"`
}

// License names the API's licence by its SPDX identifier.
type License struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"`
}

// Tag describes a group of operations.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// Components holds the schemas and security schemes that operations refer to.
type Components struct {
	Schemas         map[string]*Schema        `json:"schemas"`
	SecuritySchemes map[string]SecurityScheme `json:"securitySchemes"`
}

// SecurityScheme describes a method of authentication.
type SecurityScheme struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme"`
	Description string `json:"description"`
}

// Operation describes one HTTP method of a path.
type Operation struct {
	OperationID string      `json:"operationId"`
	Tags        []string    `json:"tags"`
	Summary     string      `json:"summary"`
	Description string      `json:"description,omitempty"`
	Parameters  []Parameter `json:"parameters,omitempty"`
	RequestBody *Body       `json:"requestBody,omitempty"`
	// Responses maps status codes to responses.
	Responses map[string]Response   `json:"responses"`
	Security  []map[string][]string `json:"security,omitempty"`
}

// Parameter describes a path, query or header parameter.
type Parameter struct {
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Required    bool    `json:"required"`
	Description string  `json:"description"`
	Schema      *Schema `json:"schema"`
}

// Body describes a request body by media type.
type Body struct {
	Required bool             `json:"required"`
	Content  map[string]Media `json:"content"`
}

// Response describes the response for a status code.
type Response struct {
	Description string            `json:"description"`
	Headers     map[string]Header `json:"headers,omitempty"`
	// Content maps media types to schemas.
	Content map[string]Media `json:"content,omitempty"`
}

// Header describes a response header.
type Header struct {
	Description string  `json:"description"`
	Schema      *Schema `json:"schema"`
}

// Media holds the schema of a media type.
type Media struct {
	Schema *Schema `json:"schema"`
}

// Schema is a JSON Schema. The empty schema accepts any value.
type Schema struct {
	Ref         string     `json:"$ref,omitempty"`
	Description string     `json:"description,omitempty"`
	Type        string     `json:"type,omitempty"`
	Format      string     `json:"format,omitempty"`
	Pattern     string     `json:"pattern,omitempty"`
	Enum        []string   `json:"enum,omitempty"`
	Minimum     *int       `json:"minimum,omitempty"`
	Items       *Schema    `json:"items,omitempty"`
	Properties  Properties `json:"properties,omitempty"`
	Required    []string   `json:"required,omitempty"`
	AnyOf       []*Schema  `json:"anyOf,omitempty"`
	OneOf       []*Schema  `json:"oneOf,omitempty"`
	// AdditionalProperties is a schema or false; nil allows all properties.
	AdditionalProperties any `json:"additionalProperties,omitempty"`
}

// Properties lists the properties of a schema. Its JSON is an object that
// preserves the order.
type Properties []Property

// Property is a named property of an object schema.
type Property struct {
	Name   string
	Schema *Schema
}

// MarshalJSON encodes the properties in their order.
func (p Properties) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	for i, property := range p {
		text, err := json.Marshal(property.Schema)
		if err != nil {
			return nil, err
		}
		out.WriteByte("{,"[min(i, 1)])
		fmt.Fprintf(&out, "%q:%s", property.Name, text)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// UnmarshalJSON decodes the members of an object in their order.
func (p *Properties) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		property := Property{Name: fmt.Sprint(name)}
		if err := decoder.Decode(&property.Schema); err != nil {
			return err
		}
		*p = append(*p, property)
	}
	return nil
}

// entry is an operation with its method and path.
type entry struct {
	method, path string
	Operation
}

// operations returns the operations with a tag, sorted by path and method.
func (d Document) operations(tag string) []entry {
	var entries []entry
	for path, methods := range d.Paths {
		for method, operation := range methods {
			if slices.Contains(operation.Tags, tag) {
				entries = append(entries, entry{strings.ToUpper(method), path, operation})
			}
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.method, b.method)) })
	return entries
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// refName returns the name of the referenced component, or an empty string.
func (s *Schema) refName() string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

// describe describes a schema in English. The name of a referenced component is
// returned separately, between before and after, so that it can be a link.
func (s *Schema) describe() (before, name, after string) {
	switch {
	case s.Ref != "":
		return "", s.refName(), ""
	case s.Items != nil:
		before, name, after = s.Items.describe()
		return "list of " + before, name, after
	case len(s.AnyOf) > 0:
		before, name, after = s.AnyOf[0].describe()
		return before, name, after + " or null"
	case len(s.Enum) > 0:
		return enumText(s.Enum), "", ""
	case s.Type == "":
		return "any JSON value", "", ""
	}
	if values, ok := s.AdditionalProperties.(map[string]any); ok {
		return fmt.Sprintf("object of %ss", values["type"]), "", ""
	}
	return s.Type, "", ""
}

// enumText lists the values of an enumeration.
func enumText(values []string) string {
	shown := make([]string, len(values))
	for i, value := range values {
		shown[i] = cmp.Or(value, `""`)
	}
	return strings.Join(shown, ", ")
}
