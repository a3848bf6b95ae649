package playground

import "encoding/json"

// Schema is what a cluster publishes of one served version of an accepted CRD.
type Schema struct {
	Version string `json:"version"`
	// OpenAPIV3 is the document at /openapi/v3/apis/<group>/<version>.
	OpenAPIV3 json.RawMessage `json:"openapiV3"`
	// Kind is the schema of the kind within OpenAPIV3, and KindV2 the one in
	// /openapi/v2, which cannot express all of it.
	Kind   json.RawMessage `json:"kind"`
	KindV2 json.RawMessage `json:"kindV2"`
	// LostInV2 are the places of Kind that KindV2 lacks or has differently:
	// "properties.spec.nullable".
	LostInV2 []string `json:"lostInV2"`
	// Explain and ExplainRecursive are the output of `kubectl explain` of the
	// resource, plain and with --recursive.
	Explain          string `json:"explain"`
	ExplainRecursive string `json:"explainRecursive"`
}
