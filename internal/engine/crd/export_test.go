package crd

import (
	"context"
	"reflect"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// ErrorsWithoutDescriptions returns upstream's errors for creating the CRD of s and
// for creating it with equal descriptions. It reports whether the two CRDs differ.
func ErrorsWithoutDescriptions(ctx context.Context, s playground.Scenario) (with, without []string, differ bool) {
	r := NewEvaluator().NewRequest(ctx, s)
	if !r.open() || decode(r) != nil {
		return nil, nil, false
	}
	prepareCreate(r.Internal)
	uniform := r.Internal.DeepCopy()
	visitSchemas(uniform, func(s *apiextensions.JSONSchemaProps) { *s = *withoutWording(s) })
	// Upstream rejects a CRD whose versions all have the same schema. A change of one never makes them the same.
	for i, v := range uniform.Spec.Versions {
		if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
			v.Schema.OpenAPIV3Schema.Description = "as in " + r.Internal.Spec.Versions[firstEqualSchema(r.Internal.Spec.Versions, i)].Name
		}
	}
	return validationErrors(ctx, r.Internal), validationErrors(ctx, uniform), !reflect.DeepEqual(uniform, r.Internal)
}

// firstEqualSchema returns the index of the first version with the schema of version i.
func firstEqualSchema(versions []apiextensions.CustomResourceDefinitionVersion, i int) int {
	return slices.IndexFunc(versions, func(v apiextensions.CustomResourceDefinitionVersion) bool {
		return apiequality.Semantic.DeepEqual(v.Schema, versions[i].Schema)
	})
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
