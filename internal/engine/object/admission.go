package object

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/feature"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// mutate lets the mutating admission plugins change the object.
func mutate(r *Request) error {
	if !r.review.Mutates() {
		r.skip(playground.StageSkipNoMutating)
		return nil
	}
	before := r.snapshot()
	err := r.review.Mutate(r.ctx, r.attributes(r.Object.GetName()), r.objectInterfaces(), r.applyTypes)
	r.recordMutations(before, err == nil)
	if err != nil {
		return r.refuseAdmission(playground.StageMutate, err)
	}
	r.dedupOwnerReferences()
	return nil
}

// admit lets the validating admission plugins look at the object as it is to
// be stored.
func admit(r *Request) error {
	if !r.review.Validates() {
		r.skip(playground.StageSkipNoValidator)
		return nil
	}
	object := r.Object
	r.Object = object.DeepCopy() // whatever the plugins do to it is lost
	defer func() { r.Object = object }()
	name := r.requestName
	if name == "" {
		name = object.GetName()
	}
	if err := r.review.Validate(r.ctx, r.attributes(name), r.objectInterfaces()); err != nil {
		return r.refuseAdmission(playground.StageAdmit, err)
	}
	return nil
}

// attributes describe the request to the plugins.
func (r *Request) attributes(name string) admission.Attributes {
	if r.operation == playground.OperationDelete {
		return r.deleteAttributes(name)
	}
	operation, options := admission.Create, runtime.Object(&metav1.CreateOptions{
		TypeMeta:        metav1.TypeMeta{APIVersion: metav1.SchemeGroupVersion.String(), Kind: "CreateOptions"},
		FieldManager:    "kubectl-create",
		FieldValidation: r.fieldValidation,
	})
	var old runtime.Object
	if !r.creates() {
		operation, options = admission.Update, &metav1.UpdateOptions{
			TypeMeta:        metav1.TypeMeta{APIVersion: metav1.SchemeGroupVersion.String(), Kind: "UpdateOptions"},
			FieldManager:    "kubectl-replace",
			FieldValidation: r.fieldValidation,
		}
		old = r.Old.DeepCopy()
	}
	if r.operation == playground.OperationApply {
		force := r.force
		options = &metav1.PatchOptions{
			TypeMeta:        metav1.TypeMeta{APIVersion: metav1.SchemeGroupVersion.String(), Kind: "PatchOptions"},
			FieldManager:    r.fieldManager,
			Force:           &force,
			FieldValidation: r.fieldValidation,
		}
	}
	subresource := ""
	if r.operation == playground.OperationUpdateStatus {
		subresource = "status"
	}
	return admission.NewAttributesRecord(r.Object, old, r.Version.Kind, r.requestNamespace, name,
		r.resource().WithVersion(r.Version.Kind.Version), subresource, operation, options, false, r.user)
}

func (r *Request) deleteAttributes(name string) admission.Attributes {
	var old runtime.Object
	if r.Old != nil {
		old = r.Old.DeepCopy()
	}
	propagation := deletePropagation
	options := &metav1.DeleteOptions{
		TypeMeta:          metav1.TypeMeta{APIVersion: metav1.SchemeGroupVersion.String(), Kind: "DeleteOptions"},
		PropagationPolicy: &propagation,
	}
	return admission.NewAttributesRecord(nil, old, r.Version.Kind, r.requestNamespace, name,
		r.resource().WithVersion(r.Version.Kind.Version), "", admission.Delete, options, false, r.user)
}

// objectInterfaces are those of the scope in which the handler of custom
// resources serves a version.
func (r *Request) objectInterfaces() admission.ObjectInterfaces {
	equivalents := runtime.NewEquivalentResourceRegistry()
	for _, name := range r.crd.ServedByPriority() {
		v := r.crd.Versions[name]
		resource := r.resource().WithVersion(name)
		equivalents.RegisterKindFor(resource, "", v.Kind)
		if v.HasStatus {
			equivalents.RegisterKindFor(resource, "status", v.Kind)
		}
	}
	return &admission.RuntimeObjectInterfaces{
		ObjectCreater:            unstructuredCreater{},
		ObjectTyper:              crdserverscheme.NewUnstructuredObjectTyper(),
		ObjectDefaulter:          structuralDefaulter{r.crd},
		ObjectConvertor:          coercingConvertor{r.crd, r.conversion},
		EquivalentResourceMapper: equivalents,
	}
}

