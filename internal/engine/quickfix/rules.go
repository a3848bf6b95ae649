package quickfix

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
)

// spellField offers the properties of the schema that look like the one typed.
func spellField(m *problem) []playground.Fix {
	place, ok := m.rulePlace()
	if !ok {
		return nil
	}
	return m.spell(m.match[1], nearest(m.match[1], propertyNames(place.root)))
}

// spellReference offers what a name that CEL does not know may have been meant
// to be: a property of self, or a name that it knows.
func spellReference(m *problem) []playground.Fix {
	typed := m.match[1]
	known := []string{"self", "oldSelf", "has", "size", "all", "exists", "exists_one", "matches", "startsWith", "endsWith", "contains", "duration", "timestamp", "quantity"}
	return m.spell(typed, append([]string{"self." + typed}, nearest(typed, known)...))
}

// spell offers to write a name in the rule as one of candidates, those with
// which the rule compiles.
func (m *problem) spell(typed string, candidates []string) []playground.Fix {
	place, ok := m.rulePlace()
	if !ok {
		return nil
	}
	before, after, ok := m.aroundMistake(typed)
	if !ok {
		return nil
	}
	var fixes []playground.Fix
	for _, name := range candidates {
		if place.compiles(before + name + after) {
			fixes = append(fixes, m.fix("Write "+name, replace(m.Range, name))...)
		}
	}
	return fixes
}

// aroundMistake is the rule's text before and after the name at the place that
// its compiler complains of. ok is false if another name stands there.
func (m *problem) aroundMistake(name string) (before, after string, ok bool) {
	line, column, ok := finding.CELPlace(m.Message)
	if !ok {
		return "", "", false
	}
	rule := m.text(m.path...)
	start, ok := offsetIn(rule, line, column)
	if !ok {
		return "", "", false
	}
	// The place of a call is its parenthesis, that of a field is its dot.
	switch rule[start] {
	case '(':
		start = len(strings.TrimRight(rule[:start], " \t\n")) - len(name)
	case '.':
		start = len(rule) - len(strings.TrimLeft(rule[start+1:], " \t\n"))
	}
	if start < 0 || !strings.HasPrefix(rule[start:], name) {
		return "", "", false
	}
	return rule[:start], rule[start+len(name):], true
}

// offsetIn is the byte offset of a line and column, both from 1 and the column
// in code points.
func offsetIn(text string, line, column int) (offset int, ok bool) {
	lines := strings.SplitAfter(text, "\n")
	if line < 1 || line > len(lines) {
		return 0, false
	}
	runes := []rune(lines[line-1])
	if column < 1 || column > len(runes) {
		return 0, false
	}
	return len(strings.Join(lines[:line-1], "")) + len(string(runes[:column-1])), true
}

// rulePlace is where a rule stands in a CRD.
type rulePlace struct {
	// version is the index in spec.versions, steps lead from its schema to the
	// node, rule is the index in the node's list.
	version int
	steps   []string
	rule    int
	// root is the version's schema, node the one that has the rule.
	root, node *apiextensions.JSONSchemaProps
}

// rulePlace is the place of the rule that a finding is about.
func (m *problem) rulePlace() (rulePlace, bool) { return rulePlaceAt(m.crd, m.path) }

// rulePlaceAt parses a path to a rule in the document of c, as [crd.rulePath]
// builds it.
func rulePlaceAt(c *crd.CRD, path []any) (p rulePlace, ok bool) {
	const before, after = 5, 3
	if len(path) < before+after || c.Internal == nil {
		return p, false
	}
	p.version, ok = path[2].(int)
	if !ok || path[1] != "versions" || p.version >= len(c.Internal.Spec.Versions) {
		return p, false
	}
	if p.rule, ok = path[len(path)-2].(int); !ok || path[len(path)-after] != "x-kubernetes-validations" {
		return p, false
	}
	validation, err := apiextensions.GetSchemaForVersion(c.Internal, c.Internal.Spec.Versions[p.version].Name)
	if err != nil || validation == nil || validation.OpenAPIV3Schema == nil {
		return p, false
	}
	for _, step := range path[before : len(path)-after] {
		name, isName := step.(string)
		if !isName {
			return p, false
		}
		p.steps = append(p.steps, name)
	}
	p.root = validation.OpenAPIV3Schema
	p.node = PropsAt(p.root, p.steps)
	return p, p.node != nil
}

