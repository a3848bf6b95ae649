package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/verdict"
)

// An Expectation describes the form of a case's expected report.
type Expectation struct {
	Scenario playground.Scenario
	// Stages describe the stages of the scenario's requests.
	Stages []playground.ObjectStage
	// Complete keeps the whole report, and positions as numbers.
	Complete bool
	// Recorded reports that the recorded verdict of an API server proves the responses, the stored
	// objects and the tables.
	Recorded bool
	// Hints has the hints in a file of their own.
	Hints Hints
}

// Encode encodes a report for comparison. Unless it is complete, the encoding has what deviates from
// a plain request, findings as people read them, and places with their context. Encode fails
// if an object has other stages than the scenario's requests, or skips one for a reason that its row
// does not permit.
func (e Expectation) Encode(report playground.Report) ([]byte, error) {
	report.Objects = slices.Clone(report.Objects)
	for i, object := range report.Objects {
		if err := checkSkips(object, e.Stages); err != nil {
			return nil, err
		}
		if !e.Complete {
			object.Stages = withoutPlainChanges(object.Stages)
		}
		deviations, err := stageDeviations(object, e.Stages)
		if err != nil {
			return nil, err
		}
		if n := len(deviations); !e.Complete && n > 1 && deviations[n-1].Why == "not reached: "+deviations[n-2].Name+" failed" {
			deviations = deviations[:n-1]
		}
		report.Objects[i].Stages = deviations
	}
	if e.Complete {
		return encodeComplete(report, e.Hints)
	}
	e.Recorded = e.Recorded && !verdict.IsLimited(report)
	return encoder{&documentLines{e.Scenario}, e.Hints}.encode(e.deviations(report))
}

// deviations returns the parts of a report that deviate from a plain request, and that no recording proves.
func (e Expectation) deviations(r playground.Report) playground.Report {
	r.Timing = playground.Timing{}
	if (r.Kubernetes == playground.Kubernetes{Library: r.Kubernetes.Library, Emulated: r.Kubernetes.Emulated}) &&
		strings.HasPrefix(r.Kubernetes.Library, r.Kubernetes.Emulated+".") {
		r.Kubernetes = playground.Kubernetes{}
	}
	r.CRD = e.crd(r.CRD)
	r.Objects = slices.Clone(r.Objects)
	for i := range r.Objects {
		r.Objects[i] = e.object(r.Objects[i])
		if len(r.Objects) == 1 {
			r.Objects[i].Range = playground.Range{}
		}
	}
	var tables []playground.Table
	for _, t := range r.Tables {
		if t = e.table(t); t.Get != "" || len(t.Columns) > 0 {
			tables = append(tables, t)
		}
	}
	r.Tables = tables
	return r
}

// plainConditions are the conditions of each CRD that the API server can serve.
var plainConditions = []playground.Condition{
	{Type: "Established", Status: "True", Reason: "InitialNamesAccepted", Message: "the initial names have been accepted"},
	{Type: "NamesAccepted", Status: "True", Reason: "NoConflicts", Message: "no conflicts found"},
}

// The limits of most rules, and the first release that has rules.
const (
	ruleBudget   = 10_000_000
	crdBudget    = 100_000_000
	firstRelease = "1.25"
)

func (e Expectation) crd(c playground.CRD) playground.CRD {
	c.Name, c.Group, c.Scope = "", "", ""
	if e.Recorded {
		c.Status, c.Conditions, c.StoredVersions, c.Names, c.Warnings, c.Stored = playground.Status{}, nil, nil, playground.Names{}, nil, nil
	}
	if slices.Equal(c.Conditions, plainConditions) {
		c.Conditions = nil
	}
	if isPlain(c.Output) {
		c.Output = ""
	}
	if len(c.Versions) == 1 {
		c.Versions = nil
	}
	if len(c.Candidates) == 1 {
		c.Candidates = nil
	}
	c.CostLimit = unless(crdBudget, c.CostLimit)
	c.Candidates = slices.Clone(c.Candidates)
	for i, other := range c.Candidates {
		if other.Report != nil {
			report := Expectation{Scenario: e.Scenario, Hints: e.Hints}.deviations(*other.Report)
			c.Candidates[i].Report = &report
		}
	}
	c.Rules = slices.Clone(c.Rules)
	for i := range c.Rules {
		r := &c.Rules[i]
		if r.ID == fmt.Sprintf("%s/%s#%s", r.Version, r.SchemaPath, r.ID[strings.LastIndexByte(r.ID, '#')+1:]) {
			r.Version, r.SchemaPath = "", ""
		}
		r.ExpressionCost = unless(r.EstimatedCost, r.ExpressionCost)
		r.Cardinality, r.CostLimit, r.MinKubernetes = unless(1, r.Cardinality), unless(ruleBudget, r.CostLimit), unless(firstRelease, r.MinKubernetes)
	}
	c.UpgradeSteps = slices.Clone(c.UpgradeSteps)
	for i := range c.UpgradeSteps {
		c.UpgradeSteps[i].Do = e.Hints.of(c.UpgradeSteps[i].Do)
	}
	return c
}

