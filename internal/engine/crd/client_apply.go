package crd

import (
	"encoding/json"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// applyClientSide does what kubectl apply does without --server-side: it creates a new CRD with
// the annotation, and otherwise sends a merge patch.
func (r *Request) applyClientSide() error {
	if r.Old == nil {
		return r.recordOwner() // The stage decode has added the annotation.
	}
	sent, err := r.sentObject()
	if err != nil {
		return err
	}
	v1, err := ToV1(r.Old)
	if err != nil {
		return err
	}
	v1.SetGroupVersionKind(v1Kind)
	current, err := json.Marshal(v1)
	if err != nil {
		return err
	}
	if _, found := r.Old.Annotations[kubectl.LastApplied]; !found {
		r.Report.Warnings = append(r.Report.Warnings, kubectl.NoLastApplied(resource.Resource+"/"+r.Old.Name))
	}
	patch, err := kubectl.ApplyPatch([]byte(r.Old.Annotations[kubectl.LastApplied]), sent, current)
	if err != nil {
		return err
	}
	r.patch = string(patch)
	if r.patch == kubectl.EmptyPatch {
		return r.adopt(r.Old.DeepCopy())
	}
	patched, err := r.mergePatch(current, patch)
	if err != nil {
		return err
	}
	manager, err := newFieldManager()
	if err != nil {
		return err
	}
	return r.adopt(manager.UpdateNoErrors(r.live(), patched, r.fieldManager))
}

// sentObject returns the document as JSON with the annotation.
func (r *Request) sentObject() ([]byte, error) {
	object, err := r.documentObject()
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return kubectl.WithLastApplied(object)
}

// mergePatch applies a patch to the stored CRD and decodes the result. It follows jsonPatcher of
// k8s.io/apiserver/pkg/endpoints/handlers.
func (r *Request) mergePatch(current, patch []byte) (*apiextensions.CustomResourceDefinition, error) {
	merged, err := kubectl.MergePatch(current, patch)
	if err != nil {
		return nil, err
	}
	patched := &apiextensions.CustomResourceDefinition{}
	_, _, err = decodeData(merged, false, r.fieldValidation != playground.FieldValidationIgnore, patched)
	strict, isStrict := runtime.AsStrictDecodingError(err)
	switch {
	case err == nil:
	case isStrict && r.fieldValidation == playground.FieldValidationWarn:
		for _, err := range strict.Errors() {
			r.Report.Warnings = append(r.Report.Warnings, err.Error())
			r.addStrict(r.findings, err, playground.SeverityWarning)
		}
	default:
		return nil, upstream.PatchError(apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{
			field.Invalid(field.NewPath("patch"), string(merged), err.Error()),
		}), err)
	}
	return patched, nil
}
