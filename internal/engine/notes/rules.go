package notes

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdlab/crdlab/internal/engine/celvalue"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/quickfix"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// escapedName matches a name with an escape sequence of Kubernetes: selected with a dot, as the
// index of a map, or in a test of its keys.
var escapedName = regexp.MustCompile(`\.(\w*__(?:dot|dash|slash)__\w*)|\[\s*["'](\w*__(?:dot|dash|slash)__\w*)["']\s*\]|["'](\w*__(?:dot|dash|slash)__\w*)["']\s+in\b`)

// findEscapedKeys reports keys of maps that a rule escapes as if they were properties.
func findEscapedKeys(n node) (notes []playground.Finding) {
	for i, rule := range n.schema.XValidations {
		if !strings.Contains(rule.Rule, "__") {
			continue
		}
		at, ok := n.lookup("x-kubernetes-validations", i, "rule")
		if !ok {
			continue
		}
		scalar, ok := at.Scalar()
		if !ok {
			continue
		}
		for _, m := range escapedName.FindAllStringSubmatchIndex(rule.Rule, -1) {
			group := 2
			for m[group] < 0 {
				group += 2
			}
			escaped := rule.Rule[m[group]:m[group+1]]
			name, ok := apiservercel.Unescape(escaped)
			if !ok || group == 2 && n.properties()[name] {
				continue
			}
			start := utf8.RuneCountInString(rule.Rule[:m[group]])
			notes = append(notes, newNote(scalar.Range(start, start+utf8.RuneCountInString(escaped)),
				fmt.Sprintf("%s never matches the key %s of a map: only the names of properties are escaped", escaped, name),
				fmt.Sprintf("Test a key of a map with '%s' in the map, and read its value with ['%s'].", name, name)))
		}
	}
	return notes
}

// findExpressionMessages reports messages that their authors took for expressions.
func findExpressionMessages(n node) (notes []playground.Finding) {
	for i, rule := range n.schema.XValidations {
		if rule.MessageExpression != "" || !celvalue.BuildsText(rule.Message) {
			continue
		}
		at, ok := n.lookup("x-kubernetes-validations", i, "message")
		if !ok {
			continue
		}
		notes = append(notes, newNote(at.Value(), "the API server does not evaluate message, which looks like an expression",
			"Users see message verbatim. To compute the text, use messageExpression.", n.evaluateMessage(i)...))
	}
	return notes
}

// evaluateMessage makes the message of a rule an expression. A call of format() costs less than a
// concatenation, which often exceeds the budget.
func (n node) evaluateMessage(rule int) []playground.Fix {
	path := n.documentPath("x-kubernetes-validations", rule, "message")
	renamed, ok := n.edit(func() (edit.Edit, bool) { return edit.Rename(n.crd.Doc, "messageExpression", path...) })
	if !ok {
		return nil
	}
	edits := []edit.Edit{renamed}
	if formatted, ok := quickfix.FormatCall(n.schema.XValidations[rule].Message); ok {
		if value, ok := n.setting(formatted, path...); ok {
			edits = append(edits, value)
		}
	}
	return newFix("Rename to messageExpression", edits...)
}

// propertiesOf adds the names of all properties of a schema to names, and returns names.
func propertiesOf(s *apiextensionsv1.JSONSchemaProps, names map[string]bool) map[string]bool {
	for name, property := range s.Properties {
		names[name] = true
		propertiesOf(&property, names)
	}
	if s.Items != nil && s.Items.Schema != nil {
		propertiesOf(s.Items.Schema, names)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		propertiesOf(s.AdditionalProperties.Schema, names)
	}
	return names
}

// A bound is a keyword that limits the size of values, and so the estimated cost of rules.
type bound struct {
	name string
	of   func(*apiextensionsv1.JSONSchemaProps) *int64
}

var bounds = []bound{
	{"maxLength", func(s *apiextensionsv1.JSONSchemaProps) *int64 { return s.MaxLength }},
	{"maxItems", func(s *apiextensionsv1.JSONSchemaProps) *int64 { return s.MaxItems }},
	{"maxProperties", func(s *apiextensionsv1.JSONSchemaProps) *int64 { return s.MaxProperties }},
}

// findUncountedBounds reports bounds that are only in allOf, where the estimated cost of an
// expensive rule ignores them.
func findUncountedBounds(n node) (notes []playground.Finding) {
	for _, bound := range bounds {
		if bound.of(n.schema) != nil {
			continue
		}
		for i := range n.schema.AllOf {
			limit := bound.of(&n.schema.AllOf[i])
			if limit == nil {
				continue
			}
			at, ok := n.lookup("allOf", i, bound.name)
			if !ok || !n.isExpensive() {
				continue
			}
			for j := range n.schema.AllOf {
				if other := bound.of(&n.schema.AllOf[j]); other != nil {
					limit = new(min(*limit, *other))
				}
			}
			var fixes []playground.Fix
			if e, ok := n.setting(*limit, n.documentPath(bound.name)...); ok {
				fixes = newFix(fmt.Sprintf("Repeat %s: %d outside of allOf", bound.name, *limit), e)
			}
			notes = append(notes, newNote(at.Key(), "the estimated cost of rules ignores "+bound.name+" in allOf",
				"A rule that reads these values uses at least a tenth of its cost limit. Repeat "+bound.name+" outside of allOf.", fixes...))
			break
		}
	}
	return notes
}

// isExpensive reports whether a rule at the node, above or below it uses a tenth of its cost
// limit, and can read the values of the node or runs once for each.
func (n node) isExpensive() bool {
	path := n.path.String()
	for _, rule := range n.crd.Report.Rules {
		if rule.Version != n.Name || rule.EstimatedCost < crd.RuleCostLimit/10 {
			continue
		}
		rest, above := strings.CutPrefix(path, rule.SchemaPath)
		if strings.HasPrefix(rule.SchemaPath, path) || above && readsPath(rule.Rule, rest) {
			return true
		}
	}
	return false
}

var propertyStep = regexp.MustCompile(`properties\[([^\]]*)\]`)

// readsPath reports whether a rule names each property of a path.
func readsPath(rule, path string) bool {
	for _, m := range propertyStep.FindAllStringSubmatch(path, -1) {
		if escaped, ok := apiservercel.Escape(m[1]); !ok || !strings.Contains(rule, escaped) {
			return false
		}
	}
	return true
}