func (e Expectation) object(o playground.Object) playground.Object {
	o.Schema = nil
	o.APIVersion, o.Kind = "", ""
	o.Namespace, o.Operation = unless("default", o.Namespace), unless(playground.OperationCreate, o.Operation)
	o.RulesBudget = unless(ruleBudget, o.RulesBudget)
	if isPlain(o.Output) {
		o.Output = ""
	}
	if bytes.Equal(o.Validated, o.Stored) {
		o.Validated = nil
	}
	o.Validated = contentOf(o.Validated)
	isRecorded := e.Recorded && len(o.DependsOn) == 0
	if isRecorded {
		o.Status, o.Warnings, o.Stored = playground.Status{}, nil, nil
	}
	var versions []playground.ObjectVersion
	for _, v := range o.Versions {
		if isRecorded {
			v.Object, v.Warning, v.Error = nil, "", ""
		}
		if len(v.Object)+len(v.Lost)+len(v.Kept)+len(v.RoundTrip) > 0 || v.Warning+v.Error != "" || v.Cause != "" {
			versions = append(versions, v)
		}
	}
	o.Versions = versions
	var scales []playground.Scale
	for _, s := range o.Scale {
		if isRecorded {
			s.Status, s.Scale = playground.Status{}, nil
		}
		if s.Hint = e.Hints.of(s.Hint); s.Hint != "" || s.Cause != "" || len(s.Scale) > 0 || s.Status.Code > 0 {
			scales = append(scales, s)
		}
	}
	o.Scale = scales
	return o
}

// table omits the default columns, and the output that has no others.
func (e Expectation) table(t playground.Table) playground.Table {
	columns := slices.Clone(t.Columns)
	t.Columns = slices.DeleteFunc(columns, isDefault)
	if len(t.Columns) == 0 {
		return playground.Table{}
	}
	if t.Wide == t.Get {
		t.Wide = ""
	}
	var get, wide writer
	get.print("%s", t.Get)
	wide.print("%s", t.Wide)
	t.Get, t.Wide = strings.TrimSpace(get.String()), strings.TrimSpace(wide.String())
	if e.Recorded {
		t.Columns, t.Rows = nil, nil
	}
	return t
}

// isPlain reports whether the output of kubectl only names the created object.
func isPlain(output string) bool {
	return strings.HasSuffix(output, " created") && !strings.Contains(output, "\n")
}

// isDefault reports whether each table of a CRD without columns of its own has a column.
func isDefault(c playground.Column) bool {
	return c.Name == "Name" && c.Format == "name" || c.Name == "Age" && strings.HasPrefix(c.Description, "CreationTimestamp is a timestamp representing the server time ")
}

// plainReasons are the reasons why the API server sets the metadata of any object.
var plainReasons = []string{
	"set by the API server, not by users", "the namespace of the request", "kept from the existing object",
	"the revision of etcd at which the object is written",
}

// withoutPlainChanges omits from the stages the fields that the API server adds to the metadata of any object.
func withoutPlainChanges(stages []playground.Stage) []playground.Stage {
	stages = slices.Clone(stages)
	for i := range stages {
		stages[i].Changes = slices.DeleteFunc(slices.Clone(stages[i].Changes), func(c playground.Change) bool {
			return c.Op == playground.ChangeAdd && c.Cause == playground.CauseServer && slices.Contains(plainReasons, c.Because)
		})
	}
	return stages
}

// contentOf returns an object without its identity and the metadata that the API server sets for any object.
func contentOf(raw json.RawMessage) json.RawMessage {
	var object map[string]any
	if len(raw) == 0 || playground.DecodeJSON(raw, &object) != nil {
		return raw
	}
	verdict.DropServerMetadata(object)
	metadata := verdict.Metadata(object)
	for _, name := range []string{"name", "namespace", "generation"} {
		delete(metadata, name)
	}
	delete(object, "apiVersion")
	delete(object, "kind")
	if len(metadata) == 0 {
		delete(object, "metadata")
	}
	encoded, err := json.Marshal(object)
	if err != nil || len(object) == 0 {
		return nil
	}
	return encoded
}

// unless returns a value, or the zero value if it is plain.
func unless[T comparable](plain, value T) T {
	if value == plain {
		var zero T
		return zero
	}
	return value
}
