package crd

import (
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/crdlab/crdlab/internal/playground"
)

// acceptNames accepts the requested names of a CRD in a cluster without other CRDs, as far
// as they do not conflict with its accepted names. It returns the condition NamesAccepted.
// Like the controller, it repeats this while the accepted names change, and keeps the condition of
// names that are accepted already, even if other names were refused in the meantime.
func acceptNames(crd *apiextensionsv1.CustomResourceDefinition) playground.Condition {
	known := apihelpers.FindCRDCondition(crd, apiextensionsv1.NamesAccepted)
	if known != nil && apiequality.Semantic.DeepEqual(crd.Spec.Names, crd.Status.AcceptedNames) {
		return playground.Condition{Type: string(known.Type), Status: string(known.Status), Reason: known.Reason, Message: known.Message}
	}
	for {
		before := crd.Status.AcceptedNames
		condition := namesCondition(&crd.Status, crd.Spec.Names)
		if apiequality.Semantic.DeepEqual(before, crd.Status.AcceptedNames) {
			return condition
		}
	}
}

// namesCondition follows calculateNamesAndConditions of
// k8s.io/apiextensions-apiserver/pkg/controller/status, which is not exported: a name that
// the CRD already has in another role is in use.
func namesCondition(status *apiextensionsv1.CustomResourceDefinitionStatus, requested apiextensionsv1.CustomResourceDefinitionNames) playground.Condition {
	accepted := status.AcceptedNames
	resources := append([]string{accepted.Plural, accepted.Singular}, accepted.ShortNames...)
	kinds := []string{accepted.Kind, accepted.ListKind}
	condition := playground.Condition{
		Type:    string(apiextensionsv1.NamesAccepted),
		Status:  string(apiextensionsv1.ConditionTrue),
		Reason:  "NoConflicts",
		Message: "no conflicts found",
	}
	refuse := func(reason string, err error) {
		condition.Status, condition.Reason, condition.Message = string(apiextensionsv1.ConditionFalse), reason, err.Error()
	}
	for _, name := range []struct {
		reason    string
		requested string
		accepted  *string
		used      []string
	}{
		{"PluralConflict", requested.Plural, &status.AcceptedNames.Plural, resources},
		{"SingularConflict", requested.Singular, &status.AcceptedNames.Singular, resources},
		{"ShortNamesConflict", "", nil, resources},
		{"KindConflict", requested.Kind, &status.AcceptedNames.Kind, kinds},
		{"ListKindConflict", requested.ListKind, &status.AcceptedNames.ListKind, kinds},
	} {
		if name.accepted == nil {
			if err := acceptShortNames(&status.AcceptedNames, requested.ShortNames, resources); err != nil {
				refuse(name.reason, err)
			}
			continue
		}
		if err := checkName(name.requested, *name.accepted, name.used); err != nil {
			refuse(name.reason, err)
			continue
		}
		*name.accepted = name.requested
	}
	status.AcceptedNames.Categories = requested.Categories
	return condition
}

// acceptShortNames accepts all requested short names or rejects all of them.
func acceptShortNames(accepted *apiextensionsv1.CustomResourceDefinitionNames, requested, used []string) error {
	var errs []error
	for _, name := range requested {
		if slices.Contains(accepted.ShortNames, name) {
			continue
		}
		errs = append(errs, checkName(name, "", used))
	}
	if err := utilerrors.NewAggregate(errs); err != nil {
		return err
	}
	accepted.ShortNames = requested
	return nil
}

func checkName(requested, accepted string, used []string) error {
	if requested == accepted || !slices.Contains(used, requested) {
		return nil
	}
	return fmt.Errorf("%q is already in use", requested)
}
