package playground

// PlanRequest requests the steps that lead from the previous CRD of a scenario to its CRD, as "crdlab plan" lists them. They
// are tried on the previous objects of the scenario, and on objects that crdlab makes. Each request does a part of the work,
// so that it is short.
type PlanRequest struct {
	Scenario Scenario `json:"scenario"`
	// From is the number of steps of the responses before, and Trials that of the last one. Both are 0 at first.
	From   int `json:"from"`
	Trials int `json:"trials"`
}

// PlanResult is the response to a [PlanRequest].
type PlanResult struct {
	// Steps lists the steps after From that have been tried since.
	Steps []PlanStep `json:"steps"`
	// Trials is the number of trials so far, for the next request.
	Trials int `json:"trials"`
	// Done reports that there are no further steps.
	Done bool `json:"done"`
	// Summary has the sentences about all steps, once there are no further ones.
	Summary []string `json:"summary"`
}

// PlanStep is a step of a plan.
type PlanStep struct {
	Title string `json:"title"`
	// Outcome is pass, fail if the step breaks objects or clients, error if the API server refuses it, or skipped if it may
	// break them.
	Outcome Outcome `json:"outcome"`
	// Facts says what to run and to wait for, and what was proven. A text can have several lines.
	Facts []Fact `json:"facts"`
	// Scenario is the step as an update of the CRD and its objects; nil if the step changes neither.
	Scenario *Scenario `json:"scenario"`
}
