package object

import "github.com/crdlab/crdlab/internal/playground"

// A stage is a step of a request. An error of run ends the request. The stages of
// validation collect their errors; the last of them returns the collected errors.
type stage struct {
	name playground.StageName
	run  func(*Request) error
}

// stages binds each row of [playground.ObjectStages] to its function, in the order of
// the table. Such a function passes parts of the request to functions that do not know
// the request, and records their results.
var stages = []stage{
	{playground.StageDecode, runDecode},
	{playground.StageFind, runFind},
	{playground.StageApply, runApply},
	{playground.StageScale, runScale},
	{playground.StageMetadata, runMetadata},
	{playground.StagePrune, runPrune},
	{playground.StageNulls, runNulls},
	{playground.StageEmbedded, runEmbedded},
	{playground.StageDefault, runDefault},
	{playground.StagePrepare, runPrepare},
	{playground.StageMutate, runMutate},
	{playground.StageComplete, runComplete},
	{playground.StageValidate, runValidate},
	{playground.StageRules, runRules},
	{playground.StageAdmit, runAdmit},
	{playground.StageFinalize, runFinalize},
	{playground.StageStore, runStore},
	{playground.StageSize, runSize},
	{playground.StageRead, runRead},
}

// stagesOf returns the stages of the requests of s. It relies on the common order of
// the two tables, and copies no rows, because every keystroke calls it.
func stagesOf(s playground.Scenario) []stage {
	bound := make([]stage, 0, len(stages))
	for i := range playground.ObjectStages {
		if playground.ObjectStages[i].IsPartOf(s) {
			bound = append(bound, stages[i])
		}
	}
	return bound
}
