// Package mutant lists small changes of a CRD that its tests should notice: a weaker or stricter limit, a missing
// value, another operator in a rule.
package mutant

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// A Mutant is a CRD with one change, at all versions that have the constraint.
type Mutant struct {
	// Range is the place of the constraint in the document of the CRD, at the first version.
	Range    playground.Range
	Versions []string
	// Field is the path of the values to which the constraint applies, such as spec.ports[].name; empty for the
	// root of the object or the version itself.
	Field string
	// Change describes the change, such as "maximum: 10 → 11". Constraint is what it changes.
	Change, Constraint string
	// Finer reports that the mutant changes what the last one without Finer removes. If no test notices the removal, the
	// finer mutants tell nothing more.
	Finer bool
	// Effect says which compiled rules of the CRD the change concerns.
	Effect Effect
	// Node is the path of the schema node, such as properties, spec.
	Node []string

	crd   *crd
	edits []edit
	// drops is a keyword to remove in addition; it may be empty.
	drops string
}

// An Effect says how a change concerns the rules of a CRD.
type Effect int

const (
	// OnValues leaves all rules as they are: only the values change that the API server accepts or adds.
	OnValues Effect = iota
	// OnRules changes a rule of the node.
	OnRules
	// OnTypes may change the type of a value in all rules, or the estimate of their cost.
	OnTypes
)

// An edit sets a value of a CRD, or removes it.
type edit struct {
	path    []any
	value   any
	removes bool
}

// A crd has the content of a CRD without descriptions, which decide nothing and are the largest part of many CRDs.
type crd struct {
	content map[string]any
	// bare returns the content without rules.
	bare func() map[string]any
}

// Text returns the changed CRD as JSON, without descriptions. Large CRDs have thousands of mutants, so each text is
// made on demand.
func (m Mutant) Text() string { return m.apply(m.crd.content) }

// Bare returns the changed CRD as JSON, without descriptions, and without rules at other nodes than that of the
// changed rule. With [OnTypes], it is Text.
func (m Mutant) Bare() string {
	if m.Effect == OnTypes {
		return m.Text()
	}
	return m.apply(m.crd.bare())
}

func (m Mutant) apply(content any) string {
	for _, e := range m.edits {
		content = e.apply(content, e.path)
	}
	text, err := json.Marshal(content)
	if err != nil {
		return "" // decoded JSON can be encoded
	}
	return string(text)
}

// apply returns a copy of a value with the edit. The copy shares all other values.
func (e edit) apply(value any, path []any) any {
	switch step := path[0].(type) {
	case string:
		object, _ := value.(map[string]any)
		out := maps.Clone(object)
		switch {
		case len(path) > 1:
			out[step] = e.apply(object[step], path[1:])
		case e.removes:
			delete(out, step)
		default:
			out[step] = e.value
		}
		return out
	case int:
		list, _ := value.([]any)
		out := slices.Clone(list)
		out[step] = e.apply(list[step], path[1:])
		return out
	}
	return value
}

// All returns the mutants of a CRD in a document: those of the first version first, and of a schema node before
// those of its properties. Versions that have the same constraint share its mutants.
func All(doc *source.Document) []Mutant {
	content := contentOf(doc)
	if content == nil {
		return nil
	}
	l := lister{doc: doc, index: map[string]int{}, crd: newCRD(content)}
	list, _ := child(content, "spec", "versions").([]any)
	for i := range list {
		version, _ := list[i].(map[string]any)
		l.node, l.field = nil, ""
		l.version, _ = version["name"].(string)
		l.path = []any{"spec", "versions", i}
		if version["served"] == true && len(list) > 1 {
			l.add(Mutant{Change: "served: true → false"}, "served", false, "served")
		}
		l.path = append(l.path, "subresources")
		for _, name := range []string{"status", "scale"} {
			if child(version, "subresources", name) != nil {
				l.add(Mutant{Change: "subresources." + name + ": none"}, name, nil, name)
			}
		}
		if schema, ok := child(version, "schema", "openAPIV3Schema").(map[string]any); ok {
			l.path = []any{"spec", "versions", i, "schema", "openAPIV3Schema"}
			l.schema(schema, nil, "")
		}
	}
	return l.all
}

