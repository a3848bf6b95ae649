package admission

import (
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/admission"

	"github.com/crdlab/crdlab/internal/playground"
)

// The parts of match constraints, see [playground.AdmissionMismatch].
const (
	partRules     = "resourceRules"
	partExclude   = "excludeResourceRules"
	partNamespace = "namespaceSelector"
	partObject    = "objectSelector"
)

// explainMismatch returns the reason why a request does not match, or nil. It gives
// the plugins' matcher one part of the constraints at a time; the first part that
// does not match is the reason.
func (p *Plugins) explainMismatch(a admission.Attributes, o admission.ObjectInterfaces, match *admissionregistrationv1.MatchResources) *playground.AdmissionMismatch {
	all := &metav1.LabelSelector{}
	candidates := []struct {
		part, why string
		match     admissionregistrationv1.MatchResources
	}{
		{partNamespace, "namespaceSelector does not match the labels of the namespace " + a.GetNamespace(),
			admissionregistrationv1.MatchResources{NamespaceSelector: match.NamespaceSelector, ObjectSelector: all}},
		{partObject, "objectSelector does not match the labels of the object",
			admissionregistrationv1.MatchResources{NamespaceSelector: all, ObjectSelector: match.ObjectSelector}},
		{partExclude, "excludeResourceRules match " + describeRequest(a),
			admissionregistrationv1.MatchResources{NamespaceSelector: all, ObjectSelector: all, ExcludeResourceRules: match.ExcludeResourceRules, MatchPolicy: match.MatchPolicy}},
		{partRules, "no rule matches " + describeRequest(a),
			admissionregistrationv1.MatchResources{NamespaceSelector: all, ObjectSelector: all, ResourceRules: match.ResourceRules, MatchPolicy: match.MatchPolicy}},
	}
	for _, c := range candidates {
		if matches, _, _, err := p.matcher.Matches(a, o, &matchCriteria{&c.match}); err == nil && !matches {
			return &playground.AdmissionMismatch{
				Part: c.part, Why: c.why,
				Operation: string(a.GetOperation()), Group: a.GetResource().Group, Version: a.GetResource().Version, Resource: describeResource(a),
			}
		}
	}
	return nil
}

func describeResource(a admission.Attributes) string {
	if a.GetSubresource() != "" {
		return a.GetResource().Resource + "/" + a.GetSubresource()
	}
	return a.GetResource().Resource
}

func describeRequest(a admission.Attributes) string {
	return fmt.Sprintf("%s of %s in %s", a.GetOperation(), describeResource(a), a.GetResource().GroupVersion())
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
