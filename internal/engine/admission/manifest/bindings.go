package manifest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// checkBindings warns of bindings without a policy and policies without a
// binding, which have no effect.
func (m *Manifest) checkBindings() {
	validating, mutating := newBindingCheck(m, "ValidatingAdmissionPolicy"), newBindingCheck(m, "MutatingAdmissionPolicy")
	for _, p := range m.ValidatingPolicies {
		validating.policies[p.Object.Name] = p.NameRange()
	}
	for _, p := range m.MutatingPolicies {
		mutating.policies[p.Object.Name] = p.NameRange()
	}
	for _, b := range m.ValidatingBindings {
		validating.bind(b.Object.Spec.PolicyName, b.Doc)
	}
	for _, b := range m.MutatingBindings {
		mutating.bind(b.Object.Spec.PolicyName, b.Doc)
	}
	validating.warnUnbound()
	mutating.warnUnbound()
}

// A bindingCheck matches the policies of one kind with their bindings.
type bindingCheck struct {
	manifest *Manifest
	kind     string
	policies map[string]playground.Range
	bound    map[string]bool
}

func newBindingCheck(m *Manifest, kind string) *bindingCheck {
	return &bindingCheck{m, kind, map[string]playground.Range{}, map[string]bool{}}
}

// bind marks a policy as bound, and warns if there is no such policy.
func (c *bindingCheck) bind(policy string, doc *source.Document) {
	c.bound[policy] = true
	at := valueRange(doc, "spec", "policyName")
	switch _, ok := c.policies[policy]; {
	case ok:
	case c.manifest.rejected[c.kind+" "+policy]:
		c.manifest.warn(at, fmt.Sprintf("the %s %q has errors, so this binding has no effect", c.kind, policy))
	default:
		c.manifest.warn(at, fmt.Sprintf("there is no %s %q, so this binding has no effect", c.kind, policy))
	}
}

func (c *bindingCheck) warnUnbound() {
	for _, name := range slices.Sorted(maps.Keys(c.policies)) {
		switch {
		case c.bound[name]:
		case c.manifest.hasRejectedBinding(c.kind):
			c.manifest.warn(c.policies[name], fmt.Sprintf("no %sBinding without errors refers to this policy, so it has no effect", c.kind))
		default:
			c.manifest.warn(c.policies[name], fmt.Sprintf("no %sBinding refers to this policy, so it has no effect", c.kind))
		}
	}
}

// hasRejectedBinding reports whether a binding to the given kind of policy is invalid.
func (m *Manifest) hasRejectedBinding(kind string) bool {
	for key := range m.rejected {
		if strings.HasPrefix(key, kind+"Binding ") {
			return true
		}
	}
	return false
}
