package crd

import (
	"slices"
	"sync/atomic"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apiserver/pkg/cel/environment"
)

// validMemo remembers the last CRD with many rules that upstream found nothing wrong
// with on create. To find that takes longer than all else of a keystroke, and many
// of them are in a description, of which upstream only asks whether there is one, and
// whether the schemas of all versions are the same. It is safe for concurrent use.
type validMemo struct {
	last atomic.Pointer[validCRD]
}

// validCRD is what upstream was asked: for a release, about a CRD, in which there
// is the same text for every description.
type validCRD struct {
	release string
	crd     *apiextensions.CustomResourceDefinition
}

func newValidCRD(crd *apiextensions.CustomResourceDefinition) *validCRD {
	same := crd.DeepCopy()
	eachNode(same, func(s *apiextensions.JSONSchemaProps) {
		if s.Description != "" {
			s.Description = "…"
		}
	})
	tellApart(same, crd)
	return &validCRD{environment.DefaultCompatibilityVersion().String(), same}
}

// tellApart has the schemas of two versions of a CRD differ, by a description, if
// they did in the original: versions must not all have the same.
func tellApart(crd, original *apiextensions.CustomResourceDefinition) {
	for i, v := range crd.Spec.Versions {
		if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
			v.Schema.OpenAPIV3Schema.Description = "as in " + original.Spec.Versions[firstAlike(original.Spec.Versions, i)].Name
		}
	}
}

// firstAlike is the index of the first version that has the same schema as the one
// of an index.
func firstAlike(versions []apiextensions.CustomResourceDefinitionVersion, of int) int {
	return slices.IndexFunc(versions, func(v apiextensions.CustomResourceDefinitionVersion) bool {
		return apiequality.Semantic.DeepEqual(v.Schema, versions[of].Schema)
	})
}

// has says whether upstream was asked this before, and found nothing wrong.
func (c *validMemo) has(asked *validCRD) bool {
	known := c.last.Load()
	return known != nil && known.release == asked.release && apiequality.Semantic.DeepEqual(known.crd, asked.crd)
}

func (c *validMemo) add(asked *validCRD) { c.last.Store(asked) }
