package notes

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdlab/crdlab/internal/playground"
)

// oldSelf is the variable of CEL that makes a rule a transition rule.
const oldSelf = "oldSelf"

// findAvoidedTransitions reports transition rules of an optional field: they do not run if an
// update removes the field, or sets it again. The items of lists and maps are left out, because
// a client may remove the whole item.
func findAvoidedTransitions(n node) (notes []playground.Finding) {
	isTransition := func(rule apiextensionsv1.ValidationRule) bool {
		return strings.Contains(rule.Rule, oldSelf) && (rule.OptionalOldSelf == nil || !*rule.OptionalOldSelf)
	}
	i := slices.IndexFunc(n.schema.XValidations, isTransition)
	if i < 0 || n.parent == nil || n.schema.Default != nil || slices.Contains(n.path, "items") || slices.Contains(n.path, "additionalProperties") {
		return nil
	}
	name := n.path[len(n.path)-1]
	escaped, ok := apiservercel.Escape(name)
	if !ok || slices.Contains(n.parent.Required, name) || n.isGuardedAbove(escaped) {
		return nil
	}
	at, ok := n.lookup("x-kubernetes-validations", i, "rule")
	if !ok {
		return nil
	}
	keep := fmt.Sprintf("!has(%s.%s) || has(self.%s)", oldSelf, escaped, escaped)
	var fixes []playground.Fix
	path := n.crd.SchemaPath(n.index, n.path[:len(n.path)-2])
	if e, ok := n.setting(map[string]any{"rule": keep}, append(path, "x-kubernetes-validations", len(n.parent.XValidations))...); ok {
		fixes = newFix("Add the rule "+keep, e)
	}
	return []playground.Finding{newNote(at.Value(), fmt.Sprintf("two updates avoid this rule: one that removes %s, and one that sets it again", name),
		"A rule with oldSelf does not run if the field is absent before or after the update. Make the field required, or let a rule of its parent refuse its removal.", fixes...)}
}

// isGuardedAbove reports whether a transition rule above the node names its field.
func (n node) isGuardedAbove(escaped string) bool {
	path := n.path.String()
	return slices.ContainsFunc(n.crd.Report.Rules, func(rule playground.Rule) bool {
		isAbove := rule.SchemaPath != path && strings.HasPrefix(path, rule.SchemaPath)
		return rule.Version == n.Name && isAbove && strings.Contains(rule.Rule, oldSelf) && strings.Contains(rule.Rule, escaped)
	})
}
