package ui

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// APIDocument is an OpenAPI 3.1 document, limited to the features that the HTTP
// API uses.
type APIDocument struct {
	OpenAPI string   `json:"openapi"`
	Info    APIInfo  `json:"info"`
	Tags    []APITag `json:"tags"`
	// Paths maps each path to its operations by lower-case method.
	Paths      map[string]map[string]APIOperation `json:"paths"`
	Components APIComponents                      `json:"components"`
}

// APIInfo describes the API.
type APIInfo struct {
	Title       string     `json:"title"`
	Description string     `json:"description"`
	Version     string     `json:"version"`
	License     APILicense `json:"license"`
}

// APILicense names the API's licence by its SPDX identifier.
type APILicense struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"`
}

// APITag describes a group of operations.
type APITag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// APIComponents holds the schemas and security schemes that operations refer to.
type APIComponents struct {
	Schemas         map[string]*APISchema        `json:"schemas"`
	SecuritySchemes map[string]APISecurityScheme `json:"securitySchemes"`
}

// APISecurityScheme describes a method of authentication.
type APISecurityScheme struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme"`
	Description string `json:"description"`
}

// APIOperation describes one HTTP method of a path.
type APIOperation struct {
	OperationID string         `json:"operationId"`
	Tags        []string       `json:"tags"`
	Summary     string         `json:"summary"`
	Description string         `json:"description,omitempty"`
	Parameters  []APIParameter `json:"parameters,omitempty"`
	RequestBody *APIBody       `json:"requestBody,omitempty"`
	// Responses maps status codes to responses.
	Responses map[string]APIResponse `json:"responses"`
	Security  []map[string][]string  `json:"security,omitempty"`
}

// APIParameter describes a path, query or header parameter.
type APIParameter struct {
	Name        string     `json:"name"`
	In          string     `json:"in"`
	Required    bool       `json:"required"`
	Description string     `json:"description"`
	Schema      *APISchema `json:"schema"`
}

// APIBody describes a request body by media type.
type APIBody struct {
	Required bool                `json:"required"`
	Content  map[string]APIMedia `json:"content"`
}

// APIResponse describes the response for a status code.
type APIResponse struct {
	Description string               `json:"description"`
	Headers     map[string]APIHeader `json:"headers,omitempty"`
	// Content maps media types to schemas.
	Content map[string]APIMedia `json:"content,omitempty"`
}

// APIHeader describes a response header.
type APIHeader struct {
	Description string     `json:"description"`
	Schema      *APISchema `json:"schema"`
}

// APIMedia holds the schema of a media type.
type APIMedia struct {
	Schema *APISchema `json:"schema"`
}

// APISchema is a JSON Schema. The empty schema accepts any value.
type APISchema struct {
	Ref         string        `json:"$ref,omitempty"`
	Description string        `json:"description,omitempty"`
	Type        string        `json:"type,omitempty"`
	Format      string        `json:"format,omitempty"`
	Pattern     string        `json:"pattern,omitempty"`
	Enum        []string      `json:"enum,omitempty"`
	Minimum     *int          `json:"minimum,omitempty"`
	Items       *APISchema    `json:"items,omitempty"`
	Properties  APIProperties `json:"properties,omitempty"`
	Required    []string      `json:"required,omitempty"`
	AnyOf       []*APISchema  `json:"anyOf,omitempty"`
	OneOf       []*APISchema  `json:"oneOf,omitempty"`
	// AdditionalProperties is a schema or false; nil allows all properties.
	AdditionalProperties any `json:"additionalProperties,omitempty"`
}

// APIProperties lists the properties of a schema. Its JSON is an object that
// preserves the order.
type APIProperties []APIProperty

// APIProperty is a named property of an object schema.
type APIProperty struct {
	Name   string
	Schema *APISchema
}

// MarshalJSON encodes the properties in their order.
func (p APIProperties) MarshalJSON() ([]byte, error) {
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
func (p *APIProperties) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		return err
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		property := APIProperty{Name: fmt.Sprint(name)}
		if err := decoder.Decode(&property.Schema); err != nil {
			return err
		}
		*p = append(*p, property)
	}
	return nil
}

// apiEntry is an operation with its method and path.
type apiEntry struct {
	method, path string
	APIOperation
}

// operations returns the operations with a tag, sorted by path and method.
func (d APIDocument) operations(tag string) []apiEntry {
	var entries []apiEntry
	for path, methods := range d.Paths {
		for method, operation := range methods {
			if slices.Contains(operation.Tags, tag) {
				entries = append(entries, apiEntry{strings.ToUpper(method), path, operation})
			}
		}
	}
	slices.SortFunc(entries, func(a, b apiEntry) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.method, b.method)) })
	return entries
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// refName returns the name of the referenced component, or an empty string.
func (s *APISchema) refName() string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

// describe describes a schema in English. The name of a referenced component is
// returned separately, between before and after, so that it can be a link.
func (s *APISchema) describe() (before, name, after string) {
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
