package playground

import "encoding/json"

// Scale is the answer to GET …/scale of an object at one version.
type Scale struct {
	Version string `json:"version"`
	// Status is the API server's answer: 200, or why there is no Scale.
	Status Status `json:"status"`
	// Cause is set if the status is not the API server's.
	Cause ErrorCause `json:"cause,omitempty"`
	// Scale is the autoscaling/v1 Scale; null unless the code is 200.
	Scale json.RawMessage `json:"scale"`
	// Hint is in plain words what to do about a missing Scale, or empty.
	Hint string `json:"hint"`
}

// SelectableFields are the fields by which one version lets clients select an
// object.
type SelectableFields struct {
	Version string            `json:"version"`
	Fields  []SelectableField `json:"fields"`
	// Error is the API server's message if they cannot be determined.
	Error string `json:"error"`
}

// SelectableField is a field of an object and its value, as text.
type SelectableField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Selector is the argument of `kubectl get --field-selector` that the
	// object matches.
	Selector string `json:"selector"`
}
