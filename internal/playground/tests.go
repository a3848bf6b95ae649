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
