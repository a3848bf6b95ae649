package crd

import (
	"context"
	"reflect"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// ErrorsWithoutDescriptions returns upstream's errors for creating the CRD of s and
// for creating its key in a validMemo. It reports whether the two CRDs differ.
func ErrorsWithoutDescriptions(ctx context.Context, s playground.Scenario) (with, without []string, differ bool) {
	r := NewEvaluator().NewRequest(ctx, s)
	if !r.open() || decode(r) != nil {
		return nil, nil, false
	}
	prepareCreate(r.Internal)
	uniform := newValidCRD(r.Internal).crd
	return validationErrors(ctx, r.Internal), validationErrors(ctx, uniform), !reflect.DeepEqual(uniform, r.Internal)
}

func validationErrors(ctx context.Context, definition *apiextensions.CustomResourceDefinition) (messages []string) {
	r := Request{CRD: &CRD{Internal: definition}, ctx: ctx}
	err := upstream.Guard(playground.StageCRDValidate, func() error {
		for _, err := range upstream.SortErrors(r.validateSpec()) {
			messages = append(messages, upstream.Repeatable(err.Error()))
		}
		return nil
	})
	if err != nil {
		messages = append(messages, err.Error())
	}
	return messages
}
