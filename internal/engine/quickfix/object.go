package quickfix

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
)

// mendUnknownField offers fields of the schema that look like the one typed,
// and to take it out.
func mendUnknownField(m *problem) []playground.Fix {
	path := m.doc.PathAt(m.Range.Start)
	if len(path) == 0 {
		return nil
	}
	parent := slices.Clip(path[:len(path)-1])
	typed, ok := path[len(path)-1].(string)
	if !ok {
		return nil
	}
	var fixes []playground.Fix
	for _, name := range nearest(typed, m.fieldNames(parent)) {
		if !m.has(append(parent, name)...) {
			fixes = append(fixes, m.fix("Write "+name, m.rename(name, path...))...)
		}
	}
	return append(fixes, m.fix("Remove "+typed, m.delete(path...))...)
}

// fieldNames are the fields that a mapping of the document may have.
func (m *problem) fieldNames(path []any) []string {
	if m.Document == playground.DocumentCRD {
		return typeFieldNames(reflect.TypeFor[apiextensionsv1.CustomResourceDefinition](), path)
	}
	if m.schema == nil {
		return nil
	}
	names := []string{}
	if len(path) == 0 {
		names = append(names, "apiVersion", "kind", "metadata")
	}
	if node, _ := crdschema.NodeAt(m.schema, path); node != nil {
		names = append(names, slices.Sorted(maps.Keys(node.Properties))...)
	}
	return names
}

// typeFieldNames are the names in JSON of the fields of a Go type's value at a
// path.
func typeFieldNames(t reflect.Type, path []any) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if len(path) == 0 {
		if t.Kind() != reflect.Struct {
			return nil
		}
		return jsonFields(t, nil)
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Map:
		return typeFieldNames(t.Elem(), path[1:])
	case reflect.Struct:
		// A schema or a Boolean, a schema or a list of them: in JSON just it.
		if field, ok := t.FieldByName("Schema"); ok && field.Type == reflect.TypeFor[*apiextensionsv1.JSONSchemaProps]() {
			return typeFieldNames(field.Type, path)
		}
		var found []string
		jsonFields(t, func(name string, field reflect.Type) {
			if name == path[0] {
				found = typeFieldNames(field, path[1:])
			}
		})
		return found
	}
	return nil
}

// jsonFields are the names of a struct's fields in JSON, embedded ones
// included; visit may be nil.
func jsonFields(t reflect.Type, visit func(name string, field reflect.Type)) []string {
	var names []string
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-":
		case name == "" && (field.Anonymous || strings.Contains(options, "inline")):
			names = append(names, jsonFields(field.Type, visit)...)
		case name != "":
			names = append(names, name)
			if visit != nil {
				visit(name, field.Type)
			}
		}
	}
	return names
}

// removeAtRange takes out what the finding's range is the key of.
func removeAtRange(m *problem) []playground.Fix {
	path := m.doc.PathAt(m.Range.Start)
	if len(path) == 0 {
		return nil
	}
	return m.fix(fmt.Sprintf("Remove the second %v", path[len(path)-1]), m.delete(path...))
}

// addressServed makes the object one of a version that the CRD serves.
func addressServed(m *problem) []playground.Fix {
	var fixes []playground.Fix
	kind := m.crd.V1.Spec.Names.Kind
	for _, version := range m.crd.ServedByPriority() {
		apiVersion := m.crd.V1.Spec.Group + "/" + version
		var changes []textChange
		var titles []string
		if m.text("apiVersion") != apiVersion {
			changes = append(changes, m.set(apiVersion, "apiVersion"))
			titles = append(titles, "apiVersion: "+apiVersion)
		}
		if m.text("kind") != kind {
			changes = append(changes, m.set(kind, "kind"))
			titles = append(titles, "kind: "+kind)
		}
		fixes = append(fixes, m.fix("Set "+strings.Join(titles, ", "), changes...)...)
	}
	return fixes
}

func nameObject(m *problem) []playground.Fix {
	kind := strings.ToLower(m.crd.V1.Spec.Names.Kind)
	return append(
		m.fix("Set metadata.name: my-"+kind, m.set("my-"+kind, "metadata", "name")),
		m.fix("Set metadata.generateName: "+kind+"-", m.set(kind+"-", "metadata", "generateName"))...)
}

// restoreOld puts the old object's value back.
func restoreOld(m *problem) []playground.Fix {
	var value any = m.old
	for _, step := range m.path {
		mapping, isMapping := value.(map[string]any)
		name, isName := step.(string)
		if !isMapping || !isName || mapping[name] == nil {
			return nil
		}
		value = mapping[name]
	}
	if len(m.path) == 0 {
		return nil
	}
	return m.fix(fmt.Sprintf("Set %s back to %s", m.name(), shown(value)), m.set(value, m.path...))
}

// supplyValue gives a required field a value that fits its schema.
func supplyValue(m *problem) []playground.Fix {
	node, _ := crdschema.NodeAt(m.schema, m.path)
	if m.schema == nil || node == nil || m.has(m.path...) {
		return nil
	}
	schema := crdschema.Schema{Schema: node.ToKubeOpenAPI(), Types: &crdschema.Types{}}
	return m.give(crdschema.Sample(schema))
}

