// Package solve searches for objects that an API server accepts. It
// changes one value after another, where it finds failures.
package solve

import (
	"iter"
	"maps"
	"slices"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
)

// A Failure is a reason for rejecting an object, and the path of the value at fault.
type Failure struct {
	Message string
	Path    []any
	// Rule is the rule that the value violates; empty for other failures.
	Rule string
	// Blocks reports that the API server did not evaluate the rules because of other failures.
	Blocks bool
}

// A Solver changes an object until it has no failures or no change helps.
type Solver struct {
	// Root is the schema of the objects.
	Root crdschema.Schema
	// Failures returns the reasons for rejecting an object.
	Failures func(object map[string]any) ([]Failure, error)
	// Keeps reports whether an object still has what must not change; nil permits all changes.
	Keeps func(object map[string]any) bool
	// Attempts limits the calls of Failures. Each call reduces it.
	Attempts int

	// seen holds the objects that were tried.
	seen map[string]bool
}

// A state is an object with its failures.
type state struct {
	object   map[string]any
	failures []Failure
}

// weight orders states. Where failures hide the results of rules, there may be many others.
func (s state) weight() int {
	weight := len(s.failures)
	if slices.ContainsFunc(s.failures, func(f Failure) bool { return f.Blocks }) {
		weight += 1000
	}
	return weight
}

// Solve returns the best object that it finds, and the remaining failures. A change that trades one failure for
// another is a step, too: a field of a union, for example, also needs another type, and excludes the former field.
func (s *Solver) Solve(object map[string]any) (best map[string]any, failures []Failure, err error) {
	s.seen = map[string]bool{jsonvalue.String(object): true}
	first, err := s.try(object)
	if err != nil {
		return object, nil, err
	}
	found, open := first, []state{first}
	for len(found.failures) > 0 && len(open) > 0 && s.Attempts > 0 {
		i := lightest(open)
		current := open[i]
		open = slices.Delete(open, i, i+1)
		next, err := s.improve(current)
		if err != nil {
			return found.object, found.failures, err
		}
		for _, n := range next {
			if n.weight() < found.weight() {
				found = n
			}
			if n.weight() < current.weight() {
				// The other changes of the current object remain, should this one lead nowhere.
				open = append(open, current)
			}
			open = append(open, n)
		}
	}
	return found.object, found.failures, nil
}

// lightest returns the index of the first state with the smallest weight.
func lightest(states []state) int {
	least := 0
	for i := range states {
		if states[i].weight() < states[least].weight() {
			least = i
		}
	}
	return least
}

func (s *Solver) try(object map[string]any) (state, error) {
	s.Attempts--
	failures, err := s.Failures(object)
	return state{object, failures}, err
}

// improve returns the results of single changes of an object that leave no more failures, up to the first one that
// leaves fewer.
func (s *Solver) improve(current state) (next []state, err error) {
	for changed := range s.changes(current) {
		key := jsonvalue.String(changed)
		if s.seen[key] || s.Keeps != nil && !s.Keeps(changed) {
			continue
		}
		if s.Attempts <= 0 {
			return next, nil
		}
		s.seen[key] = true
		result, err := s.try(changed)
		if err != nil {
			return nil, err
		}
		if result.weight() <= current.weight() {
			next = append(next, result)
		}
		if result.weight() < current.weight() {
			return next, nil
		}
	}
	return next, nil
}

// changes returns an object with single changes: of the values that violated rules read, of the values at fault, and of
// the values that contain them.
func (s *Solver) changes(current state) iter.Seq[map[string]any] {
	return func(yield func(map[string]any) bool) {
		for _, f := range current.failures {
			for _, edit := range RuleEdits(s.Root, f.Path, f.Rule) {
				if changed, ok := edit.Place(s.Root, current.object); ok && !yield(changed) {
					return
				}
			}
		}
		for _, f := range current.failures {
			for _, path := range pathsAbove(f.Path) {
				value, _ := jsonvalue.At(current.object, path)
				for _, edit := range crdschema.SampleEdits(s.Root.At(path), value) {
					if changed, ok := Replace(current.object, path, edit).(map[string]any); ok && !yield(changed) {
						return
					}
				}
			}
		}
	}
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
