package playground

// View asks for what the page shows of a scenario.
type View struct {
	Scenario Scenario `json:"scenario"`
	// Panels are the names of the panels that are wanted: those that the page
	// has in sight. Empty: all.
	Panels []string `json:"panels"`
	// Preliminary asks for the answer as soon as it tells something.
	Preliminary bool `json:"preliminary,omitempty"`
}

// Answer is what the page shows of a [Report].
type Answer struct {
	// Findings are all of the report, those of the CRD first.
	Findings []Finding `json:"findings"`
	// Outputs are what kubectl prints: of the CRD, then of each object.
	Outputs []string `json:"outputs"`
	// Missing is [Report.Missing].
	Missing []string `json:"missing,omitempty"`
	// Preliminary: the rules of the CRD have not been validated yet. The problems
	// are some, and the rest holds unless there are more.
	Preliminary bool `json:"preliminary,omitempty"`
	// Panels are the parts of the page that show the report, as HTML, by name.
	Panels map[string]string `json:"panels"`
}
