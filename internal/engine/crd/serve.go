package crd

import (
	"errors"
	"fmt"
	"net/http"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// serve sets the conditions of the stored CRD and compiles its versions, as the
// controllers and the handler of custom resources do.
func serve(r *Request) error {
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := scheme.Convert(r.Internal, v1, nil); err != nil {
		return fmt.Errorf("convert CRD to v1: %w", err)
	}
	if err := r.compileVersions(v1, r.lastVersion); err != nil {
		// The API server accepts the CRD and fails the requests for its objects.
		r.V1, r.Unservable = v1, true
		r.findings.Add(r.uncompiledFinding(err))
	}
	last := r.lastServed()
	if last != nil && r.change.keepsTypes() {
		r.derived.applied = last.derived.applied
	}
	if last != nil && r.change.isDescriptive() {
		r.violations = last.violations
	} else {
		r.violations = findNonStructural(r.Internal, v1, r.Versions)
	}
	r.Report.Conditions = buildConditions(v1, r.violations)
	r.findings.Add(r.refusedNameFindings()...)
	conversionErr := checkConversion(r.CRD)
	r.Unservable = r.Unservable || conversionErr != nil
	switch {
	case !r.IsEstablished():
		r.findings.Add(r.unestablishedFinding())
	case conversionErr != nil:
		r.findings.Add(r.unservableFinding(conversionErr))
	}
	r.findings.Add(r.itemsFindings()...)
	if r.Old != nil {
		r.CompileOld = sync.OnceValues(r.compileOld)
	}
	if r.decoded != nil && !r.Unservable {
		r.decoded.served = r.CRD
	}
	r.Report.Accepted = true
	r.Report.Status = playground.Status{Code: http.StatusCreated}
	if r.Old != nil {
		r.Report.Status.Code = http.StatusOK
	}
	r.Report.StoredVersions = v1.Status.StoredVersions
	return r.reportStored(v1)
}

// refusedNameFindings returns a warning if the controllers do not accept the names of the CRD.
func (r *Request) refusedNameFindings() []playground.Finding {
	for _, c := range r.Report.Conditions {
		if c.Type != string(apiextensionsv1.NamesAccepted) || c.Status == string(apiextensionsv1.ConditionTrue) {
			continue
		}
		if apiequality.Semantic.DeepEqual(r.Internal.Spec.Names, r.Internal.Status.AcceptedNames) {
			return []playground.Finding{serveWarning(r.keyRange("spec", "names"), "spec.names",
				"the condition NamesAccepted stays False, although the API server has accepted these names: "+c.Message,
				"The controller skips names that it has already accepted. Add an unused short name to update the condition, then remove it.")}
		}
		name := c.NameField()
		return []playground.Finding{serveWarning(r.keyRange("spec", "names", name), "spec.names."+name,
			"the API server stores the CRD but does not accept this name: "+c.Message,
			"The CRD has used the name in another role before. The condition NamesAccepted is False: the API server keeps serving the former names, and tools that wait for the condition fail.")}
	}
	return nil
}

// serveWarning returns a warning about a field of a CRD that the API server accepts.
func serveWarning(at playground.Range, field, message, hint string) playground.Finding {
	f := finding.Warning(playground.DocumentCRD, playground.StageCRDServe, at, message)
	f.Field, f.Hint = field, hint
	return f
}

// unestablishedFinding returns a warning about a CRD that the API server accepts but
// does not establish, because of the CA bundle of its webhook.
func (r *Request) unestablishedFinding() playground.Finding {
	others := "The API server takes a blank caBundle for none, so it answers other requests for objects."
	if r.Unservable {
		others = "Other requests for objects fail with status 500."
	}
	return serveWarning(r.valueRange("spec", "conversion", "webhook", "clientConfig", "caBundle"), "spec.conversion.webhook.clientConfig.caBundle",
		"the API server accepts the CRD but does not establish it: the conversion webhook CABundle is invalid",
		"caBundle must contain a PEM certificate, encoded as base64. Until then, the condition Established is False, and kubectl does not find the resource. "+others)
}

// unservableFinding returns a warning about a CRD whose objects the API server cannot
// serve. The API server only logs err.
func (r *Request) unservableFinding(err error) playground.Finding {
	return serveWarning(r.keyRange("spec", "conversion", "webhook", "clientConfig"), "spec.conversion.webhook.clientConfig",
		"the API server accepts the CRD but cannot serve its objects: "+err.Error(),
		"Requests for objects fail with status 500 until the address of the conversion webhook is valid. Names of services and namespaces consist of lower-case letters, digits and hyphens.")
}

// uncompiledFinding returns a warning about a CRD with a version that the API server cannot
// compile. The API server only logs err.
func (r *Request) uncompiledFinding(err error) playground.Finding {
	return serveWarning(r.keyRange("spec", "versions"), "spec.versions",
		"the API server accepts the CRD but cannot serve its objects: "+err.Error(),
		"Requests for objects fail with status 500 until the API server can compile the schema of each version.")
}

// itemsFindings returns a warning for each version whose objects may have a list named
// items. The API server mistakes them for lists of objects.
func (r *Request) itemsFindings() []playground.Finding {
	var findings []playground.Finding
	for i, v := range r.Internal.Spec.Versions {
		schema := r.VersionSchema(v.Name)
		if schema == nil || schema.Properties["items"].Type != "array" {
			continue
		}
		findings = append(findings, serveWarning(r.keyRange(r.SchemaPath(i, crdschema.Path{"properties", "items"})...),
			fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema.properties[items]", i),
			"the API server accepts the CRD, but cannot return objects with a list named items at the root",
			"The API server mistakes an object with this field for a list of objects. Rename the field, or move it below spec."))
	}
	return findings
}

// repeatedRuleFindings returns a note for each rule that occurs before at the same schema node.
func (r *Request) repeatedRuleFindings() []playground.Finding {
	type place struct{ version, path, rule string }
	seen := map[place]bool{}
	var findings []playground.Finding
	for _, rule := range r.Report.Rules {
		at := place{rule.Version, rule.SchemaPath, rule.Rule}
		if seen[at] {
			f := finding.New(playground.SeverityInfo, playground.DocumentCRD, playground.StageCRDApply, rule.Range,
				"the rule occurs twice here, which server-side apply refuses")
			f.Reason = playground.ReasonNote
			f.Hint = "Server-side apply identifies rules by their text. Remove one of them."
			findings = append(findings, f)
		}
		seen[at] = true
	}
	return findings
}

// compileVersions compiles all versions of v1 and sets c.V1. It includes versions that
// are not served, because objects in etcd may have such a version. last returns the same version of an earlier CRD or its
// earlier rules; both may be nil.
func (c *CRD) compileVersions(v1 *apiextensionsv1.CustomResourceDefinition, last func(index int) (*Version, *celrule.Earlier)) error {
	for i, v := range v1.Spec.Versions {
		compiled, earlier := last(i)
		if compiled == nil {
			var err error
			if compiled, err = compileVersion(c.compiler, v1, v, earlier); err != nil {
				return fmt.Errorf("compile version %s: %w", v.Name, err)
			}
		}
		c.Versions[v.Name] = compiled
		if v.Storage {
			c.Storage = compiled
		}
	}
	c.V1 = v1
	return nil
}

// compileOld compiles the old CRD, so that its objects can be read.
func (r *Request) compileOld() (*CRD, error) {
	v1, err := ToV1(r.Old)
	if err != nil {
		return nil, err
	}
	old := newCRD(r.compiler)
	old.Doc, old.Internal = r.OldDoc, r.Old
	old.Report.Accepted = true // by the cluster that has it
	old.Report.Conditions = buildConditions(v1, findNonStructural(r.Old, v1, nil))
	err = upstream.Guard(playground.StageCRDServe, func() error {
		return old.compileVersions(v1, func(int) (*Version, *celrule.Earlier) { return nil, nil })
	})
	if err == nil && old.Storage == nil {
		err = errors.New("the old CRD has no storage version")
	}
	if err == nil {
		err = checkConversion(old)
	}
	return old, err
}
