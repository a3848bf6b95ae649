package playground

// Report is the answer to a [Scenario]: what an API server would do, and why.
// Slices are never nil, so that they encode as [] and not as null. Two
// evaluations of one scenario with Now set differ in Timing only, and in the
// cost and trace of rules that visit a map of several keys: in Go, and so in the
// API server, its order is random.
type Report struct {
	Kubernetes Kubernetes `json:"kubernetes"`
	CRD        CRD        `json:"crd"`
	// Objects has one entry for each document in Scenario.Object, in order.
	Objects []Object `json:"objects"`
	// Conversion is what became of Scenario.Conversion.
	Conversion Conversion `json:"conversion"`
	// Admission is what became of Scenario.Admission; nil if that is empty.
	Admission *Admission `json:"admission,omitempty"`
	// Schemas is what is published of each served version, the preferred one
	// first; empty unless Scenario.Schemas asks for it.
	Schemas []Schema `json:"schemas"`
	// Tables has one entry for each served version, in the CRD's order of
	// priority: what `kubectl get` shows of the accepted objects.
	Tables []Table `json:"tables"`
	// StoredObjects has one entry for each document in Scenario.OldObject if
	// there is a Scenario.OldCRD and the update of the CRD is accepted.
	StoredObjects []StoredObject `json:"storedObjects"`
	// Missing are the parts, such as [PartAdmission], that the scenario needs and
	// the engine that answers lacks; what depends on them is left open. An engine
	// that has all parts leaves it out.
	Missing []string `json:"missing,omitempty"`
	Timing  Timing   `json:"timing"`
}

// EmptyReport is a report that says nothing.
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

// Names of the parts that an engine may lack.
const (
	PartAdmission  = "admission"
	PartApply      = "apply"
	PartConversion = "conversion"
	PartSchemas    = "schemas"
)

// Kubernetes says whose rules were applied.
type Kubernetes struct {
	// Library is the release of the Kubernetes libraries, such as "1.37.2".
	Library string `json:"library"`
	// Emulated is the minor release whose behaviour they show, such as "1.37".
	Emulated string `json:"emulated"`
}

// Status is the part of a metav1.Status, the API server's answer, that says
// how the request ended. Reason and Message are empty on success.
type Status struct {
	// Code is the HTTP status code; 0 if the API server's code was not asked,
	// because there is nothing to ask or a limit of the playground forbids it.
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// Table is what `kubectl get` shows at one served version.
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

// Timing is how long the evaluation took, in milliseconds. A CRD that was
// judged before takes no time.
type Timing struct {
	CRD    float64 `json:"crd"`
	Object float64 `json:"object"`
}
