package playground

import (
	"slices"
	"strings"
)

// Stage is a step of a request.
type Stage struct {
	// Name is one of the Stage… constants.
	Name StageName `json:"name"`
	// Outcome is pass, fail or skipped.
	Outcome Outcome `json:"outcome"`
	// Why explains why the stage failed or was skipped.
	Why     string   `json:"why"`
	Changes []Change `json:"changes"`
	// Findings is the number of the object's findings that the stage produced.
	Findings int `json:"findings"`
}

// StageName is the name of a stage. Enumerations such as this one are aliases, so
// that code may use plain strings; the description of the HTTP API lists the values.
type StageName = string

// StageUnknown is the stage of a finding about an evaluation that was ended.
const StageUnknown StageName = ""

// The stages of an object's request. [ObjectStages] describes them and defines
// their order.
const (
	StageDecode   StageName = "decode"
	StageApply    StageName = "apply"
	StageMetadata StageName = "metadata"
	StagePrune    StageName = "prune"
	StageNulls    StageName = "nulls"
	StageEmbedded StageName = "embedded"
	StageDefault  StageName = "default"
	StagePrepare  StageName = "prepare"
	StageMutate   StageName = "mutate"
	StageComplete StageName = "complete"
	StageValidate StageName = "validate"
	StageRules    StageName = "rules"
	StageAdmit    StageName = "admit"
	StageFind     StageName = "find"
	StageFinalize StageName = "finalize"
	StageScale    StageName = "scale"
	StageStore    StageName = "store"
	StageSize     StageName = "size"
	StageRead     StageName = "read"
)

// The stages of a CRD's request, in order.
const (
	StageCRDDecode   StageName = "crd decode"
	StageCRDApply    StageName = "crd apply"
	StageCRDValidate StageName = "crd validate"
	StageCRDSize     StageName = "crd size"
	StageCRDServe    StageName = "crd serve"
)

// StageNotes is the stage of crdlab's own notes about an accepted CRD. The API server has no
// such stage.
const StageNotes StageName = "notes"

// A StageSkip explains why a request skips a stage although no earlier stage
// failed. Stage.Why may append a detail after a blank.
type StageSkip = string

// Values of [StageSkip].
const (
	StageSkipPreserved   StageSkip = "the CRD has spec.preserveUnknownFields: true"
	StageSkipOtherKind   StageSkip = "the CRD has another apiVersion or kind"
	StageSkipNoRules     StageSkip = "the schema has no rules"
	StageSkipNoMutating  StageSkip = "no mutating policy or webhook"
	StageSkipNoValidator StageSkip = "no validating policy or webhook"
	StageSkipUnapplied   StageSkip = "no policy or webhook applies to the request"
	StageSkipUnconverted StageSkip = "the scenario has no response of the conversion webhook for the storage version"
	StageSkipDeleted     StageSkip = "the object is deleted"
	StageSkipNotStored   StageSkip = "the stored object is unknown"
)

// An ObjectStage is a row of the table [ObjectStages].
type ObjectStage struct {
	Name StageName
	// Title describes the work of the stage.
	Title string
	// Operations lists the operations whose requests include the stage.
	Operations []Operation
	// Admission excludes the stage from scenarios without Scenario.Admission.
	Admission bool
	// Skips lists the permitted skip reasons of an accepted request.
	Skips []StageSkip
	// ChangeLabel and RemovalLabel are short notes about the changes of the stage.
	// An empty ChangeLabel means Name, an empty RemovalLabel means ChangeLabel.
	ChangeLabel, RemovalLabel string
	// Routine marks a stage whose changes every request gets.
	Routine bool
}

var (
	writeOperations  = []Operation{OperationCreate, OperationUpdate, OperationUpdateStatus}
	mergeOperations  = append(slices.Clone(writeOperations), OperationApply, OperationApplyStatus)
	updateOperations = append(slices.Clone(mergeOperations), OperationScale)
	allOperations    = append(slices.Clone(updateOperations), OperationDelete)
)

