package object

import (
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdlab/crdlab/internal/engine/customresource"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// runValidate runs all checks except the CEL rules, in the order of the strategy of
// custom resources (k8s.io/apiextensions-apiserver/pkg/registry/customresource,
// which does not build for WebAssembly).
func runValidate(r *Request) error {
	if r.creates() {
		r.addInvalid(playground.StageValidate, customresource.ValidateCreate(r.ctx, r.endpoint.version, r.object))
		return nil
	}
	r.addInvalid(playground.StageValidate, customresource.ValidateUpdate(r.ctx, r.endpoint.version, r.object, r.old.object, r.options.operation))
	return nil
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
		return upstream.Invalid(v.Kind.GroupKind(), r.object.GetName(), upstream.SortErrors(r.invalid))
	}
	if playground.IsOfStatus(r.options.operation) {
		return nil
	}
	r.rec.warnIn(playground.StageValidate, customresource.FinalizerWarnings(r.object, r.old.object)...)
	return nil
}
