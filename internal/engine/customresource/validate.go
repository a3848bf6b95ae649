package customresource

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"

	"github.com/crdlab/crdlab/internal/engine/crd"
)

// ValidateCreate validates a new object, except for the CEL rules.
func ValidateCreate(ctx context.Context, v *crd.Version, object *unstructured.Unstructured) field.ErrorList {
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

// BlocksRules reports whether errors prevent the evaluation of the rules
// (hasBlockingErr of the strategy of custom resources).
func BlocksRules(errs field.ErrorList) bool {
	for _, err := range errs {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
	}
	return false
}
