package playground

import "encoding/json"

// CRDChange is a difference between Scenario.OldCRD and Scenario.CRD.
// Descriptions and titles do not count.
type CRDChange struct {
	// Version is the changed version; empty for a change of the whole CRD.
	Version string `json:"version"`
	// SchemaPath is the changed schema node, as in Rule.SchemaPath; empty at the
	// root and outside of schemas.
	SchemaPath string `json:"schemaPath"`
	// Field is the path of the changed field within the CRD, in the notation of
	// the API server's errors: "spec.versions[0].served".
	Field string `json:"field"`
	// Kind classifies the change, for example "field removed" or "bound
	// tightened".
	Kind string `json:"kind"`
	// Before and After are the values at Field; null without a value.
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
	// Breaks names the parties that the change may break.
	Breaks Breaks `json:"breaks"`
	// Class classifies the effect of the change on objects that the old CRD accepts.
	Class ChangeClass `json:"class"`
	// Witness is the object that proves the class breaks; nil for the other classes.
	Witness *Witness `json:"witness,omitempty"`
	// Because gives the reason for Breaks in a sentence.
	Because string `json:"because"`
	// OldRange locates Field in Scenario.OldCRD, and Range in Scenario.CRD. If a
	// document lacks the field, the range is the nearest parent's.
	OldRange Range `json:"oldRange"`
	Range    Range `json:"range"`
}

// Breaks names the parties that a [CRDChange] may break. Stored objects may
// become invalid or lose data. Requests of clients may be rejected or change
// their meaning.
type Breaks string

// Values of [Breaks].
const (
	BreaksNone    Breaks = "none"
	BreaksStored  Breaks = "stored objects"
	BreaksClients Breaks = "clients"
	BreaksBoth    Breaks = "both"
)

// ChangeClass classifies the effect of a [CRDChange] on the objects that the old CRD
// accepts in a create request with strict field validation. The new CRD's create request has the
// field validation of the scenario.
type ChangeClass string

// Values of [ChangeClass].
const (
	// ChangeBreaks is the class of a change with a witness: the new CRD rejects or
	// changes an object that the old CRD accepts.
	ChangeBreaks ChangeClass = "breaks"
	// ChangeMayBreak is the class of a change without a witness that is not certainly
	// compatible.
	ChangeMayBreak ChangeClass = "mayBreak"
	// ChangeCompatible is the class of a change after which the new CRD accepts the same
	// objects and stores them unchanged.
	ChangeCompatible ChangeClass = "compatible"
)

// A Witness is an object that the old CRD accepts and the new CRD rejects or changes.
type Witness struct {
	// Object is the object as a YAML document.
	Object string `json:"object"`
	// Excerpt is the part of Object at the changed schema node, as YAML.
	Excerpt string `json:"excerpt"`
	// Effect is rejected or changed.
	Effect WitnessEffect `json:"effect"`
	// Message is the API server's error under the new CRD. If the new CRD changes the
	// object, Message describes the first difference.
	Message string `json:"message"`
}

// WitnessEffect is the effect of the new CRD on a [Witness].
type WitnessEffect string

// Values of [WitnessEffect].
const (
	WitnessRejected WitnessEffect = "rejected"
	WitnessChanged  WitnessEffect = "changed"
)

// StoredObject reports the effect of the change from Scenario.OldCRD to
// Scenario.CRD on one object of Scenario.OldObject.
type StoredObject struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	// Range locates the document in Scenario.OldObject.
	Range Range `json:"range"`
	// Outcome is pass, fail if the object is invalid under the new schema or
	// loses fields when read, error if it can no longer be read, or skipped if
	// the effect is unknown.
	Outcome Outcome `json:"outcome"`
	// Why explains Outcome for this object.
	Why string `json:"why"`
	// Changes lists the fields that a read now prunes or defaults. Their ranges
	// are in Scenario.OldObject.
	Changes []Change `json:"changes"`
	// Findings lists the findings of the new schema that the old schema does not
	// have.
	Findings []Finding `json:"findings"`
	// Versions has the object as read at each served version of the new CRD before any write.
	// Lost and RoundTrip are relative to the version in which it is stored.
	Versions []ObjectVersion `json:"versions"`
}

// UpgradeStep is a reason why the API server rejects CRD.Upgraded.
type UpgradeStep struct {
	// Reason, Field and Message are quoted from the API server's error about the
	// v1 CRD.
	Reason  string `json:"reason"`
	Field   string `json:"field"`
	Message string `json:"message"`
	// Do describes the required change.
	Do string `json:"do"`
	// Range locates the field in the v1beta1 CRD.

	Range Range `json:"range"`
}
