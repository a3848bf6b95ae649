package assist

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
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
	attempts int
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
	s.attempts = 0
	return s.solve(object)
}

// solve returns the best object that it finds, and the messages of the remaining failures.
func (s *sampleSolver) solve(object map[string]any) (best map[string]any, unsolved []string, err error) {
	best, unsolved = object, []string{}
	failures, err := s.findFailures(best)
	if err != nil {
		return best, unsolved, err
	}
	for len(failures) > 0 && s.attempts < maxSampleAttempts {
		better, remaining, err := s.improve(best, failures)
		if err != nil {
			return best, unsolved, err
		}
		if better == nil {
			break
		}
		best, failures = better, remaining
	}
	for _, f := range failures {
		unsolved = append(unsolved, f.message)
	}
	return best, unsolved, nil
}

// A failure is a reason for refusing an object, and the path of the value at fault.
type failure struct {
	message string
	path    []any
}

// findFailures evaluates an object. It returns no failures if the engine accepts it.
func (s *sampleSolver) findFailures(object map[string]any) ([]failure, error) {
	s.attempts++
	scenario := s.scenario
	scenario.Object = writeSample(s.kind.Root, object, false)
	report, err := s.engine.Evaluate(s.ctx, scenario)
	if err != nil || len(report.Objects) != 1 || report.Objects[0].Accepted {
		return nil, err
	}
	var failures []failure
	for _, finding := range report.Objects[0].Findings {
		if finding.Severity == playground.SeverityError {
			failures = append(failures, failure{fmt.Sprintf("%s: %s", finding.Field, finding.Message), existingPath(object, finding.Field)})
		}
	}
	for _, rule := range report.Objects[0].Rules {
		if rule.Outcome == playground.OutcomeFail {
			failures = append(failures, failure{rule.Path, existingPath(object, rule.Path)})
		}
	}
	if len(failures) == 0 {
		failures = append(failures, failure{report.Objects[0].Status.Message, nil})
	}
	return failures, nil
}

// improve tries single changes of the values at fault and of the values that contain them.
// It returns the first object with fewer failures, and its failures, or nil.
func (s *sampleSolver) improve(object map[string]any, failures []failure) (map[string]any, []failure, error) {
	for _, f := range failures {
		for _, path := range pathsAbove(f.path) {
			for _, edit := range crdschema.SampleEdits(s.kind.Root.At(path), valueAt(object, path)) {
				if s.attempts >= maxSampleAttempts {
					return nil, nil, nil
				}
				changed, _ := replaceAt(object, path, edit).(map[string]any)
				remaining, err := s.findFailures(changed)
				if err != nil {
					return nil, nil, err
				}
				if len(remaining) < len(failures) {
					return changed, remaining, nil
				}
			}
		}
	}
	return nil, nil, nil
}

// pathsAbove returns a path and the paths above it, longest first, without the root.
func pathsAbove(path []any) [][]any {
	paths := [][]any{path}
	for i := len(path) - 1; i > 0; i-- {
		paths = append(paths, path[:i])
	}
	return paths
}

// existingPath returns the longest part of a field's path that exists in an object.
func existingPath(object any, field string) []any {
	path := []any{}
	for {
		step, next := findChild(object, field, path)
		if step == nil {
			return path
		}
		path, object = jsonvalue.AppendStep(path, step), next
	}
}

// findChild returns the child of a value whose path is the field's path or a prefix of it.
// path is the path of the value.
func findChild(value any, field string, path []any) (step, child any) {
	leads := func(step any) bool {
		at := jsonvalue.PathString(jsonvalue.AppendStep(path, step))
		return at == field || len(field) > len(at) && field[:len(at)] == at && (field[len(at)] == '.' || field[len(at)] == '[')
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if leads(name) {
				return name, value[name]
			}
		}
	case []any:
		for i := range value {
			if leads(i) {
				return i, value[i]
			}
		}
	}
	return nil, nil
}

func valueAt(value any, path []any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[step]
		case int:
			list, _ := value.([]any)
			value = list[step]
		}
	}
	return value
}

// replaceAt returns a copy of a value with another value at a path. The copy shares all
// other values.
func replaceAt(value any, path []any, with any) any {
	if len(path) == 0 {
		return with
	}
	switch step := path[0].(type) {
	case string:
		object, _ := value.(map[string]any)
		out := maps.Clone(object)
		out[step] = replaceAt(object[step], path[1:], with)
		return out
	case int:
		list, _ := value.([]any)
		out := slices.Clone(list)
		out[step] = replaceAt(list[step], path[1:], with)
		return out
	}
	return value
}
