package engine

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utilversion "k8s.io/apimachinery/pkg/version"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// serveCRD does what the controllers and the handler of custom resources do
// once a CRD is created: set its conditions and compile its versions.
func serveCRD(r *crdRequest) error {
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := crdScheme.Convert(r.internal, v1, nil); err != nil {
		return fmt.Errorf("convert CRD to v1: %w", err)
	}
	if err := r.compileVersions(v1); err != nil {
		r.v1, r.unresolvable = v1, true
	}
	r.report.Conditions = conditions(r.internal, v1, r.versions)
	if err := r.parts.checkConversion(r.crd); err != nil {
		r.unresolvable = true
		r.report.Findings = append(r.report.Findings, r.notServed(err))
	}
	if r.old != nil {
		r.before = sync.OnceValues(r.compileOld)
	}
	r.report.Accepted = true
	r.report.Status = playground.Status{Code: http.StatusCreated}
	if r.old != nil {
		r.report.Status.Code = http.StatusOK
	}
	r.report.StoredVersions = v1.Status.StoredVersions
	return nil
}

// notServed tells why each request for an object is going to fail. The API server
// writes it into its log only.
func (r *crdRequest) notServed(err error) playground.Finding {
	return playground.Finding{
		Severity: playground.SeverityWarning,
		Stage:    playground.StageCRDServe,
		Field:    "spec.conversion.webhook.clientConfig",
		Message:  "the API server accepts the CRD but cannot serve its objects: " + err.Error(),
		Hint:     "Each request for an object is answered with status 500 until the address of the conversion webhook is one. Names of services and namespaces have lower case letters, digits and hyphens.",
		Document: playground.DocumentCRD,
		Range:    r.keyRange("spec", "conversion", "webhook", "clientConfig"),
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	}
}

// compileVersions compiles all versions of v1: objects may be stored at one
// that is neither served nor stored any more.
func (c *crd) compileVersions(v1 *apiextensionsv1.CustomResourceDefinition) error {
	for _, v := range v1.Spec.Versions {
		compiled, err := c.compiler.compileVersion(v1, v)
		if err != nil {
			return fmt.Errorf("compile version %s: %w", v.Name, err)
		}
		c.versions[v.Name] = compiled
		if v.Storage {
			c.storage = compiled
		}
	}
	c.v1 = v1
	return nil
}

// compileOld compiles the CRD that is in the cluster before.
func (r *crdRequest) compileOld() (*crd, error) {
	v1, err := asV1(r.old)
	if err != nil {
		return nil, err
	}
	old := &crd{compiler: r.compiler, report: emptyCRDReport(), doc: r.oldDoc, versions: map[string]*version{}}
	old.report.Conditions = conditions(r.old, v1, nil)
	err = upstream.Guard(playground.StageCRDServe, func() error { return old.compileVersions(v1) })
	if err == nil && old.storage == nil {
		err = errors.New("the old CRD has no storage version")
	}
	if err == nil {
		err = r.parts.checkConversion(old)
	}
	return old, err
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
// prefer first. Clients find none as long as the CRD is not established.
func (c *crd) servedByPriority() []string {
	var names []string
	if !c.isEstablished() || c.unresolvable {
		return names
	}
	for _, v := range c.report.Versions {
		if v.Served {
			names = append(names, v.Name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return utilversion.CompareKubeAwareVersionStrings(b, a) })
	return names
}

// isEstablished says whether the controllers have the CRD served.
func (c *crd) isEstablished() bool {
	return slices.ContainsFunc(c.report.Conditions, func(condition playground.Condition) bool {
		return condition.Type == string(apiextensionsv1.Established) && condition.Status == string(apiextensionsv1.ConditionTrue)
	})
}
