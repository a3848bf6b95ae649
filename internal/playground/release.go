package playground

import "encoding/json"

// OldestJudgedMinor is the oldest minor release whose own libraries can judge
// scenarios.
const OldestJudgedMinor = 31

// Difference is a part of an older release's verdict that differs from the
// newest release's.
type Difference struct {
	// Document is crd or object.
	Document Document `json:"document"`
	// Object is the index in Report.Objects; 0 for the CRD.
	Object int            `json:"object"`
	Part   DifferencePart `json:"part"`
	// Field is the path of the differing field for [PartStored], and the version
	// for [PartTable].
	Field string `json:"field"`
	// Value is the older release's value, and Newest the newest release's; null
	// if absent. For [PartVerdict] and [PartMessage], a value is a [Status].
	Value  json.RawMessage `json:"value"`
	Newest json.RawMessage `json:"newest"`
	// Since is the first release that agrees with the newest; empty if it is not
	// known.
	Since string `json:"since"`
}

// DifferencePart is the part of a verdict to which a [Difference] applies.
type DifferencePart string

// Values of [DifferencePart].
const (
	// PartVerdict: one release accepts the document, the other rejects it.
	PartVerdict DifferencePart = "verdict"
	// PartMessage: both reject the document, with different errors.
	PartMessage  DifferencePart = "message"
	PartWarnings DifferencePart = "warnings"
	// PartStored: the stored objects differ.
	PartStored DifferencePart = "stored"
	// PartRead: the responses to GET requests or their scales differ.
	PartRead  DifferencePart = "read"
	PartTable DifferencePart = "table"
)

// Release is the verdict of one release.
type Release struct {
	// Kubernetes is the minor release, such as "1.31".
	Kubernetes string `json:"kubernetes"`
	// Library is the release of the libraries that judged the scenario, such as
	// "1.31.14"; empty if its libraries did not judge it.
	Library string `json:"library"`
	// Unjudged is the reason if Library is empty.
	Unjudged string `json:"unjudged"`
	// CRD is nil if Library is empty.
	CRD *ReleaseVerdict `json:"crd"`
	// Objects has one entry for each document in Scenario.Object; empty if the
	// release rejects the CRD.
	Objects []ReleaseVerdict `json:"objects"`
	// Differences lists the differences from the newest release.
	Differences []Difference `json:"differences"`
}

// ReleaseVerdict is a release's response to the request for a document.
type ReleaseVerdict struct {
	Accepted bool `json:"accepted"`
	// Open reports that the response depends on a webhook.
	Open     bool     `json:"open"`
	Status   Status   `json:"status"`
	Warnings []string `json:"warnings"`
}
