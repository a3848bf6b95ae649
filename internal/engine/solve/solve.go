// Package solve searches for objects that an API server accepts. It
// changes one value after another, where it finds failures.
package solve

import (
	"maps"
	"slices"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
)

// A Failure is a reason for rejecting an object, and the path of the value at fault.
type Failure struct {
	Message string
	Path    []any
}

// A Solver changes an object until it has no failures or no change helps.
type Solver struct {
	// Root is the schema of the objects.
	Root crdschema.Schema
	// Failures returns the reasons for rejecting an object.
	Failures func(object map[string]any) ([]Failure, error)
	// Attempts limits the calls of Failures. Each call reduces it.
	Attempts int
}

// Solve returns the best object that it finds, and the remaining failures.
func (s *Solver) Solve(object map[string]any) (best map[string]any, failures []Failure, err error) {
	best = object
	if failures, err = s.failures(best); err != nil {
		return best, nil, err
	}
	for len(failures) > 0 && s.Attempts > 0 {
		better, remaining, err := s.improve(best, failures)
		if err != nil {
			return best, failures, err
		}
		if better == nil {
			break
		}
		best, failures = better, remaining
	}
	return best, failures, nil
}

func (s *Solver) failures(object map[string]any) ([]Failure, error) {
	s.Attempts--
	return s.Failures(object)
}

// improve tries single changes of the values at fault and of the values that contain them.
// It returns the first object with fewer failures, and its failures, or nil.
func (s *Solver) improve(object map[string]any, failures []Failure) (map[string]any, []Failure, error) {
	for _, f := range failures {
		for _, path := range pathsAbove(f.Path) {
			value, _ := jsonvalue.At(object, path)
			for _, edit := range crdschema.SampleEdits(s.Root.At(path), value) {
				if s.Attempts <= 0 {
					return nil, nil, nil
				}
				changed, _ := Replace(object, path, edit).(map[string]any)
				remaining, err := s.failures(changed)
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

// ExistingPath returns the longest part of a field's path that exists in an object.
func ExistingPath(object any, field string) []any {
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
	leads := func(step any) bool { return IsBelow(field, jsonvalue.PathString(jsonvalue.AppendStep(path, step))) }
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

// IsBelow reports whether the path of a field is another path or begins with it.
func IsBelow(field, path string) bool {
	return path == "" || field == path || len(field) > len(path) && field[:len(path)] == path && (field[len(path)] == '.' || field[len(path)] == '[')
}

// Replace returns a copy of a value with another value at a path. The copy shares all
// other values.
func Replace(value any, path []any, with any) any {
	if len(path) == 0 {
		return with
	}
	switch step := path[0].(type) {
	case string:
		object, _ := value.(map[string]any)
		out := maps.Clone(object)
		out[step] = Replace(object[step], path[1:], with)
		return out
	case int:
		list, _ := value.([]any)
		out := slices.Clone(list)
		out[step] = Replace(list[step], path[1:], with)
		return out
	}
	return value
}
