// Package mutant lists small changes of a CRD that its tests should notice: a weaker or stricter limit, a missing
// value, another operator in a rule.
package mutant

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// A Mutant is a CRD with one change.
type Mutant struct {
	// Range is the place of the constraint in the document of the CRD.
	Range   playground.Range
	Version string
	// Field is the path of the values to which the constraint applies, such as spec.ports[].name; empty for the
	// root of the object or the version itself.
	Field string
	// Change describes the change, such as "maximum: 10 → 11".
	Change string

	doc  *source.Document
	edit edit.Edit
}

// Text returns the changed document. Large CRDs have thousands of mutants, so each text is made on demand.
func (m Mutant) Text() string { return edit.Apply(m.doc.Text, m.edit) }

// All returns the mutants of a CRD in a document: those of the first version first, and of a schema node before
// those of its properties.
func All(doc *source.Document) []Mutant {
	if doc.Err != nil || doc.Empty() {
		return nil
	}
	var content map[string]any
	if err := doc.Root().Node().Decode(&content); err != nil {
		return nil
	}
	l := lister{doc: doc}
	list, _ := child(content, "spec", "versions").([]any)
	for i := range list {
		version, _ := list[i].(map[string]any)
		l.version, _ = version["name"].(string)
		path := []any{"spec", "versions", i}
		if version["served"] == true && len(list) > 1 {
			l.set("served: true → false", "", false, append(path, "served")...)
		}
		if child(version, "subresources", "status") != nil {
			l.remove("subresources.status: none", "", append(path, "subresources", "status")...)
		}
		if schema, ok := child(version, "schema", "openAPIV3Schema").(map[string]any); ok {
			l.schema(schema, append(path, "schema", "openAPIV3Schema"), "")
		}
	}
	return l.all
}

// A lister collects the mutants of a document.
type lister struct {
	doc     *source.Document
	version string
	all     []Mutant
}

// add adds a mutant with an edit. path leads to the changed constraint.
func (l *lister) add(change, field string, path []any, e edit.Edit) {
	if at, ok := l.doc.At(path...); ok {
		l.all = append(l.all, Mutant{
			Range: at.Value(), Version: l.version, Field: strings.TrimPrefix(field, "."), Change: change, doc: l.doc, edit: e,
		})
	}
}

// replace adds a mutant with another schema node. at leads to the changed constraint, and path to the node.
func (l *lister) replace(change, field string, at, path []any, schema map[string]any) {
	if e, ok := edit.Set(l.doc, schema, path...); ok {
		l.add(change, field, at, e)
	}
}

func (l *lister) set(change, field string, value any, path ...any) {
	if e, ok := edit.Set(l.doc, value, path...); ok {
		l.add(change, field, path, e)
	}
}

func (l *lister) remove(change, field string, path ...any) {
	if e, ok := edit.Delete(l.doc, path...); ok {
		l.add(change, field, path, e)
	}
}

// A keyword lists the changes of a constraint.
type keyword struct {
	name   string
	mutate func(l *lister, schema map[string]any, path []any, field string)
}

// keywords lists the constraints of a schema node in the order in which they are reported.
var keywords = []keyword{
	{"required", mutateRequired},
	{"enum", mutateEnum},
	{"pattern", mutatePattern},
	{"minimum", shift("minimum")}, {"maximum", shift("maximum")},
	{"exclusiveMinimum", toggle("exclusiveMinimum")}, {"exclusiveMaximum", toggle("exclusiveMaximum")},
	{"minLength", shift("minLength")}, {"maxLength", shift("maxLength")},
	{"minItems", shift("minItems")}, {"maxItems", shift("maxItems")},
	{"minProperties", shift("minProperties")}, {"maxProperties", shift("maxProperties")},
	{"multipleOf", drop("multipleOf")},
	{"format", drop("format")},
	{"nullable", drop("nullable")},
	{"not", drop("not")},
	{"default", mutateDefault},
	{"x-kubernetes-preserve-unknown-fields", drop("x-kubernetes-preserve-unknown-fields")},
	{"x-kubernetes-list-type", mutateListType},
	{"x-kubernetes-int-or-string", mutateIntOrString},
	{"allOf", mutateBranches("allOf")}, {"anyOf", mutateBranches("anyOf")}, {"oneOf", mutateBranches("oneOf")},
	{"x-kubernetes-validations", mutateRules},
}

