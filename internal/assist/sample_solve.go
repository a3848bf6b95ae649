package assist

import (
	"context"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

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
	return solve.Failures(object, report.Objects[0], report.CRD.Rules), nil
}

const (
	// maxFilled limits the empty objects and lists that get content.
	maxFilled = 20
	// maxFilledDepth limits the values in each other that get content.
	maxFilledDepth = 3
)

// fill adds an optional field to the empty objects, and an item to the empty lists, of an object with a number of
// failures, unless it then has more. The commented fields of a full sample thus have a
// neighbour in block style: the YAML stays valid when the user removes the comment character
// of one of them.
func (s *sampleSolver) fill(object map[string]any, known int) (map[string]any, error) {
	attempts, filled := 0, sets.New[string]()
	for range maxFilledDepth {
		for _, path := range emptyValues(s.kind.Root, object, nil, maxFilled) {
			key := jsonvalue.PathString(path)
			if filled.Has(key) {
				continue
			}
			filled.Insert(key)
			for _, edit := range crdschema.SampleEdits(s.kind.Root.At(path), emptyOf(s.kind.Root.At(path))) {
				if attempts++; attempts > maxSampleAttempts {
					return object, nil
				}
				with, _ := solve.Replace(object, path, edit).(map[string]any)
				failures, err := s.findFailures(with)
				if err != nil {
					return nil, err
				}
				if len(failures) <= known {
					object = with
					break
				}
			}
		}
	}
	return object, nil
}

// emptyOf returns the empty list or object of a schema.
func emptyOf(schema crdschema.Schema) any {
	if schema.Is("array") {
		return []any{}
	}
	return map[string]any{}
}

// emptyValues returns the paths of the empty objects and lists whose schema has fields or items, at most limit.
func emptyValues(schema crdschema.Schema, value any, path []any, limit int) [][]any {
	var found [][]any
	switch value := value.(type) {
	case map[string]any:
		if len(value) == 0 && schema.Schema != nil && len(schema.Properties) > 0 {
			return [][]any{path}
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			found = append(found, emptyValues(schema.Child(name), value[name], jsonvalue.AppendStep(path, name), limit-len(found))...)
		}
	case []any:
		if len(value) == 0 && schema.Is("array") {
			return [][]any{path}
		}
		for i, item := range value {
			found = append(found, emptyValues(schema.Child(0), item, jsonvalue.AppendStep(path, i), limit-len(found))...)
		}
	}
	return found[:min(len(found), max(limit, 0))]
}
