package playground

// FieldsRequest requests the fields of a version of the scenario's CRD.
type FieldsRequest struct {
	Scenario Scenario `json:"scenario"`
	// Version is a version of the CRD. Empty or unknown: the storage version.
	Version string `json:"version,omitempty"`
}

// FieldsResult lists the fields of a version of a CRD.
type FieldsResult struct {
	// Versions lists the versions of the CRD in the order of the document. It is empty if
	// the CRD cannot be decoded.
	Versions []string `json:"versions"`
	// Group, Scope and ShortNames are as in the CRD's report.
	Group      string   `json:"group"`
	Scope      string   `json:"scope"`
	ShortNames []string `json:"shortNames"`
	// Version is the version of the fields.
	Version string `json:"version"`
	// Fields lists each field before the fields of its value. The first one is the object
	// itself, with the name of its kind and an empty path.
	Fields []Field `json:"fields"`
	// Omitted is the number of fields that are missing, because the CRD has too many. It
	// does not count the fields of their values.
	Omitted int `json:"omitted"`
}

// Field is a field in the schema of a CRD. If its value is a list or a map, the fields of
// its items or values count as fields of its value.
type Field struct {
	Name string `json:"name"`
	// Depth is the number of fields that contain the field.
	Depth int `json:"depth"`
	// Path is the path in an object: "spec.jobs[*].name".
	Path        string `json:"path"`
	Type        string `json:"type"`
	Required    bool   `json:"required"`
	Description string `json:"description"`
	Facts       []Fact `json:"facts"`
	// Rules lists the rules on the value, and on its items or values.
	Rules []Rule `json:"rules"`
	// Range locates the field in the CRD. It is nil if only Kubernetes specifies the field.
	Range *Range `json:"range"`
}

// InsertRequest requests the insertion of a field into the object of a scenario.
type InsertRequest struct {
	Scenario Scenario `json:"scenario"`
	// Version is the version of the CRD for a new object. Empty: the storage version.
	Version string `json:"version,omitempty"`
	// Field lists the names of the field and of the fields that contain it, the outermost
	// first. It has neither list indexes nor map keys.
	Field []string `json:"field"`
	// Position selects an object and the items of its lists. Nil: the first ones.
	Position *Position `json:"position,omitempty"`
}

// InsertResult is the response to an [InsertRequest]. Exactly one of its fields is set.
type InsertResult struct {
	// Fix inserts the field.
	Fix *Fix `json:"fix"`
	// Present locates the field in the object if it is there already.
	Present *Range `json:"present"`
	// Problem is the reason why the field cannot be inserted.
	Problem string `json:"problem"`
}