// schema adds the mutants of a schema node and of the nodes below it.
func (l *lister) schema(schema map[string]any, path []any, field string) {
	for _, k := range keywords {
		if _, has := schema[k.name]; has {
			k.mutate(l, schema, slices.Clip(path), field)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if child, ok := properties[name].(map[string]any); ok {
			l.schema(child, append(slices.Clip(path), "properties", name), field+"."+name)
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		l.schema(items, append(slices.Clip(path), "items"), field+"[]")
	}
	if values, ok := schema["additionalProperties"].(map[string]any); ok {
		l.schema(values, append(slices.Clip(path), "additionalProperties"), field+".*")
	}
}

// drop returns changes that remove a keyword.
func drop(name string) func(*lister, map[string]any, []any, string) {
	return func(l *lister, schema map[string]any, path []any, field string) {
		if schema[name] != false {
			l.remove(fmt.Sprintf("%s: %s → none", name, format(schema[name])), field, append(path, name)...)
		}
	}
}

// shift returns changes of a limit by one.
func shift(name string) func(*lister, map[string]any, []any, string) {
	return func(l *lister, schema map[string]any, path []any, field string) {
		limit, ok := number(schema[name])
		isSize := strings.HasPrefix(name, "min") && name != "minimum" || strings.HasPrefix(name, "max") && name != "maximum"
		for _, other := range []float64{limit + 1, limit - 1} {
			if !ok || isSize && other < 0 {
				continue
			}
			l.set(fmt.Sprintf("%s: %s → %s", name, format(schema[name]), format(whole(other))), field, whole(other), append(path, name)...)
		}
	}
}

func number(value any) (float64, bool) {
	switch value := value.(type) {
	case int:
		return float64(value), true
	case int64:
		return float64(value), true
	case float64:
		return value, true
	}
	return 0, false
}

// whole returns a number as an integer if it is one.
func whole(value float64) any {
	if value == math.Trunc(value) && math.Abs(value) < 1<<53 {
		return int64(value)
	}
	return value
}

func toggle(name string) func(*lister, map[string]any, []any, string) {
	return func(l *lister, schema map[string]any, path []any, field string) {
		if is, ok := schema[name].(bool); ok {
			l.set(fmt.Sprintf("%s: %v → %v", name, is, !is), field, !is, append(path, name)...)
		}
	}
}

func mutateRequired(l *lister, schema map[string]any, path []any, field string) {
	names, _ := schema["required"].([]any)
	for i, name := range names {
		at := append(path, "required", i)
		if len(names) == 1 {
			at = at[:len(at)-1]
		}
		l.remove(fmt.Sprintf("required: without %v", name), fmt.Sprintf("%s.%v", field, name), at...)
	}
}

func mutateEnum(l *lister, schema map[string]any, path []any, field string) {
	values, _ := schema["enum"].([]any)
	for i, value := range values {
		if len(values) > 1 {
			l.remove(fmt.Sprintf("enum: without %s", format(value)), field, append(path, "enum", i)...)
		}
	}
	l.remove("enum: any value", field, append(path, "enum")...)
}

func mutatePattern(l *lister, schema map[string]any, path []any, field string) {
	pattern, _ := schema["pattern"].(string)
	at := append(path, "pattern")
	l.remove("pattern: any string", field, at...)
	if rest, ok := strings.CutPrefix(pattern, "^"); ok && rest != "" {
		l.set("pattern: without ^ at the start", field, rest, at...)
	}
	if rest, ok := strings.CutSuffix(pattern, "$"); ok && rest != "" && !strings.HasSuffix(rest, `\`) {
		l.set("pattern: without $ at the end", field, rest, at...)
	}
}

func mutateDefault(l *lister, schema map[string]any, path []any, field string) {
	at := append(path, "default")
	l.remove(fmt.Sprintf("default: %s → none", format(schema["default"])), field, at...)
	var other any
	switch value := schema["default"].(type) {
	case bool:
		other = !value
	case int, int64, float64:
		n, _ := number(value)
		other = whole(n + 1)
	case string:
		other = value + "x"
	default:
		return
	}
	if values, _ := schema["enum"].([]any); len(values) > 0 {
		i := slices.IndexFunc(values, func(value any) bool { return !reflect.DeepEqual(value, schema["default"]) })
		if i < 0 {
			return
		}
		other = values[i]
	}
	l.set(fmt.Sprintf("default: %s → %s", format(schema["default"]), format(other)), field, other, at...)
}

func mutateListType(l *lister, schema map[string]any, path []any, field string) {
	kind, _ := schema["x-kubernetes-list-type"].(string)
	if kind != "set" && kind != "map" {
		return
	}
	l.replace(fmt.Sprintf("x-kubernetes-list-type: %s → none", kind), field, append(path, "x-kubernetes-list-type"), path,
		without(schema, "x-kubernetes-list-type", "x-kubernetes-list-map-keys"))
}

func mutateIntOrString(l *lister, schema map[string]any, path []any, field string) {
	if schema["x-kubernetes-int-or-string"] != true || schema["anyOf"] != nil || schema["allOf"] != nil {
		return
	}
	for _, kind := range []string{"integer", "string"} {
		changed := without(schema, "x-kubernetes-int-or-string")
		changed["type"] = kind
		l.replace("x-kubernetes-int-or-string: only "+kind, field, append(path, "x-kubernetes-int-or-string"), path, changed)
	}
}

// without returns a copy of a schema without some keywords.
func without(schema map[string]any, names ...string) map[string]any {
	changed := maps.Clone(schema)
	for _, name := range names {
		delete(changed, name)
	}
	return changed
}

func mutateBranches(name string) func(*lister, map[string]any, []any, string) {
	return func(l *lister, schema map[string]any, path []any, field string) {
		branches, _ := schema[name].([]any)
		for i := range branches {
			at := append(path, name, i)
			if len(branches) == 1 {
				at = at[:len(at)-1]
			}
			l.remove(fmt.Sprintf("%s: without branch %d", name, i+1), field, at...)
		}
	}
}

func mutateRules(l *lister, schema map[string]any, path []any, field string) {
	rules, _ := schema["x-kubernetes-validations"].([]any)
	for i := range rules {
		rule, _ := rules[i].(map[string]any)
		expression, _ := rule["rule"].(string)
		at := append(path, "x-kubernetes-validations", i)
		if len(rules) == 1 {
			l.remove("rule dropped: "+expression, field, at[:len(at)-1]...)
		} else {
			l.remove("rule dropped: "+expression, field, at...)
		}
		for _, other := range rewrites(expression) {
			l.set(fmt.Sprintf("rule: %s → %s", expression, other), field, other, append(at, "rule")...)
		}
	}
}

// format formats a value as in the document, in one line.
func format(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(encoded)
}

// child returns the value below the keys of a mapping, or nil.
func child(value any, keys ...string) any {
	for _, key := range keys {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}
