package playground

import "encoding/json"

// Scale is the response to GET …/scale for an object at one version.
type Scale struct {
	Version string `json:"version"`
	// Status is the API server's status: 200, or the reason for a missing Scale.
	Status Status `json:"status"`
	// Cause is set if the status is not the API server's.
	Cause ErrorCause `json:"cause,omitempty"`
	// Scale is the autoscaling/v1 Scale; null unless the code is 200.
	Scale json.RawMessage `json:"scale"`
	// Hint suggests a remedy for a missing Scale in plain language, or is empty.
	Hint string `json:"hint"`
}

// SelectableFields lists the selectable fields of an object at one version.
type SelectableFields struct {
	Version string            `json:"version"`
	Fields  []SelectableField `json:"fields"`
	// Error is the API server's message if the fields cannot be determined.
	Error string `json:"error"`
}

// SelectableField is a selectable field of an object with its value as a string.
type SelectableField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Selector is the argument of `kubectl get --field-selector` that selects the
	// object.
	Selector string `json:"selector"`
}
