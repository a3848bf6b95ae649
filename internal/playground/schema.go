package playground

import "encoding/json"

// Schema is the OpenAPI schema that a cluster publishes for one served version
// of an accepted CRD.
type Schema struct {
	Version string `json:"version"`
	// OpenAPIV3 is the document at /openapi/v3/apis/<group>/<version>.
	OpenAPIV3 json.RawMessage `json:"openapiV3"`
	// Kind is the schema of the kind in OpenAPIV3. KindV2 is its schema in
	// /openapi/v2, which is less expressive.
	Kind   json.RawMessage `json:"kind"`
	KindV2 json.RawMessage `json:"kindV2"`
	// LostInV2 lists the paths in Kind that are missing or different in KindV2:
	// "properties.spec.nullable".
	LostInV2 []string `json:"lostInV2"`
	// Explain and ExplainRecursive are the output of `kubectl explain` for the
	// resource, without and with --recursive.
	Explain          string `json:"explain"`
	ExplainRecursive string `json:"explainRecursive"`
}
