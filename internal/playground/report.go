package playground

// Report describes how an API server would handle a [Scenario], with the
// reasons.
//
// Slices are never nil, so that they encode as [] and not as null. Two
// evaluations of a scenario with Now set differ only in Timing, and in the cost
// and trace of rules that iterate over a map with several keys: the iteration
// order is random, as in the API server.
type Report struct {
	Kubernetes Kubernetes `json:"kubernetes"`
	CRD        CRD        `json:"crd"`
	// Objects has one entry for each document in Scenario.Object, in order.
	Objects []Object `json:"objects"`
	// Conversion reports the problems of Scenario.Conversion.
	Conversion Conversion `json:"conversion"`
	// Admission reports the problems of Scenario.Admission; nil if it is empty.
	Admission *Admission `json:"admission,omitempty"`
	// Schemas has the published schema of each served version, starting with the
	// preferred version; empty unless Scenario.Schemas is set.
	Schemas []Schema `json:"schemas"`
	// Tables has the output of `kubectl get` for the accepted objects at each
	// served version, in the CRD's order of priority.
	Tables []Table `json:"tables"`
	// StoredObjects has one entry for each document in Scenario.OldObject, if
	// Scenario.OldCRD is set and the update of the CRD is accepted.
	StoredObjects []StoredObject `json:"storedObjects"`
	// Differences lists the parts of the verdict of Kubernetes.JudgedBy that differ
	// from the newest release. The explanations in the rest of the report, such
	// as stages and rules, are the newest release's.
	Differences []Difference `json:"differences,omitempty"`
	// Releases has the verdict of each release from 1.31 to the newest; empty
	// unless Scenario.Releases is set.
	Releases []Release `json:"releases,omitempty"`
	Timing   Timing    `json:"timing"`
}

// EmptyReport returns a Report without results, whose slices are not nil.
func EmptyReport() Report {
	return Report{
		CRD:           EmptyCRD(),
		Objects:       []Object{},
		Conversion:    Conversion{Findings: []Finding{}},
		Schemas:       []Schema{},
		Tables:        []Table{},
		StoredObjects: []StoredObject{},
	}
}

// Kubernetes identifies the Kubernetes release of an evaluation.
type Kubernetes struct {
	// Library is the release of the Kubernetes libraries, such as "1.37.2".
	Library string `json:"library"`
	// Emulated is the emulated minor release, such as "1.37".
	Emulated string `json:"emulated"`
	// JudgedBy is the release of the libraries that gave the verdict, such as
	// "1.31.14". Empty: Library.
	JudgedBy string `json:"judgedBy,omitempty"`
	// Approximate reports that Library gave the verdict, with the CEL environment
	// and the feature gates of an older release. That release's own verdict may
	// differ.
	Approximate bool `json:"approximate,omitempty"`
	// Unjudged is the reason why the libraries of the release did not judge the
	// scenario; empty if they are absent.
	Unjudged string `json:"unjudged,omitempty"`
}

// Status is the outcome of a request, as in the API server's metav1.Status.
// Reason and Message are empty on success.
type Status struct {
	// Code is the HTTP status code; 0 if the verdict is unknown, because there is
	// nothing to evaluate or a limit of the playground prevents it.
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Table is the output of `kubectl get` at one served version.
type Table struct {
	Version string   `json:"version"`
	Columns []Column `json:"columns"`
	// Rows has the cells of each accepted object: strings, numbers, booleans
	// or null, as in a meta.k8s.io Table.
	Rows [][]any `json:"rows"`
	// Get and Wide are the output of `kubectl get` and `kubectl get -o wide`.
	Get  string `json:"get"`
	Wide string `json:"wide"`
}

// Column is a column of a [Table].
type Column struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Format      string `json:"format"`
	Description string `json:"description"`
	Priority    int32  `json:"priority"`
}

// Timing is the duration of the evaluation in milliseconds. The duration for a
// CRD with a cached result is 0.
type Timing struct {
	CRD    float64 `json:"crd"`
	Object float64 `json:"object"`
}
