package object

import "github.com/crdlab/crdlab/internal/playground"

// A stage is a step of a request. An error ends the request. Validation collects
// its errors instead, until its last stage.
type stage struct {
	name playground.StageName
	run  func(*Request) error
}

// stages binds each row of [playground.ObjectStages] to its function, in the
// order of the table.
var stages = []stage{
	{playground.StageDecode, decodeStage},
	{playground.StageFind, findStored},
	{playground.StageApply, applyFields},
	{playground.StageScale, setReplicas},
	{playground.StageMetadata, coerceMetadata},
	{playground.StagePrune, prune},
	{playground.StageNulls, dropNulls},
	{playground.StageEmbedded, coerceEmbedded},
	{playground.StageDefault, applyDefaults},
	{playground.StagePrepare, prepareStage},
	{playground.StageMutate, mutate},
	{playground.StageComplete, completeObject},
	{playground.StageValidate, validate},
	{playground.StageRules, evaluateRules},
	{playground.StageAdmit, admitStage},
	{playground.StageFinalize, finalize},
	{playground.StageStore, storeStage},
	{playground.StageRead, read},
}

// stagesOf returns the stages of the requests of s.
func stagesOf(s playground.Scenario) []stage {
	functions := make(map[playground.StageName]func(*Request) error, len(stages))
	for _, stage := range stages {
		functions[stage.name] = stage.run
	}
	var bound []stage
	for _, row := range playground.RequestStages(s) {
		bound = append(bound, stage{row.Name, functions[row.Name]})
	}
	return bound
}

func decodeStage(r *Request) error {
	switch r.operation {
	case playground.OperationApply:
		return decodeApplied(r)
	case playground.OperationDelete, playground.OperationScale:
		return identifyObject(r)
	}
	return decode(r)
}

func prepareStage(r *Request) error {
	switch {
	case r.operation == playground.OperationScale:
		return completeObject(r)
	case r.review != nil:
		return receiveObject(r)
	}
	return prepare(r)
}

func admitStage(r *Request) error {
	if r.operation == playground.OperationDelete {
		return admitDelete(r)
	}
	return admit(r)
}

func storeStage(r *Request) error {
	if r.operation == playground.OperationDelete {
		return storeDeleted(r)
	}
	return store(r)
}
