package crd

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

// serve does what the controllers and the handler of custom resources do
// once a CRD is created: set its conditions and compile its versions.
func serve(r *Request) error {
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := scheme.Convert(r.Internal, v1, nil); err != nil {
		return fmt.Errorf("convert CRD to v1: %w", err)
	}
	if err := r.compileVersions(v1); err != nil {
		r.V1, r.Unservable = v1, true
	}
	r.Report.Conditions = conditions(r.Internal, v1, r.Versions)
	if err := checkConversion(r.features, r.CRD); err != nil {
		r.Unservable = true
		r.Report.Findings = append(r.Report.Findings, r.notServed(err))
	}
	if r.Old != nil {
		r.CompileOld = sync.OnceValues(r.compileOld)
	}
	r.Report.Accepted = true
	r.Report.Status = playground.Status{Code: http.StatusCreated}
	if r.Old != nil {
		r.Report.Status.Code = http.StatusOK
	}
	r.Report.StoredVersions = v1.Status.StoredVersions
	return nil
}

// notServed tells why each request for an object is going to fail. The API server
// writes it into its log only.
func (r *Request) notServed(err error) playground.Finding {
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
func (c *CRD) compileVersions(v1 *apiextensionsv1.CustomResourceDefinition) error {
	for _, v := range v1.Spec.Versions {
		compiled, err := compileVersion(c.compiler, v1, v)
		if err != nil {
			return fmt.Errorf("compile version %s: %w", v.Name, err)
		}
		c.Versions[v.Name] = compiled
		if v.Storage {
			c.Storage = compiled
		}
	}
	c.V1 = v1
	return nil
}

// compileOld compiles the CRD that is in the cluster before.
func (r *Request) compileOld() (*CRD, error) {
	v1, err := ToV1(r.Old)
	if err != nil {
		return nil, err
	}
	old := &CRD{compiler: r.compiler, Report: emptyCRDReport(), Doc: r.OldDoc, Versions: map[string]*Version{}}
	old.Report.Conditions = conditions(r.Old, v1, nil)
	err = upstream.Guard(playground.StageCRDServe, func() error { return old.compileVersions(v1) })
	if err == nil && old.Storage == nil {
		err = errors.New("the old CRD has no storage version")
	}
	if err == nil {
		err = checkConversion(r.features, old)
	}
	return old, err
}

// describe fills in what the report says of any CRD that could be decoded,
// accepted or not.
func (r *Request) describe() {
	if r.Internal == nil {
		return
	}
	spec := r.Internal.Spec
	r.Report.Name = r.Internal.Name
	r.Report.Group = spec.Group
	r.Report.Scope = string(spec.Scope)
	r.Report.Names = playground.Names{
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
		r.Report.Versions = append(r.Report.Versions, playground.Version{
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

// ServedByPriority are the names of the served versions, the one that clients
// prefer first. Clients find none as long as the CRD is not established.
func (c *CRD) ServedByPriority() []string {
	var names []string
	if !c.IsEstablished() || c.Unservable {
		return names
	}
	for _, v := range c.Report.Versions {
		if v.Served {
			names = append(names, v.Name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return utilversion.CompareKubeAwareVersionStrings(b, a) })
	return names
}

// IsEstablished says whether the controllers have the CRD served.
func (c *CRD) IsEstablished() bool {
	return slices.ContainsFunc(c.Report.Conditions, func(condition playground.Condition) bool {
		return condition.Type == string(apiextensionsv1.Established) && condition.Status == string(apiextensionsv1.ConditionTrue)
	})
}
