package mutant

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/crdlab/crdlab/internal/source"
)

// A Policy is an admission policy with one change. Its Versions, Node and Effect are empty, and Bare is not defined.
type Policy struct {
	Mutant
	// before and after have conditions that an object may tell apart.
	before, after map[string]any
}

// A conditionList is a list of CEL expressions in the spec of a policy.
type conditionList struct {
	key, noun string
	// without is the expression of an item that has no effect; empty if another condition may read the item.
	without string
	// error lists the fields that only change the error.
	error []string
}

var conditionLists = []conditionList{
	{"validations", "validation", "true", []string{"messageExpression", "reason"}},
	{"matchConditions", "match condition", "true", nil},
	{"variables", "variable", "", nil},
}

// Policies returns the mutants of an admission policy in a document: its conditions and its mutations.
func Policies(doc *source.Document) []Policy {
	content := contentOf(doc)
	if content == nil {
		return nil
	}
	l := lister{doc: doc, index: map[string]int{}, crd: &crd{content: content}, path: []any{"spec"}}
	for _, list := range conditionLists {
		l.conditions(list)
	}
	mutations, _ := child(content, "spec", "mutations").([]any)
	for i := range mutations {
		if len(mutations) > 1 {
			l.add(Mutant{Change: fmt.Sprintf("mutations: without item %d", i+1)}, "mutations", removed(mutations, i), "mutations", i)
		}
	}
	var all []Policy
	var coarser map[string]any
	for _, m := range l.all {
		var after map[string]any
		if json.Unmarshal([]byte(m.Text()), &after) != nil {
			continue
		}
		if !m.Finer {
			coarser = after
		} else if condition(after, true) == condition(content, true) {
			after = coarser // another error has the same objects as no condition
		}
		all = append(all, Policy{m, content, after})
	}
	return all
}

// conditions adds the mutants of a list of conditions.
func (l *lister) conditions(of conditionList) {
	items, _ := child(l.crd.content, "spec", of.key).([]any)
	for i := range items {
		item, _ := items[i].(map[string]any)
		expression, _ := item["expression"].(string)
		with := func(name string, value any) any {
			list, changed := slices.Clone(items), maps.Clone(item)
			changed[name], list[i] = value, changed
			if value == nil {
				delete(changed, name)
			}
			return list
		}
		if of.without != "" {
			l.add(Mutant{Change: of.noun + " dropped: " + expression}, of.key, with("expression", of.without), of.key, i)
		}
		for _, other := range rewrites(expression) {
			l.add(Mutant{Change: fmt.Sprintf("%s: %s → %s", of.noun, expression, other), Finer: of.without != ""}, of.key, with("expression", other), of.key, i, "expression")
		}
		for _, name := range of.error {
			if value, _ := item[name].(string); value != "" && value != "Invalid" {
				l.add(Mutant{Change: fmt.Sprintf("%s: %s → none, of the %s %s", name, value, of.noun, expression), Finer: true}, of.key, with(name, nil), of.key, i, name)
			}
		}
	}
}

// As returns a CRD, as JSON, whose root has the condition of the unchanged policy as a rule, and its mutant that has the
// condition of the changed policy. An object that tells the two CRDs apart may tell the policies apart: one to create, or
// also an update. ok is false if the policies differ in what a rule cannot read.
func (p Policy) As(crdDoc *source.Document, isUpdate bool) (text string, m Mutant, ok bool) {
	content := contentOf(crdDoc)
	before, after := condition(p.before, isUpdate), condition(p.after, isUpdate)
	if content == nil || before == "" || after == "" || before == after {
		return "", Mutant{}, false
	}
	m = Mutant{Effect: OnRules, Change: p.Change}
	base := Mutant{}
	versions, _ := child(content, "spec", "versions").([]any)
	for i := range versions {
		name, _ := child(versions[i], "name").(string)
		schema, _ := child(versions[i], "schema", "openAPIV3Schema").(map[string]any)
		if schema == nil {
			return "", Mutant{}, false
		}
		rules, _ := schema["x-kubernetes-validations"].([]any)
		path := []any{"spec", "versions", i, "schema", "openAPIV3Schema", "x-kubernetes-validations"}
		with := func(rule string) any { return append(slices.Clone(rules), map[string]any{"rule": rule}) }
		base.edits = append(base.edits, edit{path: path, value: with(before)})
		m.edits, m.Versions = append(m.edits, edit{path: path, value: with(after)}), append(m.Versions, name)
	}
	m.crd = newCRD(content)
	return base.apply(content), m, true
}
