package witness

import (
	"fmt"
	"maps"
	"slices"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/engine/solve"
	"github.com/crdlab/crdlab/internal/playground"
)

// evaluate creates an object in a cluster, with strict field validation.
func (s *search) evaluate(target object.Target, content map[string]any) playground.Object {
	return s.evaluateWith(target, content, playground.FieldValidationStrict)
}

func (s *search) evaluateWith(target object.Target, content map[string]any, validation playground.FieldValidation) playground.Object {
	scenario := playground.Scenario{
		Object: jsonvalue.String(content), Operation: playground.OperationCreate, FieldValidation: validation,
	}
	evaluated := object.Evaluate(s.ctx, target, scenario, now)
	if len(evaluated) != 1 {
		return playground.Object{}
	}
	return evaluated[0].Report
}

// evaluateOld creates an object under the old CRD, and counts the attempt.
func (s *search) evaluateOld(content map[string]any) playground.Object {
	s.attempts--
	return s.evaluate(s.old, content)
}

// base returns an object of a version that the old CRD accepts, and preferably the new
// CRD, too. It may return nil.
func (s *search) base(version string) map[string]any {
	if known, ok := s.bases[version]; ok {
		return known
	}
	s.bases[version] = s.solveBase(version)
	return s.bases[version]
}

func (s *search) solveBase(version string) map[string]any {
	root := s.root(s.old.CRD, version)
	if root.Schema == nil || !slices.Contains(s.old.CRD.ServedByPriority(), version) {
		return nil
	}
	sample := crdschema.SampleObject(root)
	sample["apiVersion"] = s.old.CRD.Versions[version].Kind.GroupVersion().String()
	meta, _ := sample["metadata"].(map[string]any)
	sample["metadata"] = withName(meta)
	return s.acceptable(version, sample)
}

// acceptable returns a variant of an object that the old CRD accepts, and preferably the
// new CRD, too. It may return nil.
func (s *search) acceptable(version string, object map[string]any) map[string]any {
	root := s.root(s.old.CRD, version)
	completed, _ := complete(root, s.root(s.new.CRD, version), object).(map[string]any)
	accepted := s.solve(root, completed, min(maxBaseAttempts, s.attempts), s.oldFailures)
	if accepted == nil {
		accepted = s.solve(root, object, min(maxBaseAttempts, s.attempts), s.oldFailures)
	}
	if accepted == nil {
		return nil
	}
	both := func(content map[string]any) []solve.Failure {
		if failures := s.oldFailures(content); len(failures) > 0 {
			return slices.Repeat(failures, maxBaseAttempts) // worse than any rejection by the new CRD
		}
		return solve.Failures(content, s.evaluate(s.new, content))
	}
	solver := solve.Solver{Root: root, Attempts: min(maxBaseAttempts, s.attempts), Failures: func(content map[string]any) ([]solve.Failure, error) { return both(content), nil }}
	best, _, _ := solver.Solve(accepted)
	return best
}

// complete returns a copy of a value with the fields that the new schema requires and the
// old schema permits.
func complete(old, new crdschema.Schema, value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, child := range value {
			out[name] = complete(old.Child(name), new.Child(name), child)
		}
		if new.Schema == nil {
			return out
		}
		for _, name := range new.Required {
			if _, has := out[name]; !has && old.Child(name).Schema != nil && new.Child(name).Default == nil {
				out[name] = crdschema.Sample(old.Child(name))
			}
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, item := range value {
			out[i] = complete(old.Child(i), new.Child(i), item)
		}
		return out
	}
	return value
}

// baseFor returns an object like base that contains the parent of the value at a path.
func (s *search) baseFor(version string, path []any) map[string]any {
	base := s.base(version)
	if base == nil || len(path) < 2 {
		return base
	}
	parent := path[:len(path)-1]
	key := version + " " + jsonvalue.PathString(parent)
	if known, ok := s.bases[key]; ok {
		return known
	}
	root := s.root(s.old.CRD, version)
	s.bases[key] = base
	if _, has := jsonvalue.At(base, parent); has {
		return base
	}
	if object, ok := (candidate{path: path, absent: true}).place(root, base); ok {
		if accepted := s.acceptable(version, object); accepted != nil {
			s.bases[key] = accepted
		}
	}
	return s.bases[key]
}

func withName(meta map[string]any) map[string]any {
	named := map[string]any{}
	maps.Copy(named, meta)
	if named["name"] == nil {
		named["name"] = "example"
	}
	return named
}

func (s *search) oldFailures(content map[string]any) []solve.Failure {
	return solve.Failures(content, s.evaluateOld(content))
}

// solve changes an object until it has no failures, or returns nil.
func (s *search) solve(root crdschema.Schema, content map[string]any, attempts int, failures func(map[string]any) []solve.Failure) map[string]any {
	solver := solve.Solver{Root: root, Attempts: attempts, Failures: func(content map[string]any) ([]solve.Failure, error) { return failures(content), nil }}
	best, remaining, _ := solver.Solve(content)
	if len(remaining) > 0 {
		return nil
	}
	return best
}

// repair returns an object that the old CRD accepts: the given one, or one with a few
// other values. It may return nil.
func (s *search) repair(root crdschema.Schema, content map[string]any) map[string]any {
	return s.solve(root, content, min(maxRepairs, s.attempts), s.oldFailures)
}

// readAt returns the stored object as read at the version of the request.
func readAt(report playground.Object, version string) (read any, ok bool) {
	for _, v := range report.Versions {
		if v.Name == version && v.Error == "" {
			return decode(v.Object), true
		}
	}
	return nil, false
}

// describeChange describes a change of an object by the new CRD, and whether the API server warns
// about the removal of a field.
func (s *search) describeChange(c jsonvalue.Change, after playground.Object) string {
	path := jsonvalue.PathString(c.Path)
	switch c.Op {
	case playground.ChangeAdd:
		return fmt.Sprintf("adds %s: %s", path, jsonvalue.String(c.Value))
	case playground.ChangeRemove:
		removes := fmt.Sprintf("removes %s: %s", path, jsonvalue.String(c.Value))
		i := slices.IndexFunc(after.Findings, func(f playground.Finding) bool {
			return f.Severity == playground.SeverityWarning && f.Field == path
		})
		switch {
		case s.validation == playground.FieldValidationWarn && i >= 0:
			return removes + ", with the warning: " + after.Findings[i].Message
		case s.validation == playground.FieldValidationIgnore:
			return removes + ", without a warning"
		}
		return removes
	}
	return fmt.Sprintf("sets %s: %s", path, jsonvalue.String(c.Value))
}
