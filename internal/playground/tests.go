package playground

// TestRequest requests a comparison of the findings with the expectations in the comments of
// the CRDs and objects, as "crdlab test" compares them. The comments define the operations
// and replace the operation of the scenario; only the CRD, the object, the release and the
// field validation of the scenario count.
type TestRequest struct {
	Scenario Scenario `json:"scenario"`
}

// TestResult is the response to a [TestRequest].
type TestResult struct {
	// Documents lists the CRDs and objects in their order.
	Documents []TestedDocument `json:"documents"`
	// Rules lists the rules of the accepted CRDs.
	Rules []TestedRule `json:"rules"`
	// Problems lists the reasons why a part of the input is not judged.
	Problems []string `json:"problems"`
	// Approximate reports that the libraries of the newest release judged instead of the
	// release's own.
	Approximate bool `json:"approximate"`
}

// TestedDocument is a CRD or an object with its expectations.
type TestedDocument struct {
	Document Document `json:"document"`
	// Range is the first line of the object.
	Range Range  `json:"range"`
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	// Operation is the request for the document, such as "update", or "stored" without one.
	Operation    string        `json:"operation"`
	Expectations []Expectation `json:"expectations"`
	// Unexpected lists the findings that nobody expects, and the reasons why the document is
	// not judged.
	Unexpected []Unexpected `json:"unexpected"`
}

// Expectation is an expectation in a comment. Range is the line of the comment.
type Expectation struct {
	Range Range  `json:"range"`
	Text  string `json:"text"`
	// Problem is the reason why the expectation is not met; otherwise empty.
	Problem string `json:"problem"`
}

// Unexpected is a finding without an expectation. Range is its line.
type Unexpected struct {
	Range   Range  `json:"range"`
	Message string `json:"message"`
}

// TestedRule is a rule of a CRD with the number of objects for which it was seen to hold and
// to fail. Range is its first line.
type TestedRule struct {
	Range   Range  `json:"range"`
	Version string `json:"version"`
	Rule    string `json:"rule"`
	Holds   int    `json:"holds"`
	Fails   int    `json:"fails"`
	// CannotFail reports that the schema permits no value for which the rule would fail, and
	// that no stored object has failed it either.
	CannotFail bool `json:"cannotFail"`
	// Unevaluated says why the rule was not seen to hold or to fail; empty if it was.
	Unevaluated string `json:"unevaluated"`
}

// MutateRequest requests the small changes of constraints in the CRDs of a scenario that no test in its documents
// notices, as "crdlab test --mutate" lists them. An object without expectations is a test, too: the API server must accept
// it. The response has the first changes after From, so that each request is short.
type MutateRequest struct {
	Scenario Scenario `json:"scenario"`
	// From is the number of changes to skip.
	From int `json:"from"`
}

// MutateResult is the response to a [MutateRequest]. The counts are those of the changes in this response.
type MutateResult struct {
	// Next is From of the next request, and Total the number of all changes. The last response has the same numbers.
	Next  int `json:"next"`
	Total int `json:"total"`
	// Failing reports that the tests fail, so that they cannot notice anything.
	Failing bool `json:"failing"`
	// Noticed is the number of changes that a test notices.
	Noticed int `json:"noticed"`
	// Missed lists the changes that no test notices, although an object shows the difference.
	Missed []MissedChange `json:"missed"`
	// Open is the number of changes for which no such object was found.
	Open int `json:"open"`
}

// MissedChange is a change of a constraint that no test notices. Range is the constraint in the CRD.
type MissedChange struct {
	// Document is the CRD or admission.
	Document Document `json:"document"`
	Range    Range    `json:"range"`
	// Change describes the change and its place, such as "maximum: 10 → 11 at spec.size".
	Change string `json:"change"`
	// Excerpt is the part of an object that shows the difference, as YAML, and Verdict what becomes of the object before
	// and after the change.
	Excerpt string `json:"excerpt"`
	Verdict string `json:"verdict"`
	// Fix adds a test that notices the change to the objects; nil if crdlab cannot write one.
	Fix *Fix `json:"fix"`
}

// ExportRequest requests a scenario as a file for "crdlab test".
type ExportRequest struct {
	Scenario Scenario `json:"scenario"`
}

// ExportResult is a file for "crdlab test" with the present findings as expectations.
type ExportResult struct {
	// Text is YAML: the CRDs and the objects.
	Text string `json:"text"`
	// Omitted lists the parts of the scenario that the file cannot express.
	Omitted []string `json:"omitted"`
	// Failures lists the reasons why the test fails nevertheless.
	Failures []string `json:"failures"`
}
