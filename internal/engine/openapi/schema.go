// Package openapi builds the documents that a cluster publishes for a CRD: OpenAPI,
// the output of kubectl explain, and the types that server-side apply merges with.
package openapi

import (
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// Schema builds the documents of a served version, like the OpenAPI controllers of
// k8s.io/apiextensions-apiserver.
func Schema(crd *apiextensionsv1.CustomResourceDefinition, version string) (playground.Schema, error) {
	out := playground.Schema{Version: version}
	v3, err := builder.BuildOpenAPIV3(crd, version, builder.Options{IncludeSelectableFields: true})
	if err != nil {
		return out, fmt.Errorf("build OpenAPI v3: %w", err)
	}
	v2, err := builder.BuildOpenAPIV2(crd, version, builder.Options{V2: true, IncludeSelectableFields: true})
	if err != nil {
		return out, fmt.Errorf("build OpenAPI v2: %w", err)
	}
	out.OpenAPIV3 = jsonvalue.Encode(v3)
	kinds, err := findKinds(crd, version, v3.Components.Schemas, v2.Definitions)
	if err != nil {
		return out, err
	}
	out.Kind, out.KindV2 = jsonvalue.Encode(kinds.v3), jsonvalue.Encode(kinds.v2)

	kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: version, Kind: crd.Spec.Names.Kind}
	if out.Explain, err = Explain(out.OpenAPIV3, kind, nil, false); err != nil {
		return out, err
	}
	if out.ExplainRecursive, err = Explain(out.OpenAPIV3, kind, nil, true); err != nil {
		return out, err
	}
	return out, nil
}

// kindSchemas holds the schemas of one kind in the two published documents.
type kindSchemas struct{ v3, v2 map[string]any }

func findKinds(crd *apiextensionsv1.CustomResourceDefinition, version string, v3, v2 any) (kindSchemas, error) {
	out := kindSchemas{}
	var err error
	if out.v3, err = findKind(crd, version, v3); err != nil {
		return out, fmt.Errorf("OpenAPI v3: %w", err)
	}
	if out.v2, err = findKind(crd, version, v2); err != nil {
		return out, fmt.Errorf("OpenAPI v2: %w", err)
	}
	return out, nil
}

// findKind returns the schema of the CRD's kind, which has the extension
// x-kubernetes-group-version-kind.
func findKind(crd *apiextensionsv1.CustomResourceDefinition, version string, schemas any) (map[string]any, error) {
	data, err := json.Marshal(schemas)
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]any{}
	if err := utiljson.Unmarshal(data, &all); err != nil {
		return nil, err
	}
	for _, schema := range all {
		kinds, _ := schema["x-kubernetes-group-version-kind"].([]any)
		for _, k := range kinds {
			kind, _ := k.(map[string]any)
			if kind["group"] == crd.Spec.Group && kind["version"] == version && kind["kind"] == crd.Spec.Names.Kind {
				return schema, nil
			}
		}
	}
	return nil, fmt.Errorf("no schema of %s", crd.Spec.Names.Kind)
}