// coercingConvertor converts and prunes (schemaCoercingConverter in
// k8s.io/apiextensions-apiserver/pkg/apiserver), even to the version that the
// object has.
type coercingConvertor struct {
	crd        *crd.CRD
	conversion *conversion
}

func (c coercingConvertor) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	kind, ok := target.KindForGroupVersionKinds([]schema.GroupVersionKind{in.GetObjectKind().GroupVersionKind()})
	if !ok {
		return nil, fmt.Errorf("%v is unstructured and is not suitable for converting to %q", in.GetObjectKind().GroupVersionKind(), target)
	}
	return c.convert(in, kind)
}

func (c coercingConvertor) Convert(in, out, _ any) error {
	from, ok := in.(*unstructured.Unstructured)
	to, isUnstructured := out.(*unstructured.Unstructured)
	if !ok || !isUnstructured {
		return fmt.Errorf("cannot convert %T to %T", in, out)
	}
	converted, err := c.convert(from, to.GroupVersionKind())
	if err != nil {
		return err
	}
	to.Object = converted.Object
	return nil
}

func (c coercingConvertor) convert(in runtime.Object, kind schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	object, ok := in.(*unstructured.Unstructured)
	version := c.crd.Versions[kind.Version]
	if !ok || version == nil {
		return nil, fmt.Errorf("cannot convert %T to %v", in, kind)
	}
	converted, err := c.conversion.convert("", object, version)
	if err != nil {
		return nil, err
	}
	return converted, version.Coerce(converted)
}

func (coercingConvertor) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (string, string, error) {
	return label, value, nil
}

// applyTypes are how policies merge apply configurations.
func (r *Request) applyTypes(kind schema.GroupVersionKind) feature.TypeConverter {
	v, ok := r.crd.Versions[kind.Version]
	if !ok {
		return nil
	}
	types, err := v.ApplyTypes(r.parts)
	if err != nil {
		return nil
	}
	return types
}

// reviewed is what the report of the review needs to know.
func (r *Request) reviewed() feature.ReviewedRequest {
	return feature.ReviewedRequest{
		Namespace: r.requestNamespace,
		Unreached: r.unreached,
		Attributes: func() (admission.Attributes, admission.ObjectInterfaces) {
			return r.attributes(r.Object.GetName()), r.objectInterfaces()
		},
	}
}

// unreached says why a stage did not run, or is empty if it did.
func (r *Request) unreached(stage string) string {
	for _, s := range r.Report.Stages {
		if s.Name == stage && s.Outcome == playground.OutcomeSkipped {
			return s.Why
		}
	}
	return ""
}

// recordMutations reports what changed the object, from its state before to
// the present one: the policies and webhooks, the defaults applied after each,
// and, if all went well, the pruning at the end.
func (r *Request) recordMutations(before map[string]any, completed bool) {
	state := any(before)
	for _, m := range r.review.Mutations() {
		r.recordSettling(state, m.Before)
		for _, c := range jsonvalue.Diff(m.Before, m.After, nil) {
			r.record(c, playground.CauseMutated, m.By)
		}
		state = m.After
	}
	if completed {
		r.recordSettling(state, r.Object.Object)
	}
}

// recordSettling reports what the API server itself did between two mutations.
func (r *Request) recordSettling(before, after any) {
	const converted = "converted between the version of the request and that of the policies and webhooks"
	for _, c := range jsonvalue.Diff(before, after, nil) {
		replaced, _ := jsonvalue.At(before, c.Path)
		switch {
		case replaced != nil && c.Op == playground.ChangeReplace:
			r.record(c, playground.CauseConverted, converted)
		case c.Op == playground.ChangeRemove:
			r.record(c, playground.CausePruned, "pruned after mutation: not in the schema")
		default:
			r.recordDefault(before, c, playground.CauseConverted, converted)
		}
	}
}

// refuseAdmission reports what denied the request, with the place in the
// admission text that decided.
func (r *Request) refuseAdmission(stage string, err error) error {
	err, denials := r.review.Refusal(err)
	for _, d := range denials {
		f := r.finding(stage, d.Message)
		f.Reason = string(d.Reason)
		f.Range = finding.RequestRange(r.Doc, d.Message)
		if d.At != (playground.Range{}) {
			f.Related = append(f.Related, playground.Related{Document: playground.DocumentAdmission, Range: d.At, Message: "decided here"})
		}
		r.Report.Findings = append(r.Report.Findings, f)
	}
	return &admissionDenied{err}
}

// admissionDenied is an error whose findings are reported already.
type admissionDenied struct{ error }

func (e *admissionDenied) Unwrap() error { return e.error }
