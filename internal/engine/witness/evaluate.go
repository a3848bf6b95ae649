package witness

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine/crd"
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
	scenario := playground.Scenario{Object: jsonvalue.String(content), Operation: playground.OperationCreate, FieldValidation: validation}
	if s.status {
		scenario.Operation, scenario.OldObject = playground.OperationUpdateStatus, toYAML(withoutStatus(content))
		target.Old = object.ParseOldObjects(scenario.OldObject)
	}
	return s.request(target, scenario)
}

// withoutStatus returns an object before it has a status.
func withoutStatus(content map[string]any) map[string]any {
	out := maps.Clone(content)
	delete(out, "status")
	return out
}

// sentBefore returns the object before a request that changes its status to that of a witness; otherwise empty.
func (s *search) sentBefore(witness string) string {
	var content map[string]any
	if !s.status || yaml.Unmarshal([]byte(witness), &content) != nil {
		return ""
	}
	return toYAML(withoutStatus(content))
}

// concernsStatus reports whether a value at a path only exists after an update of the status.
func concernsStatus(c *crd.CRD, version string, path []any) bool {
	v := c.Versions[version]
	return v != nil && v.HasStatus && len(path) > 0 && path[0] == "status"
}

// send creates an object, or updates old, which is YAML, to it. It validates fields strictly.
func (s *search) send(target object.Target, content map[string]any, old string) playground.Object {
	if old == "" {
		return s.evaluate(target, content)
	}
	target.Old = object.ParseOldObjects(old)
	return s.request(target, playground.Scenario{
		Object: jsonvalue.String(content), OldObject: old, Operation: playground.OperationUpdate, FieldValidation: playground.FieldValidationStrict,
	})
}

func (s *search) request(target object.Target, scenario playground.Scenario) playground.Object {
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
	status := s.status
	s.status = false // an object is created before it has a status
	s.bases[version] = s.solveBase(version)
	s.status = status
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
	return s.acceptable(version, sample, nil)
}

// acceptable returns a variant of an object that the old CRD accepts, and preferably the
// new CRD, too. It may return nil. keeps is as in [solve.Solver].
func (s *search) acceptable(version string, object map[string]any, keeps func(map[string]any) bool) map[string]any {
	solver := solve.Solver{Root: s.root(s.old.CRD, version), Keeps: keeps}
	completed, _ := complete(solver.Root, s.root(s.new.CRD, version), object).(map[string]any)
	accepted := s.solve(solver, completed, maxBaseAttempts)
	if accepted == nil {
		accepted = s.solve(solver, object, maxBaseAttempts)
	}
	if accepted == nil || s.old.CRD == s.new.CRD {
		return accepted
	}
	solver.Attempts = min(maxBaseAttempts, s.attempts)
	solver.Failures = func(content map[string]any) ([]solve.Failure, error) {
		if failures, _ := s.oldFailures(content); len(failures) > 0 {
			return slices.Repeat(failures, maxBaseAttempts), nil // worse than any rejection by the new CRD
		}
		return solve.Failures(content, s.evaluate(s.new, content), s.new.CRD.Report.Rules), nil
	}
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

// baseFor returns an object like base that contains the parent of the value at a path. Without such an object, it
// returns base, or nil for a search with a home.
func (s *search) baseFor(version string, path []any) map[string]any {
	return s.baseWith(version, path[:max(0, len(path)-1)])
}

// baseWith is like baseFor for an object that contains a value at a path.
func (s *search) baseWith(version string, path []any) map[string]any {
	if s.home != nil {
		// Each base has attempts of its own, so that the result does not depend on the order of the searches.
		s.home.attempts, s.home.status = maxAttempts, concernsStatus(s.home.old.CRD, version, path)
		base := s.home.baseWith(version, path)
		if _, has := jsonvalue.At(base, path); !has {
			return nil
		}
		return base
	}
	base := s.base(version)
	if base == nil || len(path) == 0 {
		return base
	}
	key := version + " " + jsonvalue.PathString(path)
	if known, ok := s.bases[key]; ok {
		return known
	}
	root := s.root(s.old.CRD, version)
	s.bases[key] = base
	has := func(object map[string]any) bool { _, has := jsonvalue.At(object, path); return has }
	if has(base) {
		return base
	}
	if object, ok := contained(root.At(path), path).Place(root, base); ok {
		if accepted := s.acceptable(version, object, has); accepted != nil {
			s.bases[key] = accepted
		}
	}
	return s.bases[key]
}

// contained returns the edit that adds a value of a schema at a path. Objects begin with their required fields.
func contained(schema crdschema.Schema, path []any) solve.Edit {
	switch {
	case schema.Is("array"):
		return solve.Edit{Path: jsonvalue.AppendStep(path, 0), Absent: true}
	case schema.Schema == nil, schema.Is("object"):
		return solve.Edit{Path: jsonvalue.AppendStep(path, solve.ExampleKey), Absent: true}
	}
	return solve.Edit{Path: path, Value: crdschema.Sample(schema)}
}

func withName(meta map[string]any) map[string]any {
	named := map[string]any{}
	maps.Copy(named, meta)
	if named["name"] == nil {
		named["name"] = "example"
	}
	return named
}

func (s *search) oldFailures(content map[string]any) ([]solve.Failure, error) {
	return solve.Failures(content, s.evaluateOld(content), s.old.CRD.Report.Rules), nil
}

// solve changes an object until the old CRD accepts it, or returns nil.
func (s *search) solve(solver solve.Solver, content map[string]any, attempts int) map[string]any {
	solver.Attempts, solver.Failures = min(attempts, s.attempts), s.oldFailures
	best, remaining, _ := solver.Solve(content)
	if len(remaining) > 0 {
		return nil
	}
	return best
}

// repair returns an object that the old CRD accepts: the given one with a candidate, or one with a few
// other values. It may return nil.
func (s *search) repair(root crdschema.Schema, content map[string]any, candidate solve.Edit) map[string]any {
	placed, had := jsonvalue.At(content, candidate.Path)
	keeps := func(object map[string]any) bool {
		value, has := jsonvalue.At(object, candidate.Path)
		return has == had && (len(candidate.Path) == 0 || jsonvalue.Equal(value, placed))
	}
	return s.solve(solve.Solver{Root: root, Keeps: keeps}, content, maxRepairs)
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
