package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
)

// Encode encodes a complete report as YAML for comparison. It omits empty fields, so that a new field changes
// only the cases that use it, and writes a range as "line:character-line:character". JSON values of the
// user, such as a stored object, are complete.
//
// It also omits the timing, the steps of a path without special characters, which
// its text shows as well, and the positions of schemas, which would be the longest
// part and have cases of their own.
func Encode(report playground.Report) ([]byte, error) { return encodeComplete(report, nil) }

func encodeComplete(report playground.Report, hints Hints) ([]byte, error) {
	report.Timing = playground.Timing{}
	report.Objects = slices.Clone(report.Objects)
	for i := range report.Objects {
		report.Objects[i].Schema = nil
	}
	return encoder{hints: hints}.encode(report)
}

// EncodeValue encodes any response of the engine like [Encode].
func EncodeValue(value any) ([]byte, error) { return encoder{}.encode(value) }

// An encoder converts values to YAML.
type encoder struct {
	// documents writes findings and places with the lines of their documents; nil writes their fields.
	documents *documentLines
	hints     Hints
}

func (e encoder) encode(value any) ([]byte, error) {
	n, err := e.node(reflect.ValueOf(value), "")
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", value, err)
	}
	return layOut(n)
}

// node converts a value whose ranges are in a document.
func (e encoder) node(v reflect.Value, document playground.Document) (*yaml.Node, error) {
	switch value := v.Interface().(type) {
	case playground.Range:
		if e.documents != nil {
			return jsonNode(e.documents.place(document, value))
		}
		return jsonNode(fmt.Sprintf("%d:%d-%d:%d", value.Start.Line, value.Start.Character, value.End.Line, value.End.Character))
	case playground.Finding:
		value.Hint = e.hints.of(value.Hint)
		if e.documents != nil {
			return jsonNode(e.documents.finding(value))
		}
		return e.structNode(reflect.ValueOf(value), document)
	case json.RawMessage:
		if bytes.Contains(value, []byte(`"fieldsV1"`)) {
			return ownersNode(value)
		}
	}
	switch {
	case v.Kind() == reflect.Pointer && !v.IsNil():
		return e.node(v.Elem(), document)
	case v.Kind() == reflect.Struct:
		return e.structNode(v, document)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range v.Len() {
			item, err := e.node(v.Index(i), document)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, item)
		}
		return n, nil
	}
	return jsonNode(v.Interface())
}

func (e encoder) structNode(v reflect.Value, document playground.Document) (*yaml.Node, error) {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if name == "-" || e.isPlain(v.Type(), v.Field(i), name) || isPlainPath(v.Field(i)) && strings.HasSuffix(strings.ToLower(name), "steps") {
			continue
		}
		value, err := e.node(v.Field(i), documentOf(v.Type(), name, document))
		if err != nil {
			return nil, err
		}
		if len(value.Content) == 0 && value.Kind == yaml.MappingNode && v.Field(i).Kind() == reflect.Struct {
			continue
		}
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, value)
	}
	return n, nil
}

// documentOf returns the document of the ranges in a field of a struct whose own ranges are in a document.
func documentOf(t reflect.Type, field string, document playground.Document) playground.Document {
	switch t {
	case reflect.TypeFor[playground.CRD](), reflect.TypeFor[playground.TraceStep]():
		document = playground.DocumentCRD
	case reflect.TypeFor[playground.Object]():
		document = playground.DocumentObject
	case reflect.TypeFor[playground.StoredObject]():
		document = playground.DocumentOldObject
	case reflect.TypeFor[playground.ObjectAdmission]():
		document = playground.DocumentAdmission
	}
	switch field {
	case "schemaRange":
		return playground.DocumentCRD
	case "oldRange":
		return playground.DocumentOldCRD
	}
	return document
}

// jsonNode converts a value as the HTTP API encodes it.
func jsonNode(value any) (*yaml.Node, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	escaped := unprintable.ReplaceAllFunc(b.Bytes(), func(r []byte) []byte { return fmt.Appendf(nil, `\u%04x`, bytes.Runes(r)[0]) })
	var document yaml.Node // JSON is YAML, and a node keeps the order of fields.
	if err := yaml.Unmarshal(escaped, &document); err != nil {
		return nil, err
	}
	return document.Content[0], nil
}

// unprintable matches characters that JSON permits and YAML does not.
var unprintable = regexp.MustCompile(`[\x7f-\x{9f}\x{feff}\x{fffe}\x{ffff}]`)

// ownersNode converts JSON with each of an object's managedFields as a line.
func ownersNode(raw json.RawMessage) (*yaml.Node, error) {
	var value any
	if err := playground.DecodeJSON(raw, &value); err != nil {
		return nil, fmt.Errorf("managed fields: %w", err)
	}
	return jsonNode(ownersAsLines(value))
}

// ownersAsLines replaces the entries of managedFields by lines.
func ownersAsLines(value any) any {
	switch value := value.(type) {
	case map[string]any:
		if _, isOwner := value["fieldsV1"]; isOwner {
			return ownerLine(value)
		}
		for name, field := range value {
			value[name] = ownersAsLines(field)
		}
	case []any:
		for i := range value {
			value[i] = ownersAsLines(value[i])
		}
	}
	return value
}

// ownerLine returns an entry of managedFields as "name=value …", with the fields at the end.
func ownerLine(values map[string]any) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if name != "fieldsV1" && name != "fieldsType" {
			words = append(words, fmt.Sprintf("%s=%v", name, values[name]))
		}
	}
	fields, _ := json.Marshal(values["fieldsV1"]) // decoded JSON
	return strings.Join(append(words, strings.ReplaceAll(string(fields), `":{}`, `"`)), " ")
}

// isPlain reports whether a field of a struct is omitted. Beside documents, CRDs are accepted, and the
// outcome of objects is explicit.
func (e encoder) isPlain(of reflect.Type, v reflect.Value, name string) bool {
	if e.documents != nil && name == "accepted" {
		return of == reflect.TypeFor[playground.CRD]() && v.Bool()
	}
	if e.documents != nil && of == reflect.TypeFor[playground.Object]() && name == "range" {
		return v.IsZero()
	}
	return isEmpty(v)
}

// isEmpty reports whether a field is omitted. Of structs, it omits zero values
// except for ranges, in which zero is a position.
func isEmpty(v reflect.Value) bool {
	if raw, ok := reflect.TypeAssert[json.RawMessage](v); ok {
		return len(raw) == 0 || string(raw) == "null"
	}
	if v.Kind() == reflect.Slice || v.Kind() == reflect.Map {
		return v.Len() == 0
	}
	if v.Kind() == reflect.Struct {
		return v.IsZero() && v.Type() != reflect.TypeFor[playground.Range]()
	}
	return v.IsZero()
}

// isPlainPath reports whether a value is a list of steps that all are plain words.
func isPlainPath(v reflect.Value) bool {
	steps, ok := reflect.TypeAssert[[]string](v)
	return ok && !strings.ContainsAny(strings.Join(steps, ""), ".[]/ ")
}
