package object

import (
	"fmt"
	"math"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// setReplicas follows scaleUpdatedObjectInfo.UpdatedObject of
// k8s.io/apiextensions-apiserver/pkg/registry/customresource.
func setReplicas(r *Request) error {
	if _, _, err := scaleFrom(r.Object, r.Version.Scale); err != nil {
		return err
	}
	before := r.snapshot()
	path := r.Version.Scale.SpecReplicasPath
	if err := unstructured.SetNestedField(r.Object.Object, int64(r.replicas), jsonvalue.SplitJSONPath(path)...); err != nil {
		return err
	}
	r.recordChanges(before, playground.CauseScaled, func(jsonvalue.Change) string {
		return "spec.replicas of the Scale is " + strings.TrimPrefix(path, ".") + " of the object"
	})
	return nil
}

// validateScale checks the values that the scale subresource reads
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
