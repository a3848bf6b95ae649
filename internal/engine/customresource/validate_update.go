package customresource

import (
	"context"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// ValidateUpdate validates an updated object, except for the CEL rules (BeforeUpdate
// in k8s.io/apiserver/pkg/registry/rest with the strategies of custom resources).
// It ignores errors in unchanged values where the API server ignores them.
func ValidateUpdate(ctx context.Context, v *crd.Version, object, old *unstructured.Unstructured, op playground.Operation) field.ErrorList {
	metadata := field.NewPath("metadata")
	errs := validation.ValidateObjectMetaAccessor(object, v.Namespaced, upstream.ValidatePathSegment, metadata)
	errs = append(errs, validation.ValidateObjectMetaAccessorUpdate(object, old, metadata)...)
	typeErrs := validateTypeMeta(v, object)
	errs = append(errs, typeErrs...)
	if len(typeErrs) == 0 {
		errs = append(errs, validateObjectMetaUpdate(ctx, v, object, old)...)
		errs = append(errs, validateSchemaUpdate(v, object, old, op)...)
	}
	if !playground.IsOfStatus(op) {
		errs = append(errs, objectmeta.Validate(ctx, nil, object.Object, v.Schema, false)...)
	}
	if len(listtype.ValidateListSetsAndMaps(nil, v.Schema, old.Object)) == 0 {
		errs = append(errs, listtype.ValidateListSetsAndMaps(nil, v.Schema, object.Object)...)
	}
	return errs
}

func validateObjectMetaUpdate(ctx context.Context, v *crd.Version, object, old *unstructured.Unstructured) field.ErrorList {
	path := field.NewPath("metadata")
	meta, errs := objectMeta(object, path)
	if len(errs) > 0 {
		return errs
	}
	oldMeta, errs := objectMeta(old, path)
	if len(errs) > 0 {
		return errs
	}
	return validation.ValidateObjectMetaDeclaratively(ctx, operation.Update, meta, oldMeta, v.Namespaced,
		nil, path, utilfeature.DefaultFeatureGate.Enabled(features.DeclarativeValidationBeta))
}

func validateSchemaUpdate(v *crd.Version, object, old *unstructured.Unstructured, op playground.Operation) field.ErrorList {
	correlated := Correlate(v, object, old)
	if !playground.IsOfStatus(op) {
		errs := apiservervalidation.ValidateCustomResourceUpdate(nil, object.Object, old.Object, v.Validator, apiservervalidation.WithRatcheting(correlated))
		return append(errs, validateScale(object.Object, v.Scale)...)
	}
	var errs field.ErrorList
	if status, ok := object.Object["status"]; ok {
		var options []apiservervalidation.ValidationOption
		if v.Schema != nil {
			options = append(options, apiservervalidation.WithRatcheting(correlated.Key("status")))
		}
		errs = apiservervalidation.ValidateCustomResourceUpdate(field.NewPath("status"), status, old.Object["status"], v.StatusValidator, options...)
	}
	return append(errs, validateScaleStatus(object.Object, v.Scale)...)
}

// Correlate pairs the values of an object with the values of the old one. The
// result caches comparisons, so callers must not share it.
func Correlate(v *crd.Version, object, old *unstructured.Unstructured) *common.CorrelatedObject {
	return common.NewCorrelatedObject(object.Object, old.Object, &model.Structural{Structural: v.Schema})
}
