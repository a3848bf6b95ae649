package playground

// View requests the panels of the page for a scenario.
type View struct {
	Scenario Scenario `json:"scenario"`
	// Panels names the requested panels, usually the visible ones. Empty: all.
	Panels []string `json:"panels"`
	// Preliminary requests a response without the search for witnesses of changes.
	Preliminary bool `json:"preliminary,omitempty"`
}

// Answer is the part of a [Report] that the page shows.
type Answer struct {
	// Findings lists all findings of the report, starting with the CRD's.
	Findings []Finding `json:"findings"`
	// Outputs lists the output of kubectl for the CRD, followed by each object.
	Outputs []string `json:"outputs"`
	// Preliminary reports that some changes of the CRD have no witness yet.
	Preliminary bool `json:"preliminary,omitempty"`
	// Panels maps the name of each panel to its HTML.
	Panels map[string]string `json:"panels"`
}
