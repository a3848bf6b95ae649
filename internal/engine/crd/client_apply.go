package crd

import (
	"encoding/json"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// applyClientSide does what kubectl apply does without --server-side: it creates a new CRD with
// the annotation, and otherwise sends a patch.
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
	lastApplied := r.Old.Annotations[kubectl.LastApplied]
	patch, patchType, err := kubectl.ApplyPatch([]byte(lastApplied), sent, current, v1)
	if err != nil {
		if lastApplied != "" && !json.Valid([]byte(lastApplied)) {
			r.unsent = kubectl.FormatNoPatch(err, lastApplied, sent, current, r.patchTarget(), r.file, r.Report.Warnings)
		}
		return err
	}
	r.patch = string(patch)
	if r.patch == kubectl.EmptyPatch {
		return r.adopt(r.Old.DeepCopy())
	}
	if err := CheckManager(r.fieldManager, r.operation); err != nil {
		return err
	}
	patched := &apiextensions.CustomResourceDefinition{}
	if patchType == types.StrategicMergePatchType {
		err = r.strategicPatch(v1, patch, patched)
	} else {
		err = r.mergePatch(current, patch, patched)
	}
	if err != nil {
		return err
	}
	manager, err := newFieldManager()
	if err != nil {
		return err
	}
	return r.adopt(manager.UpdateNoErrors(r.live(), patched, r.fieldManager))
}

// sentObject returns the document as JSON with the annotation. Like FilterNamespace of
// k8s.io/cli-runtime/pkg/resource, it drops the namespace, which no CRD has.
func (r *Request) sentObject() ([]byte, error) {
	object, err := r.documentObject()
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	unstructured.RemoveNestedField(object, "metadata", "namespace")
	return kubectl.WithLastApplied(object)
}

// strategicPatch applies a strategic merge patch to the stored CRD and decodes the result. It
// follows strategicPatchObject of k8s.io/apiserver/pkg/endpoints/handlers.
func (r *Request) strategicPatch(current *apiextensionsv1.CustomResourceDefinition, patch []byte, patched *apiextensions.CustomResourceDefinition) error {
	original, err := runtime.DefaultUnstructuredConverter.ToUnstructured(current)
	if err != nil {
		return err
	}
	changes := map[string]any{}
	if err := utiljson.Unmarshal(patch, &changes); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	merged, err := strategicpatch.StrategicMergeMapPatch(original, changes, current)
	if err != nil {
		return err
	}
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	isStrict := r.fieldValidation != playground.FieldValidationIgnore
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(merged, v1, isStrict); err != nil {
		if err := r.rejectPatched(fmt.Sprintf("%+v", changes), err); err != nil {
			return err
		}
	}
	scheme.Default(v1)
	return scheme.Convert(v1, patched, nil)
}

// mergePatch applies a JSON merge patch to the stored CRD and decodes the result. It follows
// jsonPatcher of k8s.io/apiserver/pkg/endpoints/handlers.
func (r *Request) mergePatch(current, patch []byte, patched *apiextensions.CustomResourceDefinition) error {
	merged, err := kubectl.MergePatch(current, patch)
	if err != nil {
		return err
	}
	if _, _, err = decodeData(merged, false, r.fieldValidation != playground.FieldValidationIgnore, patched); err != nil {
		return r.rejectPatched(string(merged), err)
	}
	return nil
}

// rejectPatched returns the response to an error about the patched CRD, or nil if the error is
// only a warning. value is the quoted part of the response.
func (r *Request) rejectPatched(value string, err error) error {
	strict, isStrict := runtime.AsStrictDecodingError(err)
	if !isStrict || r.fieldValidation != playground.FieldValidationWarn {
		return upstream.PatchError(apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{
			field.Invalid(field.NewPath("patch"), value, err.Error()),
		}), err)
	}
	for _, err := range strict.Errors() {
		r.warn(err.Error())
		r.addStrict(r.findings, err, playground.SeverityWarning)
	}
	return nil
}