// contentOf returns the value of a document without descriptions; nil if it is no mapping.
func contentOf(doc *source.Document) map[string]any {
	if doc.Err != nil || doc.Empty() {
		return nil
	}
	encoded, err := yaml.YAMLToJSON([]byte(doc.Text))
	if err != nil {
		return nil
	}
	var content map[string]any
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	if decoder.Decode(&content) != nil {
		return nil
	}
	content, _ = without(content, isDescription).(map[string]any)
	return content
}

func newCRD(content map[string]any) *crd {
	return &crd{content: content, bare: sync.OnceValue(func() map[string]any {
		bare, _ := without(content, isRules).(map[string]any)
		return bare
	})}
}

func isDescription(key string, value any) bool {
	_, isText := value.(string)
	return key == "description" && isText
}

func isRules(key string, value any) bool {
	_, isList := value.([]any)
	return key == "x-kubernetes-validations" && isList
}

// without returns a copy of a value without the entries that a function selects.
func without(value any, selects func(key string, value any) bool) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for key, entry := range value {
			if !selects(key, entry) {
				out[key] = without(entry, selects)
			}
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, item := range value {
			out[i] = without(item, selects)
		}
		return out
	}
	return value
}

// A lister collects the mutants of a document. version, path, node and field are those of the schema node, or of
// the version.
type lister struct {
	doc     *source.Document
	crd     *crd
	version string
	path    []any
	node    []string
	field   string
	all     []Mutant
	// index has the place in all of each change of a field.
	index map[string]int
}

// add adds a mutant that sets a keyword of the node, or removes it if value is nil. at leads from the node to the
// changed constraint.
func (l *lister) add(m Mutant, keyword string, value any, at ...any) {
	found, ok := l.doc.At(append(slices.Clone(l.path), at...)...)
	if !ok {
		return
	}
	m.edits = []edit{{append(slices.Clone(l.path), keyword), value, value == nil}}
	if m.drops != "" {
		m.edits = append(m.edits, edit{path: append(slices.Clone(l.path), m.drops), removes: true})
	}
	m.Field = strings.TrimPrefix(cmp.Or(m.Field, l.field), ".")
	key := m.Field + "\n" + m.Change
	if keyword == "served" {
		key += l.version // another version stays served
	}
	if i, known := l.index[key]; known && !slices.Contains(l.all[i].Versions, l.version) {
		l.all[i].Versions = append(l.all[i].Versions, l.version)
		l.all[i].edits = append(l.all[i].edits, m.edits...)
		return
	}
	l.index[key] = len(l.all)
	m.Constraint = format(valueAt(l.crd.content, append(slices.Clone(l.path), at...)))
	m.Range, m.Versions, m.Node, m.crd = found.Value(), []string{l.version}, l.node, l.crd
	l.all = append(l.all, m)
}

// below visits the schema of a property, of items, or of additional properties.
func (l lister) below(parent *lister, schema any, field string, steps ...string) {
	child, ok := schema.(map[string]any)
	if !ok {
		return
	}
	l.path, l.node = slices.Clip(l.path), slices.Clip(l.node)
	for _, step := range steps {
		l.path, l.node = append(l.path, step), append(l.node, step)
	}
	l.schema(child, l.node, field)
	parent.all = l.all
}

// valueAt returns the value at a path that exists.
func valueAt(value any, path []any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			value = child(value, step)
		case int:
			value = value.([]any)[step]
		}
	}
	return value
}

// child returns the value below the keys of a mapping, or nil.
func child(value any, keys ...string) any {
	for _, key := range keys {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}
