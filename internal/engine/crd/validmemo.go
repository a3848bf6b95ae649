package crd

import (
	"slices"
	"sync/atomic"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apiserver/pkg/cel/environment"
)

// maxForgotten is the largest number of rules with which validation needs no memo.
const maxForgotten = 40

// A validMemo remembers the last created CRD with more than maxForgotten rules
// that upstream found valid. Validation dominates keystroke latency, and most
// keystrokes change only a description, which validation ignores except for its
// presence. web/flows/page.bench.ts measures these keystrokes ("a description").
//
//	key: release, CRD with equal descriptions    entries: 1
//
// It is safe for concurrent use.
type validMemo struct {
	last atomic.Pointer[validCRD]
}

// A validCRD is the key of a [validMemo].
type validCRD struct {
	release string
	crd     *apiextensions.CustomResourceDefinition
}

// newValidCRD returns the key of crd. Each description in its copy of the CRD is the
// same string, apart from the descriptions that [distinguishVersions] sets.
func newValidCRD(crd *apiextensions.CustomResourceDefinition) *validCRD {
	uniform := crd.DeepCopy()
	visitSchemas(uniform, func(s *apiextensions.JSONSchemaProps) {
		if s.Description != "" {
			s.Description = "…"
		}
	})
	distinguishVersions(uniform, crd)
	return &validCRD{environment.DefaultCompatibilityVersion().String(), uniform}
}

// distinguishVersions sets descriptions in crd so that the schemas of two versions are
// equal if and only if they are equal in original. Upstream rejects a CRD whose
// versions all have the same schema.
func distinguishVersions(crd, original *apiextensions.CustomResourceDefinition) {
	for i, v := range crd.Spec.Versions {
		if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
			v.Schema.OpenAPIV3Schema.Description = "as in " + original.Spec.Versions[firstEqualSchema(original.Spec.Versions, i)].Name
		}
	}
}

// firstEqualSchema returns the index of the first version with the schema of version i.
func firstEqualSchema(versions []apiextensions.CustomResourceDefinitionVersion, i int) int {
	return slices.IndexFunc(versions, func(v apiextensions.CustomResourceDefinitionVersion) bool {
		return apiequality.Semantic.DeepEqual(v.Schema, versions[i].Schema)
	})
}

// contains reports whether crd is the last added CRD.
func (m *validMemo) contains(crd *validCRD) bool {
	known := m.last.Load()
	return known != nil && known.release == crd.release && apiequality.Semantic.DeepEqual(known.crd, crd.crd)
}

func (m *validMemo) add(crd *validCRD) { m.last.Store(crd) }
