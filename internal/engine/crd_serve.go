package engine

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/util/webhook"

	"github.com/crdlab/crdlab/internal/playground"
)

// serveCRD does what the controllers and the handler of custom resources do
// once a CRD is created: set its conditions and compile its versions.
func serveCRD(r *crdRequest) error {
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := crdScheme.Convert(r.internal, v1, nil); err != nil {
		return fmt.Errorf("convert CRD to v1: %w", err)
	}
	for _, v := range v1.Spec.Versions {
		if !v.Served && !v.Storage {
			continue
		}
		compiled, err := compileVersion(v1, v)
		if err != nil {
			return fmt.Errorf("compile version %s: %w", v.Name, err)
		}
		r.versions[v.Name] = compiled
		if v.Storage {
			r.storage = compiled
		}
	}
	r.v1 = v1
	r.report.Accepted = true
	r.report.Status = playground.Status{Code: http.StatusCreated}
	r.report.StoredVersions = v1.Status.StoredVersions
	r.report.Conditions = conditions(v1)
	return nil
}

// conditions are those that the controllers of a server without other CRDs
// set on a new, structural CRD.
func conditions(crd *apiextensionsv1.CustomResourceDefinition) []playground.Condition {
	all := []playground.Condition{
		established(crd),
		{
			Type:    string(apiextensionsv1.NamesAccepted),
			Status:  string(apiextensionsv1.ConditionTrue),
			Reason:  "NoConflicts",
			Message: "no conflicts found",
		},
	}
	if apihelpers.IsProtectedCommunityGroup(crd.Spec.Group) {
		all = append(all, apiApproval(crd.Annotations))
	}
	slices.SortFunc(all, func(a, b playground.Condition) int { return cmp.Compare(a.Type, b.Type) })
	return all
}

// established follows k8s.io/apiextensions-apiserver/pkg/controller/establish.
func established(crd *apiextensionsv1.CustomResourceDefinition) playground.Condition {
	condition := playground.Condition{
		Type:    string(apiextensionsv1.Established),
		Status:  string(apiextensionsv1.ConditionTrue),
		Reason:  "InitialNamesAccepted",
		Message: "the initial names have been accepted",
	}
	conversion := crd.Spec.Conversion
	if conversion == nil || conversion.Webhook == nil || conversion.Webhook.ClientConfig == nil {
		return condition
	}
	if len(webhook.ValidateCABundle(field.NewPath(""), conversion.Webhook.ClientConfig.CABundle)) > 0 {
		condition.Status = string(apiextensionsv1.ConditionFalse)
		condition.Reason = "InvalidCABundle"
		condition.Message = "The conversion webhook CABundle is invalid"
	}
	return condition
}

// apiApproval follows k8s.io/apiextensions-apiserver/pkg/controller/apiapproval.
func apiApproval(annotations map[string]string) playground.Condition {
	state, reason := apihelpers.GetAPIApprovalState(annotations)
	condition := playground.Condition{
		Type:    string(apiextensionsv1.KubernetesAPIApprovalPolicyConformant),
		Status:  string(apiextensionsv1.ConditionFalse),
		Message: reason,
	}
	switch state {
	case apihelpers.APIApproved:
		condition.Status = string(apiextensionsv1.ConditionTrue)
		condition.Reason = "ApprovedAnnotation"
	case apihelpers.APIApprovalBypassed:
		condition.Reason = "UnapprovedAnnotation"
	case apihelpers.APIApprovalMissing:
		condition.Reason = "MissingAnnotation"
	case apihelpers.APIApprovalInvalid:
		condition.Reason = "InvalidAnnotation"
	}
	return condition
}

// describe fills in what the report says of any CRD that could be decoded,
// accepted or not.
func (r *crdRequest) describe() {
	if r.internal == nil {
		return
	}
	spec := r.internal.Spec
	r.report.Name = r.internal.Name
	r.report.Group = spec.Group
	r.report.Scope = string(spec.Scope)
	r.report.Names = playground.Names{
		Plural:     spec.Names.Plural,
		Singular:   spec.Names.Singular,
		Kind:       spec.Names.Kind,
		ListKind:   spec.Names.ListKind,
		ShortNames: append([]string{}, spec.Names.ShortNames...),
		Categories: append([]string{}, spec.Names.Categories...),
	}
	var served []string
	for _, v := range spec.Versions {
		if v.Served {
			served = append(served, v.Name)
		}
	}
	slices.SortFunc(served, func(a, b string) int { return utilversion.CompareKubeAwareVersionStrings(b, a) })
	for i, v := range spec.Versions {
		r.report.Versions = append(r.report.Versions, playground.Version{
			Name:       v.Name,
			Served:     v.Served,
			Storage:    v.Storage,
			Deprecated: v.Deprecated,
			Priority:   slices.Index(served, v.Name) + 1,
			Range:      r.keyRange("spec", "versions", i),
		})
	}
	r.reportRules()
}

// servedByPriority are the names of the served versions, the one that clients
// prefer first.
func (c *crd) servedByPriority() []string {
	var names []string
	for _, v := range c.report.Versions {
		if v.Served {
			names = append(names, v.Name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return utilversion.CompareKubeAwareVersionStrings(b, a) })
	return names
}
