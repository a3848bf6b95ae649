package playground

import "encoding/json"

// CRDChange is one difference between Scenario.OldCRD and Scenario.CRD.
// Descriptions and titles do not count.
type CRDChange struct {
	// Version is the version that changes; empty if the CRD as a whole does.
	Version string `json:"version"`
	// SchemaPath is the schema node that changes, as in Rule.SchemaPath; empty
	// at the root and outside of schemas.
	SchemaPath string `json:"schemaPath"`
	// Field is the path of what changes within the CRD, as the API server's
	// errors write it: "spec.versions[0].served".
	Field string `json:"field"`
	// Kind says what happened, such as "field removed" or "bound tightened".
	Kind string `json:"kind"`
	// Before and After are the values at Field; null if there is none.
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
	// Breaks says who may be hurt.
	Breaks Breaks `json:"breaks"`
	// Because is the reason for Breaks in a sentence.
	Because string `json:"because"`
	// OldRange is the place in OldCRD, and Range that in CRD; where there is no
	// such place any more or yet, that of the nearest node above.
	OldRange Range `json:"oldRange"`
	Range    Range `json:"range"`
}

// Breaks says whom a [CRDChange] may hurt: objects in the cluster, which are
// refused or lose data, or clients, whose requests are refused or mean
// something else.
type Breaks string

// Values of [Breaks].
const (
	BreaksNone    Breaks = "none"
	BreaksStored  Breaks = "stored objects"
	BreaksClients Breaks = "clients"
	BreaksBoth    Breaks = "both"
)

// StoredObject is what the change from Scenario.OldCRD to Scenario.CRD means
// to one object of Scenario.OldObject.
type StoredObject struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	// Range is the document in OldObject.
	Range Range `json:"range"`
	// Outcome is pass, fail if the new schema does not take the object as it
	// is, or error if it can no longer be read.
	Outcome Outcome `json:"outcome"`
	// Why says in words what Outcome means for the object.
	Why string `json:"why"`
	// Changes are what a read shows otherwise than before: fields that are
	// pruned or defaulted. Ranges are in OldObject.
	Changes []Change `json:"changes"`
	// Findings are what the new schema complains of and the old one does not.
	Findings []Finding `json:"findings"`
}

// UpgradeStep is one thing that keeps the API server from accepting
// CRD.Upgraded.
type UpgradeStep struct {
	// Reason, Field and Message are the API server's, word for word; Field is
	// that of the v1 CRD.
	Reason  string `json:"reason"`
	Field   string `json:"field"`
	Message string `json:"message"`
	// Do says in plain words what to do about it.
	Do string `json:"do"`
	// Range is the place in the text of the v1beta1 CRD.
	Range Range `json:"range"`
}
