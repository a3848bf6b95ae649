package assist

import (
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

func (e *explainer) explainSchema() playground.Explanation {
	version, steps, ok := e.schemaSteps()
	if !ok {
		return e.explainOther()
	}
	path, value, rest := splitSchemaPath(steps)
	e.version, e.schemaPath = version, path
	name := e.crd.Internal.Spec.Versions[version].Name
	e.kind = e.crd.KindOfVersion(e.types, name)
	explanation := e.explainSchemaAt(value)
	if len(path) > 0 {
		explanation.Title = path.ValuePath()
	}
	e.locateSchema(&explanation)
	explanation.Problem = e.problem(e.report.CRD.Findings)
	if rule, ok := e.ruleAt(rest); ok {
		explanation.IsRule, explanation.Type, explanation.Facts = true, "", []playground.Fact{}
		explanation.Rules = []playground.ExplainedRule{rule}
	} else {
		explanation.Rules = e.rulesReading(path)
		explanation.Changes = e.schemaChanges()
	}
	e.addWorstResults(explanation.Rules)
	return explanation
}

func (e *explainer) schemaSteps() (version int, steps []any, ok bool) {
	const before = 5 // steps to the schema of a version
	path := e.elementPath()
	if e.Role == tolerant.Nowhere || e.crd.Internal == nil || len(path) < before || path[0] != "spec" || path[1] != "versions" || path[4] != "openAPIV3Schema" {
		return 0, nil, false
	}
	version, ok = path[2].(int)
	return version, path[before:], ok && version < len(e.crd.Internal.Spec.Versions)
}

func splitSchemaPath(steps []any) (path crdschema.Path, value, rest []any) {
	for len(steps) > 0 {
		next, used := schemaStep(steps)
		if used == 0 {
			break
		}
		switch steps[0] {
		case "items":
			value = append(value, 0)
		default:
			value = append(value, next[len(next)-1])
		}
		path, steps = append(path, next...), steps[used:]
	}
	return path, value, steps
}

func schemaStep(steps []any) (path crdschema.Path, used int) {
	switch steps[0] {
	case "items", "additionalProperties":
		return crdschema.Path{steps[0].(string)}, 1
	case "properties":
		if len(steps) > 1 {
			if name, isName := steps[1].(string); isName {
				return crdschema.Path{"properties", name}, 2
			}
		}
	}
	return nil, 0
}

func (e *explainer) schemaChanges() []playground.Change {
	changes := []playground.Change{}
	path := e.schemaPath.ValuePath()
	for _, object := range e.report.Objects {
		for _, stage := range object.Stages {
			for _, change := range stage.Changes {
				isOfNode := change.Cause == playground.CauseDefaulted && change.SchemaPath == e.schemaPath.String() || withoutIndexes(change.Path) == path
				if isOfNode && !slices.ContainsFunc(changes, func(c playground.Change) bool { return c.Cause == change.Cause }) {
					changes = append(changes, change)
				}
			}
		}
	}
	return changes
}

func withoutIndexes(path string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(path, "[")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		if _, path, ok = strings.Cut(after, "]"); !ok {
			return b.String()
		}
		b.WriteString("[*]")
	}
}
