package admission

import (
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/admission"
)

// explainMismatch returns the reason why a request does not match, or "". It gives
// the plugins' matcher one part of the constraints at a time; the first part that
// does not match is the reason.
func (p *Plugins) explainMismatch(a admission.Attributes, o admission.ObjectInterfaces, match *admissionregistrationv1.MatchResources) string {
	all := &metav1.LabelSelector{}
	parts := []struct {
		why  string
		part admissionregistrationv1.MatchResources
	}{
		{"namespaceSelector does not match the labels of the namespace " + a.GetNamespace(),
			admissionregistrationv1.MatchResources{NamespaceSelector: match.NamespaceSelector, ObjectSelector: all}},
		{"objectSelector does not match the labels of the object",
			admissionregistrationv1.MatchResources{NamespaceSelector: all, ObjectSelector: match.ObjectSelector}},
		{"excludeResourceRules match " + describeRequest(a),
			admissionregistrationv1.MatchResources{NamespaceSelector: all, ObjectSelector: all, ExcludeResourceRules: match.ExcludeResourceRules, MatchPolicy: match.MatchPolicy}},
		{"no rule matches " + describeRequest(a),
			admissionregistrationv1.MatchResources{NamespaceSelector: all, ObjectSelector: all, ResourceRules: match.ResourceRules, MatchPolicy: match.MatchPolicy}},
	}
	for _, candidate := range parts {
		if matches, _, _, err := p.matcher.Matches(a, o, &matchCriteria{&candidate.part}); err == nil && !matches {
			return candidate.why
		}
	}
	return ""
}

func describeRequest(a admission.Attributes) string {
	resource := a.GetResource().Resource
	if a.GetSubresource() != "" {
		resource += "/" + a.GetSubresource()
	}
	return fmt.Sprintf("%s of %s in %s", a.GetOperation(), resource, a.GetResource().GroupVersion())
}

// matchCriteria adapts match constraints to the plugins' matcher.
type matchCriteria struct {
	match *admissionregistrationv1.MatchResources
}

func (m *matchCriteria) GetParsedNamespaceSelector() (labels.Selector, error) {
	return metav1.LabelSelectorAsSelector(m.match.NamespaceSelector)
}

func (m *matchCriteria) GetParsedObjectSelector() (labels.Selector, error) {
	return metav1.LabelSelectorAsSelector(m.match.ObjectSelector)
}

func (m *matchCriteria) GetMatchResources() admissionregistrationv1.MatchResources { return *m.match }
