package assist

import (
	"context"
	"strings"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

func (a *Assistant) explain(ctx context.Context, at playground.Cursor) (*playground.Explanation, error) {
	at.Trial = nil
	linked := playground.DocumentCRD
	if at.Document == playground.DocumentOldCRD {
		at.Scenario = playground.Scenario{Kubernetes: at.Scenario.Kubernetes, CRD: at.Scenario.OldCRD}
		at.Document, linked = playground.DocumentCRD, playground.DocumentOldCRD
	}
	report, err := a.engine.Evaluate(ctx, at.Scenario)
	if err != nil {
		return nil, err
	}
	restore, err := release.Emulate(at.Scenario)
	if err != nil {
		return nil, err
	}
	defer restore()
	c, err := a.contextAt(ctx, at)
	if err != nil {
		return nil, err
	}
	if c.crd == nil {
		s, err := engine.SetDefaults(at.Scenario)
		if err != nil {
			return nil, err
		}
		c.crd = a.engine.EvaluateCRD(ctx, s)
	}
	e := explainer{cursorContext: c, report: report}
	explanation := e.explain()
	if explanation.Title == "" {
		e.moveTo(lineStart(*at.Scenario.Text(at.Document), c.position.Line))
		explanation = e.explain()
	}
	explanation.Document = linked
	return &explanation, nil
}

type explainer struct {
	*cursorContext
	report playground.Report
	// version is the index in spec.versions of the schema of the element, and schemaPath
	// the path of its node.
	version    int
	schemaPath crdschema.Path
}

func (e *explainer) moveTo(character int) {
	e.position.Character = character
	e.Cursor = e.outline.Cursor(e.position)
}

func lineStart(text string, line int) int {
	for range line {
		_, text, _ = strings.Cut(text, "\n")
	}
	return len(text) - len(strings.TrimLeft(text, " -"))
}

func (e *explainer) explain() playground.Explanation {
	switch e.document {
	case playground.DocumentCRD:
		return e.explainSchema()
	case playground.DocumentObject, playground.DocumentOldObject:
		return e.explainField()
	}
	return e.explainOther()
}

func emptyExplanation() playground.Explanation {
	return playground.Explanation{Facts: []playground.Fact{}, Changes: []playground.Change{}, Rules: []playground.ExplainedRule{}}
}

func (e *explainer) explainOther() playground.Explanation {
	explanation := emptyExplanation()
	hover := e.hover(nil)
	explanation.Title, explanation.Type, explanation.Facts = hover.Title, hover.Type, hover.Facts
	return explanation
}

func (e *explainer) elementPath() []any {
	if e.Role == tolerant.AtKey && e.Entry != nil {
		return jsonvalue.AppendStep(e.Path, e.Entry.Key)
	}
	return e.Path
}

func (e *explainer) explainSchemaAt(path []any) playground.Explanation {
	explanation := emptyExplanation()
	explanation.Title = e.crd.Report.Names.Kind
	if schema := e.kind.Root.At(path); schema.Schema != nil {
		explanation.Type = schema.TypeName()
		explanation.Facts = constraintFacts(e.kind.Root, schema, path)
	}
	return explanation
}

func (e *explainer) locateSchema(explanation *playground.Explanation) {
	explanation.SchemaPath = e.schemaPath.String()
	if location, ok := e.crd.Doc.At(e.crd.SchemaPath(e.version, e.schemaPath)...); ok {
		explanation.Schema = new(location.Key())
	}
}

func (e *explainer) problem(findings []playground.Finding) string {
	for _, f := range findings {
		if f.Severity == playground.SeverityError && f.Document == e.document && f.Range.Start.Line == e.position.Line {
			reason, isOfRule := playground.CutRule(f.Message)
			if mistake, _, found := playground.CutCompilation(reason); found {
				return "does not compile: " + mistake
			}
			if isOfRule {
				return reason
			}
			return f.Message
		}
	}
	return ""
}