// lowerCaseObject is lowerCase for objects: a CRD's name has to be what it is.
func lowerCaseObject(m *problem) []playground.Fix {
	if m.schema == nil {
		return nil
	}
	return lowerCase(m)
}

// spellEnum offers the supported values, the likest to what was typed first.
func spellEnum(m *problem) []playground.Fix {
	supported := m.supported()
	names := make([]string, len(supported))
	for i, value := range supported {
		names[i] = fmt.Sprint(value)
	}
	var order []int
	for _, name := range append(nearest(m.text(m.path...), names), names...) {
		if i := slices.Index(names, name); !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	var fixes []playground.Fix
	for _, i := range order {
		fixes = append(fixes, m.give(supported[i])...)
	}
	return fixes
}

// supported are the values of an enum: those of the schema, or else, as for a
// field of a CRD, those that the message names.
func (m *problem) supported() []any {
	var values []any
	if m.schema == nil {
		_ = json.Unmarshal([]byte("["+m.match[1]+"]"), &values) // or else there are none
		return values
	}
	node, _ := crdschema.NodeAt(m.schema, m.path)
	if node == nil || node.ValueValidation == nil {
		return nil
	}
	for _, value := range node.ValueValidation.Enum {
		if value.Object != nil { // whether null is allowed, nullable says
			values = append(values, value.Object)
		}
	}
	return values
}

// retype writes a scalar as the type that it has to have.
func retype(m *problem) []playground.Fix {
	typed := m.node(m.path...)
	if typed == nil || len(typed.Content) > 0 {
		return nil
	}
	switch m.match[1] {
	case "string":
		return m.give(typed.Value)
	case "integer":
		if n, err := strconv.ParseInt(strings.TrimSpace(typed.Value), 10, 64); err == nil {
			return m.give(n)
		}
	case "number":
		if n, err := strconv.ParseFloat(typed.Value, 64); err == nil {
			return m.give(n)
		}
	case "boolean":
		switch strings.ToLower(typed.Value) {
		case "true", "yes", "on", "1":
			return m.give(true)
		case "false", "no", "off", "0":
			return m.give(false)
		}
	}
	return nil
}

// toBound sets a number to the limit that it passes.
func toBound(m *problem) []playground.Fix {
	limit, err := strconv.ParseFloat(m.match[3], 64)
	if err != nil || !strings.HasPrefix(m.Message, "Invalid value: "+m.text(m.path...)+":") {
		return nil // or else it was not typed, but set on the way
	}
	if m.match[2] == "" { // the limit itself is excluded
		if limit != float64(int64(limit)) {
			return nil
		}
		if limit--; m.match[1] == "greater" {
			limit += 2
		}
	}
	return m.give(number(limit))
}

// number is a number as it is written: without a point if it is whole.
func number(n float64) any {
	if n == float64(int64(n)) {
		return int64(n)
	}
	return n
}

func shorten(m *problem) []playground.Fix {
	limit, err := strconv.Atoi(m.match[1])
	text := m.text(m.path...)
	if err != nil || limit == 0 || len(text) <= limit {
		return nil
	}
	return m.fix("Shorten it to "+m.match[1], m.set(strings.ToValidUTF8(text[:limit], ""), m.path...))
}

// dropItems takes out the items that a list has too many.
func dropItems(m *problem) []playground.Fix {
	limit, err := strconv.Atoi(m.match[1])
	list := m.node(m.path...)
	if err != nil || limit == 0 || list == nil || len(list.Content) > limit+maxBounds {
		return nil
	}
	var changes []textChange
	for i := limit; i < len(list.Content); i++ {
		changes = append(changes, m.delete(append(slices.Clip(m.path), i)...))
	}
	return m.fix("Remove the items after the first "+m.match[1], changes...)
}

// removeRepeated takes out a list's item that repeats an earlier one, and all
// that repeat it after that.
func removeRepeated(m *problem) []playground.Fix {
	var repeated any
	index, isItem := m.path[len(m.path)-1].(int)
	if !isItem || json.Unmarshal([]byte(strings.TrimPrefix(m.Message, "Duplicate value: ")), &repeated) != nil {
		return nil
	}
	changes := []textChange{m.delete(m.path...)}
	for i := index + 1; i < len(m.node(m.parent()...).Content); i++ {
		if m.repeats(repeated, append(m.parent(), i)...) {
			changes = append(changes, m.delete(append(m.parent(), i)...))
		}
	}
	title := "Remove this item"
	if len(changes) > 1 {
		title = fmt.Sprintf("Remove the %d items that repeat it", len(changes))
	}
	return m.fix(title, changes...)
}

// repeats reports whether the item at a path is a value, or has it as keys.
func (m *problem) repeats(value any, path ...any) bool {
	keys, ok := value.(map[string]any)
	if !ok {
		return m.equals(value, path...)
	}
	for key := range keys {
		if !m.equals(keys[key], append(path, key)...) {
			return false
		}
	}
	return true
}

func (m *problem) equals(value any, path ...any) bool {
	var typed any
	n := m.node(path...)
	return n != nil && n.Decode(&typed) == nil && shownJSON(typed) == shownJSON(value)
}

// shownJSON makes values comparable that were decoded from YAML and JSON.
func shownJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}
