package assist

import (
	"context"
	"maps"
	"slices"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/solve"
	"github.com/crdlab/crdlab/internal/playground"
)

// maxSampleAttempts limits the objects to evaluate in search of an accepted one.
const maxSampleAttempts = 120

// A sampleSolver changes an object until the engine accepts it or no change helps.
type sampleSolver struct {
	ctx      context.Context
	engine   *engine.Engine
	scenario playground.Scenario
	kind     *crdschema.Kind
}

// solveWithSpec returns an accepted object with a spec, because users edit the spec first.
// If it finds no such object, it solves the object as given.
func (s *sampleSolver) solveWithSpec(object map[string]any) (map[string]any, []string, error) {
	spec := s.kind.Root.Child("spec")
	if _, has := object["spec"]; has || !spec.Is("object") {
		return s.solve(object)
	}
	with := maps.Clone(object)
	with["spec"] = crdschema.Sample(spec)
	solved, unsolved, err := s.solve(with)
	if err != nil || len(unsolved) == 0 {
		return solved, unsolved, err
	}
	return s.solve(object)
}

// solve returns the best object that it finds, and the messages of the remaining failures.
func (s *sampleSolver) solve(object map[string]any) (best map[string]any, unsolved []string, err error) {
	solver := solve.Solver{Root: s.kind.Root, Failures: s.findFailures, Attempts: maxSampleAttempts}
	best, failures, err := solver.Solve(object)
	unsolved = []string{}
	for _, f := range failures {
		unsolved = append(unsolved, f.Message)
	}
	return best, unsolved, err
}

// findFailures evaluates an object. It returns no failures if the engine accepts it.
func (s *sampleSolver) findFailures(object map[string]any) ([]solve.Failure, error) {
	scenario := s.scenario
	scenario.Object = writeSample(s.kind.Root, object, false)
	report, err := s.engine.Evaluate(s.ctx, scenario)
	if err != nil || len(report.Objects) != 1 {
		return nil, err
	}
	return solve.Failures(object, report.Objects[0]), nil
}

// maxFilledObjects limits the empty objects that get a field.
const maxFilledObjects = 20

// fillEmptyObjects adds an optional field to the empty objects of an object with a number of
// failures, unless it then has more. The commented fields of a full sample thus have a
// neighbour in block style: the YAML stays valid when the user removes the comment character
// of one of them.
func (s *sampleSolver) fillEmptyObjects(object map[string]any, known int) (map[string]any, error) {
	attempts := 0
	for _, path := range emptyObjects(s.kind.Root, object, nil, maxFilledObjects) {
		for _, edit := range crdschema.SampleEdits(s.kind.Root.At(path), map[string]any{}) {
			if attempts++; attempts > maxSampleAttempts {
				return object, nil
			}
			filled, _ := solve.Replace(object, path, edit).(map[string]any)
			failures, err := s.findFailures(filled)
			if err != nil {
				return nil, err
			}
			if len(failures) <= known {
				object = filled
				break
			}
		}
	}
	return object, nil
}

// emptyObjects returns the paths of the empty objects whose schema has fields, at most limit.
func emptyObjects(schema crdschema.Schema, value any, path []any, limit int) [][]any {
	var found [][]any
	switch value := value.(type) {
	case map[string]any:
		if len(value) == 0 && schema.Schema != nil && len(schema.Properties) > 0 {
			return [][]any{path}
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			found = append(found, emptyObjects(schema.Child(name), value[name], jsonvalue.AppendStep(path, name), limit-len(found))...)
		}
	case []any:
		for i, item := range value {
			found = append(found, emptyObjects(schema.Child(0), item, jsonvalue.AppendStep(path, i), limit-len(found))...)
		}
	}
	return found[:min(len(found), max(limit, 0))]
}
