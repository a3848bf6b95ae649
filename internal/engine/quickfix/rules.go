package quickfix

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/celtoken"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// correctProperty suggests similar properties of the schema.
func correctProperty(p *problem) []playground.Fix {
	rule, ok := p.rule()
	if !ok {
		return nil
	}
	if fixes := p.escapeProperty(rule); fixes != nil {
		return fixes
	}
	if before, _, ok := p.splitAtError(p.match[1]); ok {
		p.explainUndefined(rule, before, p.match[1])
		if fixes := p.moveSelection(rule, p.match[1]); fixes != nil {
			return fixes
		}
	}
	return p.correctName(p.match[1], SimilarNames(p.match[1], propertyNames(rule.Root)))
}

// escapeProperty replaces a property name that CEL reads differently with its
// escaped form, such as self.a-b with self.a__dash__b.
func (p *problem) escapeProperty(rule crd.RuleLocation) []playground.Fix {
	before, after, ok := p.splitAtError(p.match[1])
	if !ok {
		return nil
	}
	written := p.match[1] + after
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(properties(rule.Node)))) {
		if !strings.HasPrefix(written, name) {
			continue
		}
		for _, escaped := range escapedNames(name) {
			if escaped == name || !rule.Compiles(before+escaped+written[len(name):]) {
				continue
			}
			p.Hint = fmt.Sprintf("CEL reads the property %s as %s.", name, escaped)
			at := p.Range
			at.End.Character = at.Start.Character + len(name)
			return p.newFix("Replace with "+escaped, replaceRange(at, escaped))
		}
	}
	return nil
}

// escapedNames returns the names that a property may have in CEL. Releases before
// 1.31 escape more keywords than the newest one.
func escapedNames(name string) []string {
	escaped, ok := apiservercel.Escape(name)
	if !ok {
		return nil
	}
	return []string{escaped, "__" + name + "__"}
}

// celNames lists the names that authors misspell in rules.
var celNames = []string{"self", "oldSelf", "has", "size", "all", "exists", "exists_one", "matches", "startsWith", "endsWith", "contains", "duration", "timestamp", "quantity"}

// correctReference suggests a property of self and similar names of CEL.
func correctReference(p *problem) []playground.Fix {
	name := p.match[1]
	if rule, ok := p.rule(); ok && rule.Index < len(rule.Node.XValidations) {
		if later := crd.LaterRelease(rule.Node, len(rule.Path) == 0, rule.Node.XValidations[rule.Index]); later != "" {
			p.Hint = "The rule uses a function or variable that is available from Kubernetes " + later + "."
			return nil
		}
	}
	return p.correctName(name, append([]string{"self." + name}, SimilarNames(name, celNames)...))
}

// policyVariables are the variables of an expression in an admission policy
// (k8s.io/apiserver/pkg/admission/plugin/cel).
var policyVariables = []string{"object", "oldObject", "request", "params", "namespaceObject", "authorizer", "variables"}

// correctPolicyReference replaces the marked name in the expression of a policy.
func correctPolicyReference(p *problem) []playground.Fix {
	var fixes []playground.Fix
	for _, name := range SimilarNames(p.match[1], policyVariables) {
		fixes = append(fixes, p.newFix("Replace with "+name, replaceRange(p.Range, name))...)
	}
	return fixes
}

// guardRule adds a check before the part of the rule that failed.
func guardRule(p *problem) []playground.Fix {
	if p.fault == nil {
		return nil
	}
	return p.guards(playground.DocumentCRD, p.crd.Doc, "refuse", "accept")
}

// explainViolation explains why a rule is false for a value that its author may not expect.
func explainViolation(p *problem) []playground.Fix {
	if p.fault == nil || p.fault.Hint == "" {
		return nil
	}
	p.Hint = p.fault.Hint
	return p.guards(playground.DocumentCRD, p.crd.Doc, "refuse", "accept")
}

// guardPolicy adds a check before the part that failed in an expression of a policy or a webhook, or
// corrects a name that the objects never have.
func guardPolicy(p *problem) []playground.Fix {
	if p.fault == nil {
		return nil
	}
	if fixes, isUnknown := p.correctSelection(); isUnknown {
		return fixes
	}
	if hint := nullHints[p.fault.Null]; hint != "" {
		p.Hint = hint
	}
	path := p.doc.PathAt(p.fault.Expression.Key().Start)
	switch {
	case slices.Contains(path, any("matchConditions")):
		// A false condition accepts the object, because nothing judges it.
		return widens(p.guards(p.Document, p.doc, "skip", "judge"))
	case slices.Contains(path, any("validations")):
		return p.guards(p.Document, p.doc, "refuse", "accept")
	}
	return p.guards(p.Document, p.doc, "refuse", "leave")
}

