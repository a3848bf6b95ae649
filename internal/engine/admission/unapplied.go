package admission

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
)

// Applied reports whether a policy or webhook of the mutating or of the validating stage ran.
func (r *Review) Applied(mutates bool) bool {
	policies := r.plugins.validating
	if mutates {
		policies = r.plugins.mutating
	}
	for _, p := range policies {
		for _, b := range p.bindings {
			if len(r.record.binding(b).invocations) > 0 {
				return true
			}
		}
	}
	return slices.ContainsFunc(r.plugins.webhooks, func(w *admissionWebhook) bool {
		_, called := r.record.webhooks[w]
		return called && w.mutates() == mutates
	})
}

// A constraint is a policy, a binding or a webhook with its match constraints in the manifest.
type constraint struct {
	kind, name string
	at         playground.Range
	match      *admissionregistrationv1.MatchResources
	// mismatches has an entry for each object, which is nil if the constraint matches it.
	mismatches []*playground.AdmissionMismatch
}

// UnappliedFindings returns a warning for each policy, binding and webhook that matches none of the
// objects. names are the CRD's names.
func (p *Plugins) UnappliedFindings(objects []playground.Object, names playground.Names) []playground.Finding {
	var constraints []*constraint
	for i, policy := range slices.Concat(p.mutating, p.validating) {
		of := &constraint{kind: "policy", name: policy.name, at: policy.at, match: policy.match}
		constraints = append(constraints, of)
		bindings := make([]*constraint, len(policy.bindings))
		for j, b := range policy.bindings {
			bindings[j] = &constraint{kind: "binding", name: b.name, at: b.at, match: b.match}
		}
		for _, o := range objects {
			if o.Admission == nil {
				continue
			}
			reported := o.Admission.Policies[i]
			of.mismatches = append(of.mismatches, reported.Mismatch)
			for j, b := range reported.Bindings {
				if reported.Mismatch == nil {
					bindings[j].mismatches = append(bindings[j].mismatches, b.Mismatch)
				}
			}
		}
		constraints = append(constraints, bindings...)
	}
	for i, webhook := range p.webhooks {
		of := &constraint{kind: "webhook", name: webhook.name, at: webhook.at, match: webhook.match}
		for _, o := range objects {
			if o.Admission != nil {
				of.mismatches = append(of.mismatches, o.Admission.Webhooks[i].Mismatch)
			}
		}
		constraints = append(constraints, of)
	}
	var all []playground.Finding
	for _, c := range constraints {
		if len(c.mismatches) > 0 && !slices.Contains(c.mismatches, nil) {
			all = append(all, p.unapplied(c, names))
		}
	}
	return all
}

// SelectorFindings returns a warning for each policy and binding that has a namespaceSelector and
// still judges an object without a namespace.
func (p *Plugins) SelectorFindings(objects []playground.Object) (all []playground.Finding) {
	add := func(at playground.Range, match *admissionregistrationv1.MatchResources, field string) {
		n := p.file.Document(at.Start)
		if n < 0 || match == nil || match.NamespaceSelector == nil || len(match.NamespaceSelector.MatchLabels)+len(match.NamespaceSelector.MatchExpressions) == 0 {
			return
		}
		if location, ok := p.file.Documents[n].At("spec", field, partNamespace); ok {
			at = location.Key()
		}
		f := finding.Warning(playground.DocumentAdmission, playground.StageAdmit, at, "the namespaceSelector does not exclude cluster-scoped objects")
		f.Hint = "An object without a namespace matches every namespaceSelector. To select such objects, use objectSelector or matchConditions."
		if !slices.ContainsFunc(all, func(other playground.Finding) bool { return other.Range == f.Range }) {
			all = append(all, f)
		}
	}
	for i, policy := range slices.Concat(p.mutating, p.validating) {
		for _, o := range objects {
			if o.Admission == nil || o.Namespace != "" || o.Admission.Policies[i].Outcome == playground.OutcomeSkipped {
				continue
			}
			add(policy.at, policy.match, "matchConstraints")
			for j, b := range policy.bindings {
				if o.Admission.Policies[i].Bindings[j].Outcome != playground.OutcomeSkipped {
					add(b.at, b.match, "matchResources")
				}
			}
		}
	}
	return all
}

