package object

import (
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/warning"

	"github.com/crdlab/crdlab/internal/engine/admission"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// A Request is the request for one object, and its state between two stages.
type Request struct {
	// ctx passes warnings of upstream code to rec.
	ctx      context.Context
	endpoint endpoint
	options  options
	stages   []stage
	existing existingObjects
	// owned is [Evaluated].Owned.
	owned []any
	// former is the entry of managedFields that made a merge fail, or nil.
	former *formerOwner
	// review drives the admission plugins; nil if the scenario has no admission.
	review *admission.Review
	rec    *recorder

	// object is the object as the last stage left it; nil until it is decoded.
	object   *unstructured.Unstructured
	decoding decoding
	old      oldObject
	// invalid collects the errors of validation.
	invalid field.ErrorList
	// stored is nil unless the object was written.
	stored *storedObject
	// undecided marks a request that ended because the scenario has no response of the
	// conversion webhook.
	undecided bool
}

// options are the parameters of a request.
type options struct {
	operation       playground.Operation
	file            string
	fieldValidation string
	fieldManager    string
	force           bool
	user            user.Info
	replicas        int32
	now             time.Time
	// omitsOwners reports that the response does not depend on the owners of the object's fields: no
	// policy or webhook reads them. An update writes nothing if not even an owner changes.
	omitsOwners bool
}

func newOptions(s playground.Scenario, now time.Time) options {
	return options{
		operation:       s.Operation,
		file:            s.ObjectFile,
		fieldValidation: s.FieldValidation,
		fieldManager:    s.FieldManager,
		force:           s.Force,
		user:            admission.Requester(s),
		replicas:        s.Replicas,
		now:             now,
		omitsOwners:     s.VerdictOnly && s.Admission == "" && s.Conversion == "" && s.Operation == playground.OperationCreate,
	}
}

// tracksUnknown reports whether the request rejects unknown and duplicate fields, or
// warns about them.
func (o options) tracksUnknown() bool {
	return o.fieldValidation != playground.FieldValidationIgnore
}

func (o options) isStrict() bool {
	return o.fieldValidation == playground.FieldValidationStrict
}

func newRequest(ctx context.Context, target Target, o options, doc *source.Document) *Request {
	r := &Request{endpoint: endpoint{Target: target}, options: o}
	r.rec = newRecorder(doc, &r.endpoint)
	r.rec.report.Operation = o.operation
	r.ctx = warning.WithWarningRecorder(ctx, r.rec)
	return r
}

// Doc returns the document of the object.
func (r *Request) Doc() *source.Document { return r.rec.doc }

// Version returns the version that serves the request; it may be nil.
func (r *Request) Version() *crd.Version { return r.endpoint.version }

// Object returns the object as the last stage left it; nil unless it was decoded.
func (r *Request) Object() *unstructured.Unstructured { return r.object }

// Old returns the object before an update, at the version of the request; nil on
// create.
func (r *Request) Old() *unstructured.Unstructured { return r.old.object }

// StopBefore ends the request before the stage with a name, if it has that stage.
func (r *Request) StopBefore(name playground.StageName) {
	if i := slices.IndexFunc(r.stages, func(s stage) bool { return s.name == name }); i >= 0 {
		r.stages = r.stages[:i]
	}
}

// Evaluate runs the stages of the request.
func (r *Request) Evaluate() {
	defer func() {
		r.rec.addWarnings()
		r.rec.report.Findings = r.rec.findings.List()
	}()
	defer r.checkSent()
	r.rec.describeDocument()
	if f, ok := finding.PartlyRead(playground.DocumentObject, playground.StageDecode, r.rec.doc); ok {
		r.rec.add(f)
	}
	if why := r.precondition(); why != "" {
		r.rec.skipAll(r.stages, why)
		return
	}
	if !r.route() {
		return
	}
	r.runStages()
	if !r.endpoint.CRD.IsEstablished() {
		r.reportUndiscovered()
	}
	if r.object != nil {
		r.rec.identify(r.object)
	}
}

// precondition returns an empty string if the request reaches the API server's
// handler for custom resources. Otherwise it reports and returns the reason.
func (r *Request) precondition() (why string) {
	switch {
	case !r.endpoint.CRD.Report.Accepted:
		r.reportUnreadable()
		return "Not evaluated because " + whyNoCRD(r.endpoint.CRD) + "."
	case r.endpoint.CRD.Unservable:
		r.refuse(playground.StageDecode, apierrors.NewInternalError(errors.New("error resolving resource")))
		if !r.endpoint.CRD.IsEstablished() {
			r.reportUndiscovered()
		}
		return "the API server cannot serve the CRD"
	case len(r.existing.findings) > 0:
		r.rec.add(r.existing.findings...)
		return "the existing object cannot be read"
	}
	return ""
}

// whyNoCRD returns the reason why a cluster lacks a CRD.
func whyNoCRD(c *crd.CRD) string {
	switch {
	case c.Report.Status.Code != 0:
		return "the CRD was rejected"
	case len(c.Report.Findings) == 0:
		return "there is no CRD"
	}
	return "the CRD was not evaluated"
}

// reportUnreadable reports the documents that cannot be decoded under any CRD.
func (r *Request) reportUnreadable() {
	if _, err := DecodeStored(r.rec.doc); err != nil {
		r.rec.add(finding.OfRequest(playground.DocumentObject, playground.StageDecode, r.rec.doc, err.Error()))
	}
	r.rec.add(r.existing.findings...)
}

// runStages runs the stages until one of them ends the request.
func (r *Request) runStages() {
	for i, stage := range r.stages {
		r.rec.start(stage.name)
		err := upstream.Guard(stage.name, func() error { return stage.run(r) })
		if err != nil {
			r.refuse(stage.name, err)
			r.rec.skipRest(r.stages[i+1:], "not reached: "+r.rec.failedStage(stage.name)+" failed")
			break
		}
	}
	r.rec.countFindings()
	r.rec.report.Validated = jsonvalue.Encode(r.object)
	if r.stored != nil {
		r.rec.report.Schema = locateSchema(r.endpoint.CRD, r.endpoint.CRD.Storage, r.stored.object)
	} else {
		r.rec.report.Schema = locateSchema(r.endpoint.CRD, r.endpoint.version, r.object)
	}
}

// refuse reports err as the response to the request. It adds a finding unless earlier
// findings explain err.
func (r *Request) refuse(stage playground.StageName, err error) {
	if r.refuseUndecided(stage, err) {
		return
	}
	r.rec.report.Status = upstream.StatusOf(err)
	r.rec.report.Output = kubectl.FormatError(err, r.options.operation, r.options.file, r.rec.report.Warnings)
	if r.isExplained(err) {
		return
	}
	status := upstream.APIStatus(err)
	f := finding.OfRequest(playground.DocumentObject, stage, r.rec.doc, status.Message)
	f.Reason = string(status.Reason)
	if r.former != nil {
		r.former.describe(r, &f)
	}
	r.rec.add(f)
}

// checkSent replaces the output by kubectl's own error about a document that it does not
// send.
func (r *Request) checkSent() {
	report := &r.rec.report
	if report.Output == "" || report.Accepted && !r.isAcceptedUnread() {
		return
	}
	if unsent := unsentOutput(r.rec.doc, r.options.file, r.options.operation, r.options.fieldValidation); unsent != "" {
		report.Output = unsent
	}
}

// isAcceptedUnread reports whether the API server accepts a document that kubectl may
// fail to read: the server reads it less strictly, or not at all.
func (r *Request) isAcceptedUnread() bool {
	return r.options.operation == playground.OperationDelete || !r.options.tracksUnknown() || r.object.IsList()
}

// unsentOutput returns kubectl's own error about a document, or an empty string. kubectl
// scale reads no document.
func unsentOutput(doc *source.Document, file string, operation playground.Operation, fieldValidation string) string {
	if operation == playground.OperationScale {
		return ""
	}
	return kubectl.File{Name: file, Text: doc.Text, Operation: operation, FieldValidation: fieldValidation}.Unsent()
}

// isExplained reports whether the causes of err already have findings.
func (r *Request) isExplained(err error) bool {
	if _, isDenied := errors.AsType[*admissionDenied](err); isDenied {
		return true
	}
	return len(r.invalid) > 0 || len(upstream.StrictErrors(err)) > 0 ||
		apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict)
}

// addInvalid collects errors of validation and reports each of them.
func (r *Request) addInvalid(stage playground.StageName, errs field.ErrorList) {
	r.rec.addErrors(stage, errs)
	r.invalid = append(r.invalid, errs...)
}

// creates reports whether the request creates a new object.
func (r *Request) creates() bool {
	return r.options.operation == playground.OperationCreate || r.options.operation == playground.OperationApply && r.old.object == nil
}

// convert converts an object in a stage of the request, and records the calls of
// the conversion webhook.
func (r *Request) convert(stage playground.StageName, object *unstructured.Unstructured, to *crd.Version) (*unstructured.Unstructured, error) {
	before := len(r.endpoint.Conversion.Reviews())
	defer func() {
		r.rec.report.Conversions = append(r.rec.report.Conversions, r.endpoint.Conversion.Reviews()[before:]...)
	}()
	return r.endpoint.Conversion.To(stage, object, to)
}