// nullHints has a hint for each variable of a policy that may be null.
var nullHints = map[string]string{
	"object":    "object is null in DELETE requests. Read oldObject instead, or leave DELETE out of the operations.",
	"oldObject": "oldObject is null in CREATE requests.",
	"params":    "params is null if the binding has no paramRef.",
}

// maxGuard limits the expressions that a hint quotes whole; of longer ones, it quotes the part that
// changes.
const maxGuard = 200

// guards writes a check into the expression with the fault: first the one that is false for the
// object, and then the one that is true, which accepts objects that were refused. The verbs say what
// the two do with the objects.
func (p *problem) guards(document playground.Document, doc *source.Document, refuse, accept string) []playground.Fix {
	fault := p.fault
	if fault.Key != nil {
		p.Hint = "In a macro over a map, the variable is the key. To get the value, index the map with the key."
		return p.replacing(doc, document, fault.Key)
	}
	var hints []string
	write := func(verb string, effect playground.FixEffect, guard *celrule.Guard) []playground.Fix {
		if guard == nil {
			return nil
		}
		guarded, ok := edit.Set(doc, guard.Expression, doc.PathAt(fault.Expression.Key().Start)...)
		title := "Write " + guard.Part // It converts the operand.
		if fault.Lacks != "" {
			title = strings.ToUpper(verb[:1]) + verb[1:] + " objects " + fault.Lacks
			text := guard.Expression
			if len(text) > maxGuard {
				text = guard.Part
			}
			hints = append(hints, fmt.Sprintf("To %s such objects, write: %s", verb, text))
		}
		fixes := p.newFix(title, change{edit: guarded, ok: ok, document: document})
		for i := range fixes {
			fixes[i].Effect = effect
		}
		return fixes
	}
	fixes := append(write(refuse, playground.FixKeeps, fault.Refusal), write(accept, playground.FixWidens, fault.Guard)...)
	p.Hint = strings.TrimSpace(p.Hint + "\n" + strings.Join(hints, "\n"))
	return fixes
}

// replacing writes a correction of the part that failed into the expression.
func (p *problem) replacing(doc *source.Document, document playground.Document, by *celrule.Guard) []playground.Fix {
	replaced, ok := edit.Set(doc, by.Expression, doc.PathAt(p.fault.Expression.Key().Start)...)
	return p.newFix("Replace with "+by.Part, change{edit: replaced, ok: ok, document: document})
}

// correctSelection replaces the last name of a selection from the object by similar fields of the
// schema. isUnknown reports that the schema has no such field: a check of it would never be true.
func (p *problem) correctSelection() (fixes []playground.Fix, isUnknown bool) {
	names := p.fault.Selected
	if p.schema == nil || len(names) < 2 || names[0] != "object" && names[0] != "oldObject" {
		return nil, false
	}
	var parent []any
	for _, name := range names[1 : len(names)-1] {
		parent = append(parent, name)
	}
	node, _ := crdschema.NodeAt(p.schema, parent)
	if node == nil || node.XPreserveUnknownFields || node.AdditionalProperties != nil || len(parent) > 0 && parent[0] == "metadata" {
		return nil, false
	}
	name := names[len(names)-1]
	known := slices.Sorted(maps.Keys(node.Properties))
	if len(parent) == 0 {
		known = append(known, "apiVersion", "kind", "metadata")
	}
	if slices.Contains(known, name) {
		return nil, false
	}
	p.Hint = fmt.Sprintf("The schema has no field %s, so no object has it. Correct the name, or declare the field in the schema.", strings.Join(names[1:], "."))
	if p.fault.Rename == nil {
		return nil, true
	}
	for _, similar := range SimilarNames(name, known) {
		renamed, ok := edit.Set(p.doc, p.fault.Rename(similar), p.doc.PathAt(p.fault.Expression.Key().Start)...)
		fixes = append(fixes, p.newFix("Replace with "+similar, change{edit: renamed, ok: ok})...)
	}
	return fixes, true
}