// ObjectStages is the table of the stages of object requests, in the order of the
// API server. Each request includes the stages of its operation.
var ObjectStages = []ObjectStage{
	{Name: StageDecode, Title: "Decode the document", Operations: allOperations},
	{Name: StageFind, Title: "Find the stored object", Operations: []Operation{OperationDelete, OperationScale}},
	{Name: StageApply, Title: "Merge the applied configuration", Operations: []Operation{OperationApply, OperationApplyStatus}},
	{Name: StageScale, Title: "Set the number of replicas", Operations: []Operation{OperationScale}},
	{Name: StageMetadata, Title: "Coerce the metadata to ObjectMeta", Operations: writeOperations, ChangeLabel: "metadata coerced"},
	{
		Name: StagePrune, Title: "Prune fields that the schema does not specify", Operations: writeOperations,
		Skips: []StageSkip{StageSkipPreserved, StageSkipOtherKind}, ChangeLabel: "pruned · not in the schema",
	},
	{
		Name: StageNulls, Title: "Drop nulls that are neither nullable nor defaulted", Operations: writeOperations,
		Skips: []StageSkip{StageSkipPreserved, StageSkipOtherKind}, ChangeLabel: "null dropped",
	},
	{
		Name: StageEmbedded, Title: "Coerce the metadata of embedded resources", Operations: writeOperations,
		Skips: []StageSkip{StageSkipOtherKind},
	},
	{Name: StageDefault, Title: "Apply the defaults of the schema", Operations: writeOperations, ChangeLabel: "defaulted"},
	{
		Name: StagePrepare, Title: "Set the fields that the API server owns", Operations: updateOperations,
		ChangeLabel: "set by the API server", RemovalLabel: "dropped", Routine: true,
	},
	{
		Name: StageMutate, Title: "Run mutating admission", Operations: mergeOperations, Admission: true,
		Skips: []StageSkip{StageSkipNoMutating, StageSkipUnapplied}, ChangeLabel: "mutated",
	},
	{
		Name: StageComplete, Title: "Set the fields that depend on mutated values", Operations: mergeOperations, Admission: true,
		ChangeLabel: "set by the API server", RemovalLabel: "dropped", Routine: true,
	},
	{Name: StageValidate, Title: "Validate metadata and schema", Operations: updateOperations},
	{Name: StageRules, Title: "Evaluate the CEL rules", Operations: updateOperations, Skips: []StageSkip{StageSkipNoRules}},
	{
		Name: StageAdmit, Title: "Run validating admission", Operations: append(slices.Clone(mergeOperations), OperationDelete), Admission: true,
		Skips: []StageSkip{StageSkipNoValidator, StageSkipUnapplied},
	},
	{Name: StageFinalize, Title: "Delete the object, or mark it as deleted", Operations: []Operation{OperationDelete}},
	{
		Name: StageStore, Title: "Store the object at the storage version", Operations: allOperations,
		Skips: []StageSkip{StageSkipUnconverted}, ChangeLabel: "converted to the storage version", RemovalLabel: "not in the storage version", Routine: true,
	},
	{Name: StageSize, Title: "Compare the stored object with etcd's size limit", Operations: allOperations},
	{
		Name: StageRead, Title: "Read the object at each served version", Operations: allOperations,
		Skips: []StageSkip{StageSkipDeleted, StageSkipNotStored}, ChangeLabel: "not in this version",
	},
}

// RequestStages returns the rows of [ObjectStages] for the requests of s. The
// operation of s must not be empty.
func RequestStages(s Scenario) []ObjectStage {
	var stages []ObjectStage
	for i := range ObjectStages {
		if stage := &ObjectStages[i]; stage.IsPartOf(s) {
			stages = append(stages, *stage)
		}
	}
	return stages
}

// IsPartOf reports whether the requests of a scenario include the stage.
func (s *ObjectStage) IsPartOf(scenario Scenario) bool {
	return slices.Contains(s.Operations, scenario.Operation) && (!s.Admission || strings.TrimSpace(scenario.Admission) != "")
}

// FindObjectStage returns the row of [ObjectStages] with a name. It is false if
// no row has the name.
func FindObjectStage(name StageName) (ObjectStage, bool) {
	i := slices.IndexFunc(ObjectStages, func(stage ObjectStage) bool { return stage.Name == name })
	if i < 0 {
		return ObjectStage{}, false
	}
	return ObjectStages[i], true
}

// PermitsSkip reports whether why states a permitted skip reason of the stage.
func (s ObjectStage) PermitsSkip(why string) bool {
	return slices.ContainsFunc(s.Skips, func(reason StageSkip) bool {
		return why == reason || strings.HasPrefix(why, reason+" ")
	})
}

// LabelOf returns a short note about a change of the stage.
func (s ObjectStage) LabelOf(op ChangeOp) string {
	switch {
	case op == ChangeRemove && s.RemovalLabel != "":
		return s.RemovalLabel
	case s.ChangeLabel != "":
		return s.ChangeLabel
	}
	return s.Name
}
