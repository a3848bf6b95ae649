package object

import "github.com/crdlab/crdlab/internal/playground"

func runAdmit(r *Request) error {
	if r.options.operation == playground.OperationDelete {
		return admitDelete(r)
	}
	return admit(r)
}

// admit passes a copy of the object to the validating admission plugins, because the
// API server discards their changes.
func admit(r *Request) error {
	if !r.review.Validates() {
		r.rec.skip(playground.StageSkipNoValidator)
		return nil
	}
	name := r.endpoint.name
	if name == "" {
		name = r.object.GetName()
	}
	if err := r.review.Validate(r.ctx, r.attributes(r.object.DeepCopy(), name), objectInterfaces(&r.endpoint)); err != nil {
		return r.refuseAdmission(playground.StageAdmit, err)
	}
	if !r.review.Applied(false) {
		r.rec.skip(playground.StageSkipUnapplied)
	}
	return nil
}

// admitDelete runs all admission plugins for a delete request, which has no object to
// change. The mutating plugins run first (AdmissionToValidateObjectDeleteFunc in
// k8s.io/apiserver/pkg/registry/rest).
func admitDelete(r *Request) error {
	attributes, interfaces := r.attributes(r.object, r.endpoint.name), objectInterfaces(&r.endpoint)
	if err := r.review.Mutate(r.ctx, attributes, interfaces, r.endpoint.applyTypes); err != nil {
		return r.refuseAdmission(playground.StageAdmit, err)
	}
	if err := r.review.Validate(r.ctx, attributes, interfaces); err != nil {
		return r.refuseAdmission(playground.StageAdmit, err)
	}
	if !r.review.Applied(false) && !r.review.Applied(true) {
		r.rec.skip(playground.StageSkipUnapplied)
	}
	return nil
}
