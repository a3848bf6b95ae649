package object

import (
	"context"
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

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// runValidate runs all checks except the CEL rules, in the order of the strategy of
// custom resources (k8s.io/apiextensions-apiserver/pkg/registry/customresource,
// which does not build for WebAssembly).
func runValidate(r *Request) error {
	if r.creates() {
		r.addInvalid(playground.StageValidate, validateCreate(r.ctx, r.endpoint.version, r.object))
		return nil
	}
	r.addInvalid(playground.StageValidate, validateUpdate(r.ctx, r.endpoint.version, r.object, r.old.object, r.options.operation))
	return nil
}

// validateCreate validates a new object, except for the CEL rules.
func validateCreate(ctx context.Context, v *crd.Version, object *unstructured.Unstructured) field.ErrorList {
	content := object.UnstructuredContent()
	errs := validateTypeMeta(v, object)
	if len(errs) == 0 {
		errs = append(errs, validateObjectMeta(ctx, v, object)...)
		errs = append(errs, apiservervalidation.ValidateCustomResource(nil, content, v.Validator)...)
		errs = append(errs, validateScale(content, v.Scale)...)
	}
	errs = append(errs, objectmeta.Validate(ctx, nil, content, v.Schema, false)...)
	return append(errs, listtype.ValidateListSetsAndMaps(nil, v.Schema, content)...)
}

func validateTypeMeta(v *crd.Version, object *unstructured.Unstructured) field.ErrorList {
	var errs field.ErrorList
	if got, want := object.GetKind(), v.Kind.Kind; got != want {
		errs = append(errs, field.Invalid(field.NewPath("kind"), got, fmt.Sprintf("must be %v", want)))
	}
	if got, want := object.GetAPIVersion(), v.Kind.GroupVersion().String(); got != want {
		errs = append(errs, field.Invalid(field.NewPath("apiVersion"), got, fmt.Sprintf("must be %v", want)))
	}
	return errs
}

func validateObjectMeta(ctx context.Context, v *crd.Version, object *unstructured.Unstructured) field.ErrorList {
	path := field.NewPath("metadata")
	meta, errs := objectMeta(object, path)
	if len(errs) > 0 {
		return errs
	}
	return validation.ValidateObjectMetaDeclaratively(ctx, operation.Create, meta, nil, v.Namespaced,
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

// concludeValidation returns an error if validation has found errors. Without errors,
// it validates the name of a new object as a URL segment. Except for an update of the
// status, it then adds warnings about new finalizers.
func (r *Request) concludeValidation() error {
	v := r.endpoint.version
	if len(r.invalid) == 0 && r.creates() {
		r.addInvalid(playground.StageValidate, validation.ValidateObjectMetaAccessor(r.object, v.Namespaced, upstream.ValidatePathSegment, field.NewPath("metadata")))
	}
	if len(r.invalid) > 0 {
		return apierrors.NewInvalid(v.Kind.GroupKind(), r.object.GetName(), upstream.SortErrors(r.invalid))
	}
	if r.options.operation == playground.OperationUpdateStatus {
		return nil
	}
	for _, finalizer := range newFinalizers(r.object, r.old.object) {
		r.rec.warn(finalizerWarnings(finalizer)...)
	}
	return nil
}

// newFinalizers returns the finalizers that the old object lacks, in alphabetical
// order. On create, old is nil.
func newFinalizers(object, old *unstructured.Unstructured) []string {
	finalizers := sets.New(object.GetFinalizers()...)
	if old != nil {
		finalizers.Delete(old.GetFinalizers()...)
	}
	return sets.List(finalizers)
}

// finalizerWarnings returns the warnings about the name of a finalizer
// (validateKubeFinalizerName of the strategy).
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
