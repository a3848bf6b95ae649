package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/openapi"

	"github.com/crdlab/crdlab/internal/playground"
)

// A document is an OpenAPI v3 document, without the parts that kubectl does not read.
type document struct {
	Paths      map[string]any `json:"paths"`
	Components struct {
		Schemas map[string]map[string]any `json:"schemas"`
	} `json:"components"`

	kind map[string]any
	// reached holds the names of the schemas that the kind refers to.
	reached map[string]bool
	// fields holds the paths of all fields of the kind.
	fields [][]string
	known  map[string]bool // fields, joined
}

// parse decodes the document of a version.
func parse(published playground.Schema) (*document, error) {
	d := &document{reached: map[string]bool{}, known: map[string]bool{}}
	if err := json.Unmarshal(published.OpenAPIV3, d); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(published.Kind, &d.kind); err != nil {
		return nil, err
	}
	d.walk(d.kind, nil, nil)
	return d, nil
}

// walk adds the fields of a schema. seen lists the references on the way, to stop at a cycle.
func (d *document) walk(node map[string]any, path, seen []string) {
	if reference, _ := node["$ref"].(string); reference != "" {
		name := reference[strings.LastIndex(reference, "/")+1:]
		if !slices.Contains(seen, name) {
			d.reached[name] = true
			d.walk(d.Components.Schemas[name], path, append(slices.Clip(seen), name))
		}
		return
	}
	properties, _ := node["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		property, _ := properties[name].(map[string]any)
		field := append(slices.Clip(path), name)
		if key := strings.Join(field, "\x00"); !d.known[key] {
			d.known[key] = true
			d.fields = append(d.fields, field)
		}
		d.walk(property, field, seen)
	}
	all, _ := node["allOf"].([]any)
	for _, part := range append(all, node["items"], node["additionalProperties"]) {
		if part, ok := part.(map[string]any); ok {
			d.walk(part, path, seen)
		}
	}
}

// encode returns the document of a server that publishes a resource only: the paths of the
// resource, its kind, and the schemas that the kind refers to.
func (d *document) encode(resource schema.GroupVersionResource) ([]byte, error) {
	maps.DeleteFunc(d.Paths, func(path string, _ any) bool { return !strings.HasSuffix(path, "/"+resource.Resource) })
	maps.DeleteFunc(d.Components.Schemas, func(name string, schema map[string]any) bool {
		return !d.reached[name] && schema["x-kubernetes-group-version-kind"] == nil
	})
	return json.Marshal(d)
}

// newServer returns a client of a server that publishes a document.
func newServer(resource schema.GroupVersionResource, document []byte) openapi.Client {
	return server{"apis/" + resource.GroupVersion().String(): groupVersion(document)}
}

type server map[string]openapi.GroupVersion

func (s server) Paths() (map[string]openapi.GroupVersion, error) { return s, nil }

type groupVersion []byte

func (g groupVersion) Schema(string) ([]byte, error) { return g, nil }

func (groupVersion) ServerRelativeURL() string { return "" }
