package assist

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

func (e *explainer) explainField() playground.Explanation {
	if e.kind == nil || e.Role == tolerant.Nowhere {
		return emptyExplanation()
	}
	path := e.elementPath()
	explanation := e.explainSchemaAt(path)
	if len(path) > 0 {
		explanation.Title = jsonvalue.PathString(path)
	}
	if props, ok := e.findVersion(e.kind.Version); ok {
		if e.schemaPath, ok = schemaPathOf(props, path); ok {
			e.locateSchema(&explanation)
		}
		explanation.Rules = e.rulesReading(e.schemaPath)
	}
	if evaluated := e.evaluatedObject(e.report.Objects); evaluated != nil && e.document == playground.DocumentObject {
		explanation.Changes = changesAt(*evaluated, path)
		explanation.Problem = e.problem(evaluated.Findings)
		e.addResults(explanation.Rules, path, *evaluated)
	}
	return explanation
}

func (e *explainer) findVersion(name string) (*apiextensions.JSONSchemaProps, bool) {
	e.version = slices.IndexFunc(e.crd.Internal.Spec.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool { return v.Name == name })
	props := e.crd.VersionSchema(name)
	return props, e.version >= 0 && props != nil
}

func schemaPathOf(props *apiextensions.JSONSchemaProps, path []any) (schemaPath crdschema.Path, ok bool) {
	for _, step := range path {
		next := crdschema.Path{"items"}
		if name, isKey := step.(string); isKey {
			next = crdschema.Path{"properties", name}
			if crd.SchemaAt(props, next) == nil && crd.SchemaAt(props, crdschema.Path{"additionalProperties"}) != nil {
				next = crdschema.Path{"additionalProperties"}
			}
		}
		props, schemaPath = crd.SchemaAt(props, next), append(schemaPath, next...)
	}
	return schemaPath, props != nil
}

func changesAt(object playground.Object, path []any) []playground.Change {
	changes := []playground.Change{}
	for _, stage := range object.Stages {
		for _, change := range stage.Changes {
			for n := 1; n <= len(path); n++ {
				if change.Path == jsonvalue.PathString(path[:n]) {
					changes = append(changes, change)
				}
			}
		}
	}
	return changes
}
