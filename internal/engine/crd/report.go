package crd

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utilversion "k8s.io/apimachinery/pkg/version"

	"github.com/crdlab/crdlab/internal/playground"
)

// describe adds the names, versions and rules of a decoded CRD to the report, even if
// a later stage rejected the CRD.
func (r *Request) describe() {
	if r.Internal == nil {
		return
	}
	spec := r.Internal.Spec
	r.Report.Name = r.Internal.Name
	r.Report.Group = spec.Group
	r.Report.Scope = string(spec.Scope)
	names := apiextensionsv1.CustomResourceDefinitionNames(spec.Names)
	if r.Report.Accepted {
		names = r.V1.Status.AcceptedNames
	}
	r.Report.Names = playground.Names{
		Plural:     names.Plural,
		Singular:   names.Singular,
		Kind:       names.Kind,
		ListKind:   names.ListKind,
		ShortNames: append([]string{}, names.ShortNames...),
		Categories: append([]string{}, names.Categories...),
	}
	var served []string
	for _, v := range spec.Versions {
		if v.Served {
			served = append(served, v.Name)
		}
	}
	sortByPriority(served)
	priorities := make(map[string]int, len(served))
	for i, name := range slices.Backward(served) {
		priorities[name] = i + 1
	}
	for i, v := range spec.Versions {
		r.Report.Versions = append(r.Report.Versions, playground.Version{
			Name:       v.Name,
			Served:     v.Served,
			Storage:    v.Storage,
			Deprecated: v.Deprecated,
			Priority:   priorities[v.Name],
			Range:      r.keyRange("spec", "versions", i),
		})
	}
	r.reportRules()
}

// ServedByPriority returns the names of the versions that the API server's handler serves,
// the preferred version first. The handler also serves a CRD that is not established if its
// names are accepted, as for a single CRD; discovery does not list it.
func (c *CRD) ServedByPriority() []string {
	var names []string
	if c.Internal == nil || c.Unservable {
		return names
	}
	for _, v := range c.Internal.Spec.Versions {
		if v.Served {
			names = append(names, v.Name)
		}
	}
	sortByPriority(names)
	return names
}

// sortByPriority sorts version names in the order of discovery.
func sortByPriority(versions []string) {
	slices.SortFunc(versions, func(a, b string) int { return utilversion.CompareKubeAwareVersionStrings(b, a) })
}

// IsEstablished reports whether the condition Established is true.
func (c *CRD) IsEstablished() bool {
	return slices.ContainsFunc(c.Report.Conditions, func(condition playground.Condition) bool {
		return condition.Type == string(apiextensionsv1.Established) && condition.Status == string(apiextensionsv1.ConditionTrue)
	})
}
