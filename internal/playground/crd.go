package playground

import "encoding/json"

// CRD reports the request for Scenario.CRD.
type CRD struct {
	// Name is metadata.name, empty if the document cannot be decoded.
	Name     string `json:"name"`
	Accepted bool   `json:"accepted"`
	Status   Status `json:"status"`
	// Output is the output of `kubectl create`, `kubectl replace` or `kubectl apply`. It may
	// have several lines.
	Output   string    `json:"output"`
	Findings []Finding `json:"findings"`
	// Warnings lists the warning headers of the response, without "Warning: ".
	Warnings []string `json:"warnings"`
	// Conditions is status.conditions after the controllers have finished.
	Conditions     []Condition `json:"conditions"`
	StoredVersions []string    `json:"storedVersions"`
	// Stored is the CRD as the API server stores it, with its managedFields; absent unless
	// Scenario.CRDStored is set and the request is accepted.
	Stored json.RawMessage `json:"stored,omitempty"`
	// StoredChanges lists the differences of Stored from the document, with their reasons, except
	// the status and managedFields. The SchemaRange of each locates the field in the document.
	StoredChanges []Change `json:"storedChanges,omitempty"`
	// Size compares the stored CRD with the limit of etcd; nil if it is smaller than a
	// tenth of the limit.
	Size  *Size  `json:"size"`
	Group string `json:"group"`
	// Scope is Namespaced or Cluster.
	Scope string `json:"scope"`
	Names Names  `json:"names"`
	// Versions follows the order of spec.versions.
	Versions []Version `json:"versions"`
	Rules    []Rule    `json:"rules"`
	// EstimatedCost is the estimated cost of all rules and message expressions
	// of the most expensive version, in CEL cost units.
	EstimatedCost uint64 `json:"estimatedCost"`
	// CostLimit is the maximum of EstimatedCost.
	CostLimit uint64 `json:"costLimit"`
	// Candidates lists the CustomResourceDefinitions in the document. The
	// request is for the chosen one.
	Candidates []Candidate `json:"candidates"`
	// Upgraded is a v1beta1 CRD converted to v1, as YAML; empty for a v1 CRD.
	Upgraded string `json:"upgraded"`
	// UpgradeSteps lists the manual changes required before Upgraded can be
	// created.
	UpgradeSteps []UpgradeStep `json:"upgradeSteps"`
	// Changes lists the differences from Scenario.OldCRD. Changes of the whole
	// CRD precede the changes of each version, in the order of spec.versions.
	Changes []CRDChange `json:"changes"`
}

// EmptyCRD returns a CRD without any information, whose slices are not nil.
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

// Candidate describes a CustomResourceDefinition in Scenario.CRD.
type Candidate struct {
	Name   string `json:"name"`
	Chosen bool   `json:"chosen"`
	Range  Range  `json:"range"`
	// Objects is the number of objects in Scenario.Object that belong to this CRD, if
	// there are several CRDs.
	Objects int `json:"objects,omitempty"`
	// Report is the report on this CRD and its objects. It is absent for the chosen CRD, and for
	// the ones that are not evaluated: the 17th and later ones.
	Report *Report `json:"report,omitempty"`
}

// Condition is a condition of a CustomResourceDefinition, without its time.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// nameFields maps the reasons of the condition NamesAccepted to fields of spec.names.
var nameFields = map[string]string{
	"PluralConflict": "plural", "SingularConflict": "singular", "ShortNamesConflict": "shortNames",
	"KindConflict": "kind", "ListKindConflict": "listKind",
}

// NameField returns the field of spec.names that the condition NamesAccepted is about.
func (c Condition) NameField() string { return nameFields[c.Reason] }

// Names holds the names under which the resource is served: status.acceptedNames. For a
// rejected CRD, it holds the names from spec.names.
type Names struct {
	Plural     string   `json:"plural"`
	Singular   string   `json:"singular"`
	Kind       string   `json:"kind"`
	ListKind   string   `json:"listKind"`
	ShortNames []string `json:"shortNames"`
	Categories []string `json:"categories"`
}

// Version is an entry of spec.versions.
type Version struct {
	Name       string `json:"name"`
	Served     bool   `json:"served"`
	Storage    bool   `json:"storage"`
	Deprecated bool   `json:"deprecated"`
	// Priority is the position in discovery's order, starting at 1 for the
	// version that kubectl prefers; 0 if the version is not served.

	Priority int   `json:"priority"`
	Range    Range `json:"range"`
}
