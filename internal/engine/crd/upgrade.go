package crd

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// upgrade replaces a v1beta1 CRD with the v1 CRD that it converts to. It reports the
// v1 CRD and the errors that prevent its creation.
func (r *Request) upgrade() error {
	v1, err := ToV1(r.Internal)
	if err != nil {
		return err
	}
	v1.SetGroupVersionKind(v1Kind)
	if r.Report.Upgraded, err = formatCRD(v1); err != nil {
		return fmt.Errorf("format the v1 CRD: %w", err)
	}
	upgraded := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(v1, upgraded, nil); err != nil {
		return fmt.Errorf("convert from v1: %w", err)
	}
	r.Internal = upgraded.DeepCopy()
	// If these calls panic, so does stage validate, which reports the panic.
	_ = upstream.Guard(playground.StageCRDValidate, func() error {
		for _, err := range r.upgradeErrors(upgraded) {
			r.Report.UpgradeSteps = append(r.Report.UpgradeSteps, r.upgradeStep(err))
		}
		return nil
	})
	return nil
}

// formatCRD returns the YAML of a CRD without its status, as kubectl prints it.
func formatCRD(v1 *apiextensionsv1.CustomResourceDefinition) (string, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(v1)
	if err != nil {
		return "", err
	}
	delete(content, "status")
	data, err := yaml.Marshal(content)
	return string(data), err
}

// upgradeErrors returns the errors for creating an upgraded CRD, which it may change.
// If the CRD preserves unknown fields, it returns the error about this setting, and
// then the errors that remain after the setting is disabled.
func (r *Request) upgradeErrors(upgraded *apiextensions.CustomResourceDefinition) field.ErrorList {
	first := r.createErrors(upgraded)
	if !ptr.Deref(upgraded.Spec.PreserveUnknownFields, false) {
		return first
	}
	preserving := field.NewPath("spec", "preserveUnknownFields").String()
	first = slices.DeleteFunc(first, func(err *field.Error) bool { return err.Field != preserving })
	upgraded.Spec.PreserveUnknownFields = new(false)
	return append(first[:min(1, len(first))], r.createErrors(upgraded)...)
}

// createErrors returns the errors for creating a CRD, without the errors of its
// status, which follow from other errors.
func (r *Request) createErrors(created *apiextensions.CustomResourceDefinition) field.ErrorList {
	create := Request{CRD: &CRD{Internal: created.DeepCopy()}, ctx: r.ctx}
	errs := upstream.SortErrors(create.validateCreate())
	return slices.DeleteFunc(errs, func(err *field.Error) bool { return strings.HasPrefix(err.Field, "status.") })
}

// upgradeStep converts an error to the API server's wording and to a range in the
// v1beta1 CRD.
func (r *Request) upgradeStep(err *field.Error) playground.UpgradeStep {
	status := apierrors.NewInvalid(apiextensions.Kind("CustomResourceDefinition"), r.Internal.Name, field.ErrorList{err}).Status()
	cause := r.locateCause(causeFinding(playground.StageCRDValidate, status.Details.Causes[0]))
	return playground.UpgradeStep{
		Reason:  cause.Reason,
		Field:   cause.Field,
		Message: upstream.Repeatable(cause.Message),
		Range:   cause.Range,
	}
}