// correctName replaces a name in the rule with each candidate that compiles.
func (p *problem) correctName(name string, candidates []string) []playground.Fix {
	rule, ok := p.rule()
	if !ok {
		return nil
	}
	before, after, ok := p.splitAtError(name)
	if !ok {
		return nil
	}
	var fixes []playground.Fix
	for _, candidate := range candidates {
		if rule.Compiles(before + candidate + after) {
			fixes = append(fixes, p.newFix("Replace with "+candidate, replaceRange(p.Range, candidate))...)
		}
	}
	return fixes
}

// splitAtError returns the rule before and after the name at the position of the
// compiler's error. ok is false if the rule has no such name there.
func (p *problem) splitAtError(name string) (before, after string, ok bool) {
	rule := p.scalar(p.path...)
	line, column, ok := finding.CELPlace(rule, p.Message)
	if !ok {
		return "", "", false
	}
	start, ok := celtoken.Offset(rule, line, column)
	if !ok || start == len(rule) {
		return "", "", false
	}
	// CEL reports a call at its parenthesis, and a field selection at its dot.
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

// propertyNames returns the names of all properties of a schema, escaped for
// CEL and sorted.
func propertyNames(root *apiextensions.JSONSchemaProps) []string {
	names := map[string]bool{}
	for name := range properties(root) {
		if escaped, ok := apiservercel.Escape(name); ok {
			names[escaped] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// properties returns the set of the names of all properties of a schema.
func properties(root *apiextensions.JSONSchemaProps) map[string]bool {
	names := map[string]bool{}
	var walk func(*apiextensions.JSONSchemaProps)
	walk = func(node *apiextensions.JSONSchemaProps) {
		if node == nil {
			return
		}
		for name, property := range node.Properties {
			names[name] = true
			walk(&property)
		}
		if node.Items != nil {
			walk(node.Items.Schema)
		}
		if node.AdditionalProperties != nil {
			walk(node.AdditionalProperties.Schema)
		}
	}
	walk(root)
	return names
}

// removeUnusedOldSelf removes optionalOldSelf from a rule without oldSelf. If the rule does not
// compile, the API server cannot know whether it uses oldSelf.
func removeUnusedOldSelf(p *problem) []playground.Fix {
	rule, ok := p.rule()
	if !ok || rule.Index >= len(rule.Node.XValidations) || !rule.Compiles(rule.Node.XValidations[rule.Index].Rule) {
		return nil
	}
	return removeField(p)
}

// mapKeyTest matches has() with a key of a map.
var mapKeyTest = regexp.MustCompile(`has\(\s*([\w.]+)\[('[^']*'|"[^"]*")\]\s*\)`)

// testMapKeys writes has(self.map['key']) as 'key' in self.map.
func testMapKeys(p *problem) []playground.Fix {
	rule, ok := p.rule()
	text := p.scalar(p.path...)
	if !ok || !mapKeyTest.MatchString(text) {
		return nil
	}
	p.Hint = mapKeyTest.ReplaceAllString(mapKeyTest.FindString(text), "has() checks a field of an object. For a key of a map, write $2 in $1.")
	fixed := mapKeyTest.ReplaceAllString(text, "($2 in $1)")
	if !rule.Compiles(fixed) {
		return nil
	}
	return p.newFix("Replace has() with in", p.setValue(fixed, p.path...))
}

// joinRuleLines writes the sibling field "rule" on one line.
func joinRuleLines(p *problem) []playground.Fix {
	path := append(p.parent(), "rule")
	return p.newFix("Join the rule into one line", p.setValue(joinLines(p.scalar(path...)), path...))
}

// joinFieldLines writes the field on one line.
func joinFieldLines(p *problem) []playground.Fix {
	return p.newFix("Join into one line", p.setValue(joinLines(p.scalar(p.path...)), p.path...))
}

// joinLines replaces line breaks, and other sequences of spaces, with one space.
func joinLines(s string) string { return strings.Join(strings.Fields(s), " ") }

// correctFieldPath begins a fieldPath with a dot instead of self.
func correctFieldPath(p *problem) []playground.Fix {
	path := p.scalar(p.path...)
	if path == "" || strings.ContainsAny(path[:1], ".[") {
		p.Hint = "fieldPath must name a declared field below the one that has the rule. Correct the path, or declare the field."
		return nil
	}
	path = strings.TrimPrefix(path, "self.")
	name, _, _ := strings.Cut(path, ".")
	rule, ok := p.rule()
	if !ok {
		return nil
	}
	if _, ok := rule.Node.Properties[name]; !ok {
		return nil
	}
	return p.setField("." + path)
}
