package httpapi

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/httpapi/apidoc"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// sources lists the directories of the documented types. Their Go comments become
// descriptions.
var sources = []string{".", "../playground", "../examples"}

// generator generates the OpenAPI document from the operations.
type generator struct {
	comments map[string]string   // by Type and Type.Field
	enums    map[string][]string // by Type
	types    map[string]string   // of named types, by Type.Field
	schemas  map[string]*apidoc.Schema
}

func newGenerator(t *testing.T) generator {
	t.Helper()
	g := generator{comments: map[string]string{}, enums: map[string][]string{}, types: map[string]string{}, schemas: map[string]*apidoc.Schema{}}
	for _, directory := range sources {
		g.read(t, directory)
	}
	return g
}

// generateContract describes the types that the page exchanges with the engine and
// the server. It has schemas only: the page's types are generated from it.
func generateContract(t *testing.T) apidoc.Document {
	t.Helper()
	g := newGenerator(t)
	for _, value := range []any{
		playground.View{}, playground.Answer{}, playground.AssistResponse{}, playground.Report{}, examples.Example{}, problemDocument{}, linkResponse{},
	} {
		g.schema(reflect.TypeOf(value))
	}
	g.schemas["AssistRequest"] = g.alternatives(reflect.TypeFor[playground.AssistRequest]())
	return apidoc.Document{
		OpenAPI:    "3.1.0",
		Info:       apidoc.Info{Title: "The types that the page shares with the engine and the server", Version: "1"},
		Tags:       []apidoc.Tag{},
		Paths:      map[string]map[string]apidoc.Operation{},
		Components: apidoc.Components{Schemas: g.schemas, SecuritySchemes: map[string]apidoc.SecurityScheme{}},
	}
}

func generate(t *testing.T) apidoc.Document {
	t.Helper()
	g := newGenerator(t)
	document := apidoc.Document{
		OpenAPI: "3.1.0",
		Info: apidoc.Info{
			Title:       "The HTTP API of crdlab",
			Description: "Evaluates CustomResourceDefinitions and objects as a Kubernetes API server would, and explains the result. Errors are problem details (RFC 9457).",
			Version:     "1",
			License:     apidoc.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
		},
		Tags:  tags,
		Paths: map[string]map[string]apidoc.Operation{},
	}
	for _, o := range operations {
		method, pattern, _ := strings.Cut(o.route, " ")
		pattern = strings.Replace(pattern, "*", "{name}", 1)
		if document.Paths[pattern] == nil {
			document.Paths[pattern] = map[string]apidoc.Operation{}
		}
		document.Paths[pattern][strings.ToLower(method)] = g.operation(o, pattern)
	}
	// The server rejects unknown fields in request bodies.
	for _, body := range []string{"Scenario", "View", "Cursor", "SampleRequest", "FormatRequest"} {
		g.schemas[body].AdditionalProperties = false
	}
	document.Components = apidoc.Components{
		Schemas: g.schemas,
		SecuritySchemes: map[string]apidoc.SecurityScheme{
			"operator": {Type: "http", Scheme: "bearer", Description: "The server's operator token."},
		},
	}
	return document
}

func (g *generator) operation(o operation, pattern string) apidoc.Operation {
	operation := apidoc.Operation{
		OperationID: o.id, Tags: []string{o.tag}, Summary: o.summary, Description: o.description,
		Parameters: parameters(pattern), Responses: map[string]apidoc.Response{},
	}
	if o.body != nil {
		operation.RequestBody = &apidoc.Body{Required: true, Content: map[string]apidoc.Media{jsonType: {Schema: g.schema(reflect.TypeOf(o.body))}}}
	}
	if o.operator {
		operation.Security = []map[string][]string{{"operator": {}}}
	}
	for _, a := range o.answers {
		response := apidoc.Response{Description: a.description}
		if a.media != "" {
			response.Content = map[string]apidoc.Media{a.media: {Schema: g.schema(reflect.TypeOf(a.value))}}
		}
		operation.Responses[strconv.Itoa(a.status)] = response
	}
	for _, k := range slices.Sorted(slices.Values(o.problems)) {
		g.addProblem(operation.Responses, k)
	}
	return operation
}

// addProblem adds a problem to the response with its status code.
func (g *generator) addProblem(responses map[string]apidoc.Response, k kind) {
	status := strconv.Itoa(statuses[k])
	response, ok := responses[status]
	if !ok {
		response = apidoc.Response{Description: "A problem with the code", Content: map[string]apidoc.Media{}}
	}
	separator := " "
	if _, ok := response.Content[problemType]; ok {
		separator = ", or "
	}
	response.Description = strings.TrimSuffix(response.Description, ".") + separator + string(k) + "."
	response.Content[problemType] = apidoc.Media{Schema: g.schema(reflect.TypeFor[problemDocument]())}
	if statuses[k] == http.StatusTooManyRequests || statuses[k] == http.StatusServiceUnavailable {
		response.Headers = map[string]apidoc.Header{"Retry-After": {Description: "The delay in seconds before the next attempt.", Schema: &apidoc.Schema{Type: "integer"}}}
	}
	responses[status] = response
}

func parameters(pattern string) []apidoc.Parameter {
	var found []apidoc.Parameter
	for _, known := range []apidoc.Parameter{
		{Name: "id", Description: "The id of the link.", Schema: &apidoc.Schema{Type: "string", Pattern: "^[0-9A-Za-z]{" + strconv.Itoa(share.IDLength) + "}$"}},
		{Name: "name", Description: "The file name.", Schema: &apidoc.Schema{Type: "string"}},
	} {
		if strings.Contains(pattern, "{"+known.Name+"}") {
			known.In, known.Required = "path", true
			found = append(found, known)
		}
	}
	return found
}