// unapplied returns the warning about a constraint, at the value that comes nearest to a match.
func (p *Plugins) unapplied(c *constraint, names playground.Names) playground.Finding {
	mismatch := c.mismatches[0]
	f := finding.Warning(playground.DocumentAdmission, playground.StageAdmit, c.at, fmt.Sprintf("the %s applies to no object here: %s", c.kind, mismatch.Why))
	n := p.file.Document(c.at.Start)
	if n < 0 {
		return f
	}
	doc := p.file.Documents[n]
	path := []any{"spec", "matchConstraints", mismatch.Part}
	switch c.kind {
	case "binding":
		path = []any{"spec", "matchResources", mismatch.Part}
	case "webhook":
		path = append(slices.Clip(doc.PathAt(c.at.Start)[:2]), map[string]string{partRules: "rules"}[mismatch.Part])
		if mismatch.Part != partRules {
			path[2] = mismatch.Part
		}
	}
	if mismatch.Part == partRules {
		if near, ok := nearest(c.match.ResourceRules, *mismatch, names); ok {
			path = append(path, near.rule, near.field, near.item)
			f.Message = fmt.Sprintf("the %s applies to no object here: %s lacks %q", c.kind, near.field, near.wants)
			if near.has != "" {
				f.Message = fmt.Sprintf("the %s applies to no object here: %s has %q, not %q", c.kind, near.field, near.has, near.wants)
			}
			f.Hint = near.hint
		}
	}
	if location, ok := doc.At(path...); ok {
		f.Range = location.Value()
		if mismatch.Part == partNamespace {
			f.Hint = "A namespace has the labels that a document with kind: Namespace gives it, and kubernetes.io/metadata.name. Add the document, or correct the selector."
		}
	}
	return f
}

// A nearMatch is the only field of a rule that excludes a request.
type nearMatch struct {
	rule  int
	field string
	item  int
	// has is another name of the resource, which an item has instead of wants; or empty.
	has, wants, hint string
}

// nearest returns the field to change so that a rule matches a request. It reports false if more
// than one field of each rule excludes the request.
func nearest(rules []admissionregistrationv1.NamedRuleWithOperations, request playground.AdmissionMismatch, names playground.Names) (nearMatch, bool) {
	for i, rule := range rules {
		var operations []string
		for _, operation := range rule.Operations {
			operations = append(operations, string(operation))
		}
		var excluding []nearMatch
		for _, field := range []struct {
			name, wants, hint string
			items             []string
		}{
			{"apiGroups", request.Group, "Write the group of the CRD.", rule.APIGroups},
			{"apiVersions", request.Version, "Write a version that the CRD serves, or \"*\".", rule.APIVersions},
			{"operations", request.Operation, "The policy does not cover this operation. Choose another request, or add the operation.", operations},
			{"resources", request.Resource, resourceHint(request.Resource), rule.Resources},
		} {
			if slices.ContainsFunc(field.items, func(item string) bool { return covers(item, field.wants) }) || len(field.items) == 0 {
				continue
			}
			near := nearMatch{i, field.name, 0, "", field.wants, field.hint}
			if item := aliasIn(field.items, field.wants, names); item >= 0 {
				near.item, near.has = item, field.items[item]
			}
			excluding = append(excluding, near)
		}
		if len(excluding) == 1 {
			return excluding[0], true
		}
	}
	return nearMatch{}, false
}

func resourceHint(resource string) string {
	if strings.Contains(resource, "/") {
		return "The request goes to a subresource, which a rule lists as its own resource."
	}
	return "A rule has the plural name of a resource in lower case, as in spec.names.plural of the CRD."
}

// covers reports whether an item of a rule covers a value: the plugins' matcher decides about
// requests, and this comparison only finds the item to name.
func covers(item, value string) bool {
	resource, subresource, _ := strings.Cut(value, "/")
	return item == "*" && subresource == "" || item == value || item == "*/*" || item == resource+"/*" || item == "*/"+cmp.Or(subresource, "*")
}

// aliasIn returns the index of the item that is another name of a resource, or -1.
func aliasIn(items []string, resource string, names playground.Names) int {
	others := append([]string{names.Singular, names.Kind, names.ListKind}, names.ShortNames...)
	return slices.IndexFunc(items, func(item string) bool {
		return strings.EqualFold(item, resource) || slices.ContainsFunc(others, func(other string) bool { return strings.EqualFold(item, other) })
	})
}
