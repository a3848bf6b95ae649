package object

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	apimachineryvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// validate runs all checks but the CEL rules, in the order of the strategy of
// custom resources (k8s.io/apiextensions-apiserver/pkg/registry/customresource,
// which does not build for WebAssembly).
func validate(r *Request) error {
	errs := r.validateCreate
	if !r.creates() {
		errs = r.validateUpdate
	}
	r.addInvalid(playground.StageValidate, errs())
	return nil
}

func (r *Request) validateCreate() field.ErrorList {
	content := r.Object.UnstructuredContent()
	errs := r.validateTypeMeta()
	if len(errs) == 0 {
		errs = append(errs, r.validateObjectMeta()...)
		errs = append(errs, apiservervalidation.ValidateCustomResource(nil, content, r.Version.Validator)...)
		errs = append(errs, validateScale(content, r.Version.Scale)...)
	}
	errs = append(errs, objectmeta.Validate(r.ctx, nil, content, r.Version.Schema, false)...)
	return append(errs, listtype.ValidateListSetsAndMaps(nil, r.Version.Schema, content)...)
}

func (r *Request) validateTypeMeta() field.ErrorList {
	var errs field.ErrorList
	if got, want := r.Object.GetKind(), r.Version.Kind.Kind; got != want {
		errs = append(errs, field.Invalid(field.NewPath("kind"), got, fmt.Sprintf("must be %v", want)))
	}
	if got, want := r.Object.GetAPIVersion(), r.Version.Kind.GroupVersion().String(); got != want {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), got, fmt.Sprintf("must be %v", want)))
	}
	return errs
}

func (r *Request) validateObjectMeta() field.ErrorList {
	path := field.NewPath("metadata")
	meta, errs := objectMeta(r.Object, path)
	if len(errs) > 0 {
		return errs
	}
	return validation.ValidateObjectMetaDeclaratively(r.ctx, operation.Create, meta, nil, r.Version.Namespaced,
		validation.NameIsDNSSubdomain, path, utilfeature.DefaultFeatureGate.Enabled(features.DeclarativeValidationBeta))
}

func objectMeta(object *unstructured.Unstructured, path *field.Path) (*metav1.ObjectMeta, field.ErrorList) {
	meta := &metav1.ObjectMeta{}
	raw, ok := object.Object["metadata"].(map[string]any)
	if !ok {
		return meta, nil
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, meta); err != nil {
		return nil, field.ErrorList{field.Invalid(path, raw, err.Error())}
	}
	return meta, nil
}

// concludeValidation gives the verdict of validation: the errors found, or
// else those of the name as a part of a URL. Warnings come with acceptance
// only.
func (r *Request) concludeValidation() error {
	if len(r.invalid) == 0 && r.creates() {
		r.addInvalid(playground.StageValidate, validation.ValidateObjectMetaAccessor(r.Object, r.Version.Namespaced, upstream.ValidatePathSegment, field.NewPath("metadata")))
	}
	if len(r.invalid) > 0 {
		return apierrors.NewInvalid(r.Version.Kind.GroupKind(), r.Object.GetName(), upstream.SortErrors(r.invalid))
	}
	for _, finalizer := range r.newFinalizers() {
		for _, warning := range finalizerWarnings(finalizer) {
			r.warn(warning)
		}
	}
	return nil
}

// newFinalizers are the finalizers that the request adds, in alphabetical
// order.
func (r *Request) newFinalizers() []string {
	if r.operation == playground.OperationUpdateStatus {
		return nil
	}
	finalizers := sets.New(r.Object.GetFinalizers()...)
	if r.Old != nil {
		finalizers.Delete(r.Old.GetFinalizers()...)
	}
	return sets.List(finalizers)
}

// finalizerWarnings follows validateKubeFinalizerName of the strategy.
func finalizerWarnings(name string) []string {
	const path = "metadata.finalizers"
	var warnings []string
	for _, message := range apimachineryvalidation.IsQualifiedName(name) {
		warnings = append(warnings, fmt.Sprintf("%s: %q: %s", path, name, message))
	}
	switch name {
	case metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents, string(corev1.FinalizerKubernetes):
		return warnings
	}
	if strings.Contains(name, "/") {
		return warnings
	}
	including := ""
	if strings.Contains(name, ".") {
		including = " including a path (/)"
	}
	return append(warnings, fmt.Sprintf("%s: %q: prefer a domain-qualified finalizer name%s to avoid accidental conflicts with other finalizer writers", path, name, including))
}