// PropsAt follows steps down a schema: "properties" and a name, "items",
// "additionalProperties". It is nil if they lead elsewhere.
func PropsAt(props *apiextensions.JSONSchemaProps, steps []string) *apiextensions.JSONSchemaProps {
	for len(steps) > 0 && props != nil {
		props, steps = propsChild(props, steps)
	}
	return props
}

// propsChild is the schema after the first of steps, and the steps left.
func propsChild(props *apiextensions.JSONSchemaProps, steps []string) (*apiextensions.JSONSchemaProps, []string) {
	switch {
	case steps[0] == "items" && props.Items != nil:
		return props.Items.Schema, steps[1:]
	case steps[0] == "additionalProperties" && props.AdditionalProperties != nil:
		return props.AdditionalProperties.Schema, steps[1:]
	case steps[0] == "properties" && len(steps) > 1:
		if property, ok := props.Properties[steps[1]]; ok {
			return &property, steps[2:]
		}
	}
	return nil, nil
}

// compiles reports whether the rule would be valid with another text.
func (p rulePlace) compiles(text string) bool {
	if p.rule >= len(p.node.XValidations) {
		return false
	}
	rule := p.node.XValidations[p.rule]
	rule.Rule = text
	result, ok := CompileAt(p.node, len(p.steps) == 0, rule)
	return ok && result.Error == nil
}

// CompileAt compiles a rule as if it were the only one of a schema's node.
func CompileAt(props *apiextensions.JSONSchemaProps, root bool, rule apiextensions.ValidationRule) (cel.CompilationResult, bool) {
	alone := *props
	alone.XValidations = apiextensions.ValidationRules{rule}
	structural, err := structuralschema.NewStructural(&alone)
	if err != nil {
		return cel.CompilationResult{}, false
	}
	declType := model.SchemaDeclType(structural, root || structural.XEmbeddedResource)
	if declType == nil {
		return cel.CompilationResult{}, false
	}
	results, err := cel.Compile(structural, declType, celconfig.PerCallLimit,
		environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), cel.NewExpressionsEnvLoader())
	if err != nil || len(results) != 1 {
		return cel.CompilationResult{}, false
	}
	return results[0], true
}

// propertyNames are the names of all properties of a schema as CEL has them.
func propertyNames(props *apiextensions.JSONSchemaProps) []string {
	names := map[string]bool{}
	var walk func(*apiextensions.JSONSchemaProps)
	walk = func(props *apiextensions.JSONSchemaProps) {
		if props == nil {
			return
		}
		for name, property := range props.Properties {
			if escaped, ok := apiservercel.Escape(name); ok {
				names[escaped] = true
			}
			walk(&property)
		}
		if props.Items != nil {
			walk(props.Items.Schema)
		}
		if props.AdditionalProperties != nil {
			walk(props.AdditionalProperties.Schema)
		}
	}
	walk(props)
	return slices.Sorted(maps.Keys(names))
}

// nearest are those of names that look like the one typed, the likest first.
func nearest(typed string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	for _, name := range names {
		distance := levenshtein.ComputeDistance(strings.ToLower(typed), strings.ToLower(name))
		if name != typed && distance <= tolerance(typed) {
			near = append(near, candidate{name, distance})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	likest := []string{}
	for _, candidate := range near[:min(len(near), maxFixes)] {
		likest = append(likest, candidate.name)
	}
	return likest
}

// tolerance is in how many letters a name may differ and still be meant.
func tolerance(typed string) int {
	if len(typed) < 4 {
		return 1
	}
	return max(2, len(typed)/3)
}

// joinRule writes a rule on one line.
func joinRule(m *problem) []playground.Fix {
	path := append(m.parent(), "rule")
	return m.fix("Write the rule on one line", m.set(onOneLine(m.text(path...)), path...))
}

func joinLines(m *problem) []playground.Fix {
	return m.fix("Write it on one line", m.set(onOneLine(m.text(m.path...)), m.path...))
}

func onOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func dotFieldPath(m *problem) []playground.Fix {
	path := m.text(m.path...)
	if path == "" || strings.ContainsAny(path[:1], ".[") {
		return nil
	}
	return m.give("." + strings.TrimPrefix(path, "self."))
}
