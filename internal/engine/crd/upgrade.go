package crd

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// upgrade goes on with the v1 CRD that a v1beta1 one converts to, and reports it
// and what the API server would not accept of it.
func (r *Request) upgrade() error {
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := scheme.Convert(r.Internal.DeepCopy(), v1, nil); err != nil {
		return fmt.Errorf("convert to v1: %w", err)
	}
	v1.TypeMeta = metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"}
	text, err := printedCRD(v1)
	if err != nil {
		return fmt.Errorf("print the v1 CRD: %w", err)
	}
	r.Report.Upgraded = text
	upgraded := &apiextensions.CustomResourceDefinition{}
	if err := scheme.Convert(v1, upgraded, nil); err != nil {
		return fmt.Errorf("convert from v1: %w", err)
	}
	r.Internal = upgraded.DeepCopy() // what is judged is the v1 CRD
	// A panic is told by the stage that validates, which does the same.
	_ = upstream.Guard(playground.StageCRDValidate, func() error {
		for _, err := range r.upgradeErrors(upgraded) {
			r.Report.UpgradeSteps = append(r.Report.UpgradeSteps, r.upgradeStep(err))
		}
		return nil
	})
	return nil
}

// printedCRD is a CRD as kubectl prints it, without its status, which is the
// server's.
func printedCRD(v1 *apiextensionsv1.CustomResourceDefinition) (string, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(v1)
	if err != nil {
		return "", err
	}
	delete(content, "status")
	text, err := yaml.Marshal(content)
	return string(text), err
}

// upgradeErrors are what the API server says of an upgraded CRD if it is
// created. Errors that are gone once unknown fields are not preserved any more
// do not count, since that has to be changed in any case.
func (r *Request) upgradeErrors(upgraded *apiextensions.CustomResourceDefinition) field.ErrorList {
	first := r.createErrors(upgraded)
	if !ptr.Deref(upgraded.Spec.PreserveUnknownFields, false) {
		return first
	}
	preserving := field.NewPath("spec", "preserveUnknownFields").String()
	first = slices.DeleteFunc(first, func(err *field.Error) bool { return err.Field != preserving })
	upgraded.Spec.PreserveUnknownFields = ptr.To(false)
	return append(first[:min(1, len(first))], r.createErrors(upgraded)...)
}

// createErrors are the errors of a CRD that is created, but for those of the
// status, which follow from others.
func (r *Request) createErrors(created *apiextensions.CustomResourceDefinition) field.ErrorList {
	create := Request{CRD: &CRD{Internal: created.DeepCopy()}, ctx: r.ctx, immediateRules: math.MaxInt}
	errs := upstream.SortErrors(create.checkCreate())
	return slices.DeleteFunc(errs, func(err *field.Error) bool { return strings.HasPrefix(err.Field, "status.") })
}

// upgradeStep is an error in the API server's words, at its place in the
// v1beta1 CRD.
func (r *Request) upgradeStep(err *field.Error) playground.UpgradeStep {
	status := apierrors.NewInvalid(apiextensions.Kind("CustomResourceDefinition"), r.Internal.Name, field.ErrorList{err}).Status()
	cause := r.causeFinding(playground.StageCRDValidate, status.Details.Causes[0])
	return playground.UpgradeStep{
		Reason:  cause.Reason,
		Field:   cause.Field,
		Message: upstream.Repeatable(cause.Message),
		Range:   cause.Range,
	}
}
