package playground

// CRD is what became of Scenario.CRD.
type CRD struct {
	// Name is metadata.name, empty as long as the text cannot be decoded.
	Name     string `json:"name"`
	Accepted bool   `json:"accepted"`
	Status   Status `json:"status"`
	// Output is what kubectl would print, several lines at times: create, or
	// replace for an update.
	Output   string    `json:"output"`
	Findings []Finding `json:"findings"`
	// Warnings are the warning headers of the answer, without "Warning: ".
	Warnings []string `json:"warnings"`
	// Conditions are those of status.conditions once the controllers are done.
	Conditions     []Condition `json:"conditions"`
	StoredVersions []string    `json:"storedVersions"`
	Group          string      `json:"group"`
	// Scope is Namespaced or Cluster.
	Scope string `json:"scope"`
	Names Names  `json:"names"`
	// Versions are in the order of spec.versions.
	Versions []Version `json:"versions"`
	Rules    []Rule    `json:"rules"`
	// EstimatedCost is the sum of the estimated costs of all rules and message
	// expressions of one version, the most expensive one, in CEL cost units.
	EstimatedCost uint64 `json:"estimatedCost"`
	// CostLimit is the most EstimatedCost may be.
	CostLimit uint64 `json:"costLimit"`
	// Candidates are the CustomResourceDefinitions found in the text, one of
	// which (Chosen) was judged.
	Candidates []Candidate `json:"candidates"`
	// Upgraded is the YAML of the v1 CRD that a v1beta1 one converts to; empty
	// for a v1 CRD.
	Upgraded string `json:"upgraded"`
	// UpgradeSteps are what is left to do by hand before Upgraded can be
	// created.
	UpgradeSteps []UpgradeStep `json:"upgradeSteps"`
	// Changes are the differences from Scenario.OldCRD: of the CRD as a whole,
	// then of its versions in their order.
	Changes []CRDChange `json:"changes"`
}

// EmptyCRD is one of which nothing is known.
func EmptyCRD() CRD {
	return CRD{
		Findings:       []Finding{},
		Warnings:       []string{},
		Conditions:     []Condition{},
		StoredVersions: []string{},
		Names:          Names{ShortNames: []string{}, Categories: []string{}},
		Versions:       []Version{},
		Rules:          []Rule{},
		Candidates:     []Candidate{},
		UpgradeSteps:   []UpgradeStep{},
		Changes:        []CRDChange{},
	}
}

// Candidate is one CustomResourceDefinition among the documents of a paste.
type Candidate struct {
	Name   string `json:"name"`
	Chosen bool   `json:"chosen"`
	Range  Range  `json:"range"`
}

// Condition is a condition of a CustomResourceDefinition, less its time.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Names are the names under which the resource is served.
type Names struct {
	Plural     string   `json:"plural"`
	Singular   string   `json:"singular"`
	Kind       string   `json:"kind"`
	ListKind   string   `json:"listKind"`
	ShortNames []string `json:"shortNames"`
	Categories []string `json:"categories"`
}

// Version is one entry of spec.versions.
type Version struct {
	Name       string `json:"name"`
	Served     bool   `json:"served"`
	Storage    bool   `json:"storage"`
	Deprecated bool   `json:"deprecated"`
	// Priority is the place in discovery's order, 1 being the version that
	// kubectl prefers; 0 if the version is not served.
	Priority int   `json:"priority"`
	Range    Range `json:"range"`
}