// names maps types to component names that differ from the type names.
var names = map[reflect.Type]string{
	reflect.TypeFor[problemDocument](): "Problem",
	reflect.TypeFor[linkResponse]():    "Link",
}

// schema returns the schema of the JSON form of a type.
func (g *generator) schema(t reflect.Type) *apidoc.Schema {
	switch {
	case t == reflect.TypeFor[json.RawMessage]() || t.Kind() == reflect.Interface:
		return &apidoc.Schema{}
	case t == reflect.TypeFor[time.Time]():
		return &apidoc.Schema{Type: "string", Format: "date-time"}
	}
	switch t.Kind() {
	case reflect.String:
		return &apidoc.Schema{Type: "string", Enum: g.enums[t.Name()]}
	case reflect.Bool:
		return &apidoc.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return &apidoc.Schema{Type: "integer"}
	case reflect.Uint64:
		return &apidoc.Schema{Type: "integer", Minimum: new(int)}
	case reflect.Float64:
		return &apidoc.Schema{Type: "number"}
	case reflect.Slice:
		return &apidoc.Schema{Type: "array", Items: g.schema(t.Elem())}
	case reflect.Map:
		return &apidoc.Schema{Type: "object", AdditionalProperties: g.schema(t.Elem())}
	case reflect.Pointer:
		return g.schema(t.Elem())
	case reflect.Struct:
		return g.component(t)
	}
	panic("no schema for " + t.String())
}

// component returns a reference to the schema of a struct, which it adds if necessary.
func (g *generator) component(t reflect.Type) *apidoc.Schema {
	name := names[t]
	if name == "" {
		name = t.Name()
	}
	if _, ok := g.schemas[name]; !ok {
		schema := &apidoc.Schema{Type: "object", Description: g.comments[t.Name()]}
		g.schemas[name] = schema
		for field := range t.Fields() {
			g.addField(schema, t, field)
		}
	}
	return &apidoc.Schema{Ref: "#/components/schemas/" + name}
}

func (g *generator) addField(schema *apidoc.Schema, t reflect.Type, field reflect.StructField) {
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "-" {
		return
	}
	property := g.schema(field.Type)
	g.setEnum(property, t.Name()+"."+field.Name)
	if !strings.Contains(options, "omitempty") {
		schema.Required = append(schema.Required, name)
		if field.Type.Kind() == reflect.Pointer {
			property = &apidoc.Schema{AnyOf: []*apidoc.Schema{property, {Type: "null"}}}
		}
	}
	property.Description = g.comments[t.Name()+"."+field.Name]
	schema.Properties = append(schema.Properties, apidoc.Property{Name: name, Schema: property})
}

// alternatives describes a struct of which exactly one field is set.
func (g *generator) alternatives(t reflect.Type) *apidoc.Schema {
	schema := &apidoc.Schema{Description: g.comments[t.Name()]}
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		schema.OneOf = append(schema.OneOf, &apidoc.Schema{
			Type: "object", Required: []string{name},
			Properties: apidoc.Properties{{Name: name, Schema: g.schema(field.Type)}},
		})
	}
	return schema
}

// setEnum lists the values of a field whose type is an alias of string, which
// reflection cannot see.
func (g *generator) setEnum(property *apidoc.Schema, field string) {
	if property.Items != nil {
		property = property.Items
	}
	if values := g.enums[g.types[field]]; property.Type == "string" && values != nil {
		property.Enum = values
	}
}

// read collects the comments of types and fields, and the string constants of types.
func (g *generator) read(t *testing.T, directory string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(directory, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no sources in %s: %v", directory, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			if general, ok := declaration.(*ast.GenDecl); ok {
				g.readDeclaration(general)
			}
		}
	}
}

func (g *generator) readDeclaration(declaration *ast.GenDecl) {
	for _, spec := range declaration.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			g.comments[spec.Name.Name] = prose(declaration.Doc)
			if structure, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range structure.Fields.List {
					for _, name := range field.Names {
						g.comments[spec.Name.Name+"."+name.Name] = prose(field.Doc)
						g.types[spec.Name.Name+"."+name.Name] = typeName(field.Type)
					}
				}
			}
		case *ast.ValueSpec:
			if named, ok := spec.Type.(*ast.Ident); ok && declaration.Tok == token.CONST {
				for _, value := range spec.Values {
					if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
						text, _ := strconv.Unquote(literal.Value)
						g.enums[named.Name] = append(g.enums[named.Name], text)
					}
				}
			}
		}
	}
}

// typeName is the name of a type, or of the items of a slice; empty for others.
func typeName(expression ast.Expr) string {
	switch expression := expression.(type) {
	case *ast.Ident:
		return expression.Name
	case *ast.ArrayType:
		return typeName(expression.Elt)
	}
	return ""
}

var (
	link      = regexp.MustCompile(`\[([A-Za-z.]+)\]`)
	lineBreak = regexp.MustCompile(`([^\n])\n([^\n\t ])`)
)

// prose returns the content of a comment without doc links and line breaks.
func prose(comment *ast.CommentGroup) string {
	text := link.ReplaceAllString(comment.Text(), "$1")
	return strings.TrimSpace(lineBreak.ReplaceAllString(text, "$1 $2"))
}

// pathOf returns the OpenAPI path of a route pattern.
func pathOf(pattern string) string {
	return path.Clean(strings.Replace(pattern, "*", "{name}", 1))
}
