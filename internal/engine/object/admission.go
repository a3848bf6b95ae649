package object

import (
	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/admission"

	crdadmission "github.com/crdlab/crdlab/internal/engine/admission"
	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
)

// attributes returns the attributes of the request for admission plugins. object is the
// current state of its object.
func (r *Request) attributes(object *unstructured.Unstructured, name string) admission.Attributes {
	var old runtime.Object
	if r.old.object != nil && !r.creates() {
		old = r.old.object.DeepCopy()
	}
	e := &r.endpoint
	resource := e.resource().WithVersion(e.version.Kind.Version)
	operation, options := admissionOptions(r.options, r.creates())
	if operation == admission.Delete {
		return admission.NewAttributesRecord(nil, old, e.version.Kind, e.namespace, name, resource, "", operation, options, false, r.options.user)
	}
	subresource := ""
	if playground.IsOfStatus(r.options.operation) {
		subresource = "status"
	}
	return admission.NewAttributesRecord(object, old, e.version.Kind, e.namespace, name, resource, subresource, operation, options, false, r.options.user)
}

// admissionOptions returns the operation, and the options that kubectl sends with it.
func admissionOptions(o options, creates bool) (admission.Operation, runtime.Object) {
	typeMeta := func(kind string) metav1.TypeMeta {
		return metav1.TypeMeta{APIVersion: metav1.SchemeGroupVersion.String(), Kind: kind}
	}
	operation := admission.Update
	if creates {
		operation = admission.Create
	}
	switch {
	case o.operation == playground.OperationDelete:
		propagation := deletePropagation
		return admission.Delete, &metav1.DeleteOptions{TypeMeta: typeMeta("DeleteOptions"), PropagationPolicy: &propagation}
	case playground.IsApply(o.operation):
		return operation, &metav1.PatchOptions{TypeMeta: typeMeta("PatchOptions"), FieldManager: o.fieldManager, Force: &o.force, FieldValidation: o.fieldValidation}
	case creates:
		return operation, &metav1.CreateOptions{TypeMeta: typeMeta("CreateOptions"), FieldManager: o.fieldManager, FieldValidation: o.fieldValidation}
	}
	return operation, &metav1.UpdateOptions{TypeMeta: typeMeta("UpdateOptions"), FieldManager: o.fieldManager, FieldValidation: o.fieldValidation}
}

// objectInterfaces returns the interfaces that the handler of custom resources
// gives to admission plugins.
func objectInterfaces(e *endpoint) admission.ObjectInterfaces {
	equivalents := runtime.NewEquivalentResourceRegistry()
	for _, name := range e.CRD.ServedByPriority() {
		v := e.CRD.Versions[name]
		resource := e.resource().WithVersion(name)
		equivalents.RegisterKindFor(resource, "", v.Kind)
		if v.HasStatus {
			equivalents.RegisterKindFor(resource, "status", v.Kind)
		}
	}
	return &admission.RuntimeObjectInterfaces{
		ObjectCreater:            unstructuredscheme.NewUnstructuredCreator(),
		ObjectTyper:              crdserverscheme.NewUnstructuredObjectTyper(),
		ObjectDefaulter:          customresource.Defaulter{CRD: e.CRD},
		ObjectConvertor:          e.Conversion.Convertor(),
		EquivalentResourceMapper: equivalents,
	}
}

// applyTypes returns the types with which policies merge apply configurations, or nil
// if the CRD has no such version or its types cannot be built.
func (e *endpoint) applyTypes(kind schema.GroupVersionKind) managedfields.TypeConverter {
	if e.CRD.Versions[kind.Version] == nil {
		return nil
	}
	types, err := e.CRD.ApplyTypes()
	if err != nil {
		return nil
	}
	return types
}

// reviewed returns the description of the request for the report of its review.
func (r *Request) reviewed() crdadmission.ReviewedRequest {
	return crdadmission.ReviewedRequest{
		Namespace: r.endpoint.namespace,
		Unreached: r.whyNotAdmitted,
		Attributes: func() (admission.Attributes, admission.ObjectInterfaces) {
			return r.attributes(r.object, r.object.GetName()), objectInterfaces(&r.endpoint)
		},
	}
}

// whyNotAdmitted returns the reason why a stage of admission did not run; empty if it ran.
func (r *Request) whyNotAdmitted(stage playground.StageName) string {
	if r.options.operation == playground.OperationScale {
		return "policies and webhooks do not run for scale requests"
	}
	return r.rec.whySkipped(stage)
}

// refuseAdmission adds a finding for each decision that denied the request, and returns the
// error that ends the request. A mistake is marked in the admission document.
func (r *Request) refuseAdmission(stage playground.StageName, err error) error {
	denials, err := r.review.Refusal(err)
	for _, d := range denials {
		f := finding.OfRequest(playground.DocumentObject, stage, r.rec.doc, d.Message)
		f.Reason = string(d.Reason)
		switch {
		case d.At == (playground.Range{}):
		case d.IsMistake:
			f.Related = append(f.Related, playground.Related{Document: playground.DocumentObject, Range: f.Range, Message: "Request"})
			f.Document, f.Range = playground.DocumentAdmission, d.At
		default:
			f.Related = append(f.Related, playground.Related{Document: playground.DocumentAdmission, Range: d.At, Message: "Validation in policy"})
		}
		if d.Fault != nil {
			f.Related = append(f.Related, playground.Related{Document: playground.DocumentAdmission, Range: d.Fault.Range, Message: d.Fault.Explanation, Fails: true})
			d.Fault.Field, d.Fault.Message = f.Field, f.Message
			r.rec.faults = append(r.rec.faults, *d.Fault)
		}
		if d.IgnoredMessage != nil {
			f.Related = append(f.Related, *d.IgnoredMessage)
		}
		r.rec.add(f)
	}
	return &admissionDenied{err}
}

// An admissionDenied is an error whose findings are already reported.
type admissionDenied struct{ error }

// Unwrap returns the API server's error.
func (e *admissionDenied) Unwrap() error { return e.error }
