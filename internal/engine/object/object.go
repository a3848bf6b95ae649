// Package object evaluates requests for custom resources as the API server does. A
// request runs through stages, each in a file of its name; stage complete shares the
// file of stage prepare. The table [playground.ObjectStages] defines their order, and
// stages.go binds them to their functions.
package object

import (
	"context"
	"time"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/admission"
	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// A Target is the state of an API server that the requests of a scenario share.
type Target struct {
	CRD        *crd.CRD
	Conversion *customresource.Conversion
	// Plugins is nil if the scenario has no admission.
	Plugins *admission.Plugins
	// Old holds the objects in the cluster before the requests.
	Old OldObjects
}

// Evaluated holds the outcome of the request for one object.
type Evaluated struct {
	Report playground.Object
	// Reads holds the stored object as read at each served version, by the name of the
	// version: nil if it cannot be read. It is empty unless the object was stored.
	Reads map[string]*unstructured.Unstructured
	Doc   *source.Document // nil if the document exceeds a limit
	// Locate locates a field of an error in Doc. It reports false if Doc lacks the field's parent.
	Locate func(field string) (source.Location, bool)
	// Schema is the schema of the requested version; it may be nil.
	Schema *structuralschema.Structural
	// Old is the object before an update; nil on create.
	Old map[string]any
	// Existing is the document of Old; nil on create.
	Existing *source.Document
	// Owned is metadata.managedFields of Old if the manager of the request had applied it; nil
	// unless the request conflicts because Old has no managedFields.
	Owned []any
	// Faults holds the causes of the errors of rules.
	Faults []celrule.Fault
}

// Evaluate runs a request for each object of s, which must have its defaults. now is
// the time of the requests.
func Evaluate(ctx context.Context, target Target, s playground.Scenario, now time.Time) []Evaluated {
	file, err := source.Parse(s.Object, finding.ObjectText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		return []Evaluated{{Report: reportLimit(stagesOf(s), err)}}
	}
	var objects []Evaluated
	requests := NewRequests(ctx, target, s, now, file)
	described := 0
	for i, r := range requests {
		if ctx.Err() != nil {
			break
		}
		r.rec.findings.Limit(finding.Share(described, len(requests)-i))
		r.Evaluate()
		if r.review != nil {
			r.rec.report.Admission = r.review.Report(r.reviewed())
		}
		r.rec.report.DependsOn = r.dependsOn()
		described += len(r.rec.report.Findings)
		objects = append(objects, newEvaluated(r))
	}
	return objects
}

// NewRequests returns a request for each non-empty document of a file.
func NewRequests(ctx context.Context, target Target, s playground.Scenario, now time.Time, file *source.File) []*Request {
	var requests []*Request
	existing := readExisting(target.CRD, target.Old)
	for _, doc := range file.NonEmpty() {
		r := newRequest(ctx, target, newOptions(s, now), doc)
		r.stages = stagesOf(s)
		r.existing = existing
		if target.Plugins != nil {
			r.review = target.Plugins.Review()
		}
		requests = append(requests, r)
	}
	return requests
}

func newEvaluated(r *Request) Evaluated {
	out := Evaluated{Report: r.rec.report, Doc: r.rec.doc, Locate: r.rec.own}
	if r.stored != nil {
		out.Reads = r.stored.readsAt(r.rec.report.Versions)
	}
	if v := r.endpoint.version; v != nil {
		out.Schema = v.Schema
	}
	out.Faults = r.rec.faults
	if r.old.object != nil {
		out.Old, out.Existing, out.Owned = r.old.object.Object, r.rec.existing, r.owned
	}
	return out
}

// reportLimit reports a document that exceeds a limit of the playground.
func reportLimit(stages []stage, err error) playground.Object {
	report := emptyReport()
	f := finding.OfLimit(playground.DocumentObject, playground.StageDecode, err)
	report.Findings = append(report.Findings, f)
	report.Status = playground.Status{Message: err.Error()}
	report.Range = f.Range
	report.Stages = skippedStages(stages, "the request exceeds a limit of crdlab")
	report.Stages[0].Outcome = playground.OutcomeFail
	return report
}
