package assist

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
)

// maxSampleTrials is how many objects are tried to meet the rules.
const maxSampleTrials = 120

// sample writes an object of a CRD.
func (a *Assistant) sample(ctx context.Context, q playground.SampleRequest) (*playground.Sample, error) {
	sample := &playground.Sample{Unsolved: []string{}}
	s, err := engine.SetDefaults(playground.Scenario{CRD: q.CRD})
	if err != nil {
		return nil, err
	}
	restore, err := release.Emulate(s)
	if err != nil {
		return nil, err
	}
	c := a.engine.EvaluateCRD(ctx, s)
	restore()
	if c.Internal == nil {
		return sample, nil
	}
	kind := c.KindOfVersion(a.engine.KubernetesTypes(), q.Version)
	if kind == nil || q.Version != "" && kind.Version != q.Version {
		return sample, nil
	}
	m := sampleMaker{ctx: ctx, engine: a.engine, scenario: s, kind: kind}
	object := crdschema.SampleObject(kind.Root)
	if meta, ok := object["metadata"].(map[string]any); ok && meta["name"] == nil {
		meta["name"] = c.Internal.Spec.Names.Singular + "-sample"
	}
	if c.Report.Accepted {
		if object, sample.Unsolved, err = m.best(object); err != nil {
			return nil, err
		}
	}
	sample.Object = writeSample(kind.Root, object, q.Full)
	return sample, nil
}

// A sampleMaker asks the engine itself whether an object is accepted, and
// changes it as long as that helps.
type sampleMaker struct {
	ctx      context.Context
	engine   *engine.Engine
	scenario playground.Scenario
	kind     *crdschema.Kind
	trials   int
}

// best is the object with a spec, since that is what people begin with, or else
// without.
func (m *sampleMaker) best(object map[string]any) (map[string]any, []string, error) {
	spec := m.kind.Root.Child("spec")
	if _, has := object["spec"]; has || !spec.Is("object") {
		return m.solve(object)
	}
	with := maps.Clone(object)
	with["spec"] = crdschema.Sample(spec)
	solved, unsolved, err := m.solve(with)
	if err != nil || len(unsolved) == 0 {
		return solved, unsolved, err
	}
	m.trials = 0
	return m.solve(object)
}

// solve returns the best object that it finds, and what keeps it from being
// accepted.
func (m *sampleMaker) solve(object map[string]any) (best map[string]any, unsolved []string, err error) {
	best, unsolved, failing := object, []string{}, []failure(nil)
	if failing, err = m.judge(best); err != nil {
		return best, unsolved, err
	}
	for len(failing) > 0 && m.trials < maxSampleTrials {
		better, left, err := m.improve(best, failing)
		if err != nil {
			return best, unsolved, err
		}
		if better == nil {
			break
		}
		best, failing = better, left
	}
	for _, f := range failing {
		unsolved = append(unsolved, f.text)
	}
	return best, unsolved, nil
}

// A failure is why an object is refused, and the path of the value at fault.
type failure struct {
	text string
	path []any
}

func (m *sampleMaker) judge(object map[string]any) ([]failure, error) {
	m.trials++
	s := m.scenario
	s.Object = writeSample(m.kind.Root, object, false)
	report, err := m.engine.Evaluate(m.ctx, s)
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

// improve tries single changes near what fails until one leaves less to
// complain of. It returns nil if none does.
func (m *sampleMaker) improve(object map[string]any, failing []failure) (map[string]any, []failure, error) {
	for _, f := range failing {
		for _, path := range nearPaths(f.path) {
			for _, edit := range crdschema.SampleEdits(m.kind.Root.At(path), valueAt(object, path)) {
				if m.trials >= maxSampleTrials {
					return nil, nil, nil
				}
				changed, _ := replaced(object, path, edit).(map[string]any)
				left, err := m.judge(changed)
				if err != nil {
					return nil, nil, err
				}
				if len(left) < len(failing) {
					return changed, left, nil
				}
			}
		}
	}
	return nil, nil, nil
}

// nearPaths are a path, those of the values around it last.
func nearPaths(path []any) [][]any {
	paths := [][]any{path}
	for i := len(path) - 1; i > 0; i-- {
		paths = append(paths, path[:i])
	}
	return paths
}

// existingPath is as much of a field's path as an object has.
func existingPath(object any, field string) []any {
	path := []any{}
	for {
		step, next := childNamed(object, field, path)
		if step == nil {
			return path
		}
		path, object = jsonvalue.AppendStep(path, step), next
	}
}

// childNamed is the child of a value, at a path, that leads to a field.
func childNamed(value any, field string, path []any) (step, child any) {
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

// replaced is a value with another one at a path; it shares the rest.
func replaced(value any, path []any, with any) any {
	if len(path) == 0 {
		return with
	}
	switch step := path[0].(type) {
	case string:
		object, _ := value.(map[string]any)
		out := maps.Clone(object)
		out[step] = replaced(object[step], path[1:], with)
		return out
	case int:
		list, _ := value.([]any)
		out := slices.Clone(list)
		out[step] = replaced(list[step], path[1:], with)
		return out
	}
	return value
}
