package gotype

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/source"
)

// The values of [Mismatch.Want].
const (
	String  = "a string"
	Boolean = "a boolean"
	Integer = "an integer"
	Number  = "a number"
	Mapping = "a mapping"
	List    = "a list"
	Base64  = "a base64 string"
)

// A Mismatch is a value that encoding/json cannot decode into its Go type.
type Mismatch struct {
	Path []any
	Node *yaml.Node
	// Want is the expected value, such as [String].
	Want string
	// Got is the value as the API server reads it; nil for mappings and lists.
	Got any
	// field is the JSON name of the innermost struct field with the value.
	field string
}

// FindMismatch returns the value in a document that does not fit t, or nil. If
// there are several, it prefers the field that the decoder's message names. The
// message names neither the items of lists nor the keys of maps.
func FindMismatch(doc *source.Document, t reflect.Type, message string) *Mismatch {
	root := doc.Root().Node()
	if root == nil {
		return nil
	}
	s := search{}
	s.value(root, t, place{})
	for _, found := range s.found {
		if found.field != "" && strings.Contains(message, "."+found.field+" of type ") {
			return found
		}
	}
	if len(s.found) == 0 {
		return nil
	}
	return s.found[0]
}

// Hint explains the mismatch in a sentence.
func (m *Mismatch) Hint() string {
	name := "The document"
	if len(m.Path) > 0 {
		name = fmt.Sprint(m.Path[len(m.Path)-1])
		if index, isIndex := m.Path[len(m.Path)-1].(int); isIndex {
			name = fmt.Sprintf("Item %d", index+1)
		}
	}
	value, isBool := m.Got.(bool)
	switch {
	case isBool && m.Want == String && m.Node.Value != "true" && m.Node.Value != "false":
		return fmt.Sprintf("YAML 1.1 reads %s as %t. Quote it to make it a string.", m.Node.Value, value)
	case m.Want == String && m.Got != nil:
		return name + " must be a string. Quote the value."
	case m.Want == Base64:
		return name + " must be base64. Encode the PEM certificate, for example with base64 -w0."
	}
	return name + " must be " + m.Want + "."
}

// maxMismatches limits the search.
const maxMismatches = 100

type search struct{ found []*Mismatch }

// A place is the path of a value, and the JSON name of its innermost struct field.
type place struct {
	path  []any
	field string
}

func (p place) child(step any) place { return place{jsonvalue.AppendStep(p.path, step), p.field} }

func (p place) member(name string) place { return place{jsonvalue.AppendStep(p.path, name), name} }

// value adds the values at or below n that do not fit t.
func (s *search) value(n *yaml.Node, t reflect.Type, at place) {
	if n == nil || t == nil || len(s.found) == maxMismatches {
		return
	}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	value, isScalar := scalarValue(n)
	if isScalar && value == nil || s.union(n, t, at) {
		return // null fits any type
	}
	want := wantedKind(t)
	if want != "" && !fits(n, value, want) {
		s.found = append(s.found, &Mismatch{at.path, n, want, value, at.field})
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		types := map[string]reflect.Type{}
		Fields(t, func(name string, field reflect.Type) { types[name] = field })
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			s.value(n.Content[i+1], types[key], at.member(key))
		}
	case reflect.Map:
		for i := 0; i+1 < len(n.Content); i += 2 {
			s.value(n.Content[i+1], t.Elem(), at.child(n.Content[i].Value))
		}
	case reflect.Slice:
		for i, item := range n.Content {
			s.value(item, t.Elem(), at.child(i))
		}
	}
}

// wantedKind returns the expected value for a type, or an empty string for types
// that accept any value.
func wantedKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return String
	case reflect.Bool:
		return Boolean
	case reflect.Int, reflect.Int32, reflect.Int64:
		return Integer
	case reflect.Float64:
		return Number
	case reflect.Struct, reflect.Map:
		return Mapping
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return Base64
		}
		return List
	}
	return ""
}

func fits(n *yaml.Node, value any, want string) bool {
	switch want {
	case String:
		_, ok := value.(string)
		return ok
	case Boolean:
		_, ok := value.(bool)
		return ok
	case Integer:
		number, ok := value.(json.Number)
		return ok && !strings.ContainsAny(number.String(), ".eE")
	case Number:
		_, ok := value.(json.Number)
		return ok
	case Base64:
		encoded, ok := value.(string)
		return ok && isBase64(encoded)
	case Mapping:
		return n.Kind == yaml.MappingNode
	}
	return n.Kind == yaml.SequenceNode
}

// union handles the types that decode themselves. It returns false for all other
// types.
func (s *search) union(n *yaml.Node, t reflect.Type, at place) bool {
	switch t {
	case reflect.TypeFor[apiextensionsv1.JSON](), reflect.TypeFor[intstr.IntOrString](), reflect.TypeFor[metav1.FieldsV1]():
		return true
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime]():
		return n.Kind == yaml.ScalarNode
	case reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool](), reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray]():
		if n.Kind != yaml.MappingNode {
			return true
		}
	case reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():
		if n.Kind == yaml.SequenceNode {
			s.value(n, reflect.TypeFor[[]apiextensionsv1.JSONSchemaProps](), at)
			return true
		}
	default:
		return false
	}
	s.value(n, reflect.TypeFor[apiextensionsv1.JSONSchemaProps](), at)
	return true
}

// scalarValue returns a scalar as the API server decodes it, which reads YAML 1.1.
// It is a nil value for null, and for a node that is no scalar.
func scalarValue(n *yaml.Node) (value any, isScalar bool) {
	if n.Kind != yaml.ScalarNode {
		return nil, false
	}
	if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return n.Value, true
	}
	encoded, err := sigsyaml.YAMLToJSON([]byte(n.Value))
	if err != nil {
		return n.Value, true
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	if decoder.Decode(&value) != nil {
		return n.Value, true
	}
	return value, true
}

func isBase64(s string) bool {
	_, err := base64.StdEncoding.DecodeString(s)
	return err == nil
}
