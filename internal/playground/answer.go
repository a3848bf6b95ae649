package playground

// View asks for what the page shows of a scenario.
type View struct {
	Scenario Scenario `json:"scenario"`
	// Panels are the names of the panels that are wanted: those that the page
	// has in sight. Empty: all.
	Panels []string `json:"panels"`
}

// Answer is what the page shows of a [Report].
type Answer struct {
	// Findings are all of the report, those of the CRD first.
	Findings []Finding `json:"findings"`
	// Outputs are what kubectl prints: of the CRD, then of each object.
	Outputs []string `json:"outputs"`
	// Missing is [Report.Missing].
	Missing []string `json:"missing,omitempty"`
	// Panels are the parts of the page that show the report, as HTML, by name.
	Panels map[string]string `json:"panels"`
}
