package customresource

import (
	"fmt"
	"math"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
)

// SetReplicas sets the number of replicas of an object, and returns its former Scale. It
// follows scaleUpdatedObjectInfo.UpdatedObject in
// k8s.io/apiextensions-apiserver/pkg/registry/customresource.
func SetReplicas(object *unstructured.Unstructured, paths *apiextensionsv1.CustomResourceSubresourceScale, replicas int32) (*autoscalingv1.Scale, error) {
	scale, found, err := newScale(object, paths)
	if err != nil {
		return nil, err
	}
	if !found {
		scale.Spec.Replicas = math.MinInt32 // no number of replicas
	}
	return scale, unstructured.SetNestedField(object.Object, int64(replicas), jsonvalue.SplitJSONPath(paths.SpecReplicasPath)...)
}

// GetScale returns the Scale of an object. The hint explains an error; it may be empty.
// GetScale follows ScaleREST.Get of
// k8s.io/apiextensions-apiserver/pkg/registry/customresource.
func GetScale(v *crd.Version, object *unstructured.Unstructured) (scale map[string]any, hint string, err error) {
	typed, found, err := newScale(object, v.Scale)
	if err != nil {
		return nil, "", err
	}
	if !found {
		path := v.Scale.SpecReplicasPath
		hint = fmt.Sprintf("An object without %s cannot be scaled. Set it, or declare a default for it and for the objects that contain it.", strings.TrimPrefix(path, "."))
		return nil, hint, apierrors.NewInternalError(fmt.Errorf("the spec replicas field %q does not exist", path))
	}
	scale, err = runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	return scale, "", err
}

// newScale returns the Scale of an object. It reports whether the object has a number
// of replicas (scaleFromCustomResource of the same package, which is not exported).
func newScale(object *unstructured.Unstructured, paths *apiextensionsv1.CustomResourceSubresourceScale) (*autoscalingv1.Scale, bool, error) {
	content := object.UnstructuredContent()
	specReplicas, found, err := unstructured.NestedInt64(content, jsonvalue.SplitJSONPath(paths.SpecReplicasPath)...)
	if err != nil {
		return nil, false, err
	}
	statusReplicas, _, err := unstructured.NestedInt64(content, jsonvalue.SplitJSONPath(paths.StatusReplicasPath)...)
	if err != nil {
		return nil, false, err
	}
	selector := ""
	if path := ptr.Deref(paths.LabelSelectorPath, ""); path != "" {
		if selector, _, err = unstructured.NestedString(content, jsonvalue.SplitJSONPath(path)...); err != nil {
			return nil, false, err
		}
	}
	return &autoscalingv1.Scale{
		TypeMeta: metav1.TypeMeta{APIVersion: autoscalingv1.SchemeGroupVersion.String(), Kind: "Scale"},
		ObjectMeta: metav1.ObjectMeta{
			Name:              object.GetName(),
			Namespace:         object.GetNamespace(),
			UID:               object.GetUID(),
			ResourceVersion:   object.GetResourceVersion(),
			CreationTimestamp: object.GetCreationTimestamp(),
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: int32(specReplicas)},
		Status: autoscalingv1.ScaleStatus{Replicas: int32(statusReplicas), Selector: selector},
	}, found, nil
}

// validateScale validates the values that the scale subresource reads
// (ValidateScaleSpec and ValidateScaleStatus of the strategy).
func validateScale(content map[string]any, scale *apiextensionsv1.CustomResourceSubresourceScale) field.ErrorList {
	if scale == nil {
		return nil
	}
	errs := validateReplicas(content, scale.SpecReplicasPath)
	return append(errs, validateScaleStatus(content, scale)...)
}

func validateScaleStatus(content map[string]any, scale *apiextensionsv1.CustomResourceSubresourceScale) field.ErrorList {
	if scale == nil {
		return nil
	}
	errs := validateReplicas(content, scale.StatusReplicasPath)
	if scale.LabelSelectorPath == nil {
		return errs
	}
	selector, _, err := unstructured.NestedString(content, jsonvalue.SplitJSONPath(*scale.LabelSelectorPath)...)
	if err != nil {
		errs = append(errs, field.Invalid(field.NewPath(*scale.LabelSelectorPath), selector, err.Error()))
	}
	return errs
}

func validateReplicas(content map[string]any, jsonPath string) field.ErrorList {
	replicas, _, err := unstructured.NestedInt64(content, jsonvalue.SplitJSONPath(jsonPath)...)
	path := field.NewPath(jsonPath)
	switch {
	case err != nil:
		return field.ErrorList{field.Invalid(path, replicas, err.Error())}
	case replicas < 0:
		return field.ErrorList{field.Invalid(path, replicas, "should be a non-negative integer")}
	case replicas > math.MaxInt32:
		return field.ErrorList{field.Invalid(path, replicas, fmt.Sprintf("should be less than or equal to %v", math.MaxInt32))}
	}
	return nil
}
