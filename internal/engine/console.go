package engine

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/celtoken"
)

// try evaluates an expression at a node of an object.
func (e *Engine) try(ctx context.Context, asked playground.TryRequest) (tried *playground.Tried, missing bool, err error) {
	c, err := e.newConsole(ctx, asked)
	if err != nil {
		return nil, false, err
	}
	defer c.restore()
	if c.find(asked.Trial, asked.Position) {
		c.evaluate(ctx, asked.Trial.Expression)
	}
	return &c.tried, c.missing, nil
}

// A console tries an expression at a node of an object. The object is as the
// rules see it: as it is before it is validated.
type console struct {
	tried   playground.Tried
	crd     *crd
	types   *kubernetesTypes
	file    *source.File
	objects []*request
	// docs are the documents of the objects, as indexes in the file.
	docs []int
	// missing: the engine lacks a part that the scenario needs, and judges: it
	// has what it takes to know the objects.
	missing, judges bool
	restore         func()

	// node is the schema's node, place the object's, and bound what self and
	// oldSelf are there; set by find.
	node  *ruleNode
	place place
	bound activations
}

// newConsole emulates the release of the scenario until restore is called.
func (e *Engine) newConsole(ctx context.Context, asked playground.TryRequest) (*console, error) {
	now, err := requestTime(asked.Scenario.Now)
	if err != nil {
		return nil, err
	}
	s, err := complete(asked.Scenario)
	if err != nil {
		return nil, err
	}
	restore, err := emulateFor(s)
	if err != nil {
		return nil, err
	}
	c := &console{tried: emptyTried(), types: e.kubernetesTypes(), restore: restore}
	c.crd = e.crd(ctx, s)
	c.missing, c.judges = len(e.parts.missing(s, c.crd)) > 0, e.parts.judges(s)
	c.file, err = source.Parse(s.Object, finding.ObjectText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		c.tried.Problem = "The objects pass a limit of the playground: " + err.Error() + "."
		return c, nil
	}
	conv, err := e.parts.newConversion(c.crd, s.Conversion, false) // a keystroke calls no webhook
	if err != nil {
		restore()
		return nil, err
	}
	plugins, err := e.admissionPlugins(s)
	if err != nil {
		restore()
		return nil, err
	}
	c.objects = e.parts.newRequests(ctx, c.crd, conv, plugins, s, now, c.file)
	for i, doc := range c.file.Documents {
		if !doc.Empty() {
			c.docs = append(c.docs, i)
		}
	}
	for _, r := range c.objects {
		r.stages = stagesBefore(playground.StageValidate, r.stages)
		c.tried.Objects = append(c.tried.Objects, documentName(r.doc))
	}
	return c, nil
}

// stagesBefore are those before the stage of a name, or all if there is none.
func stagesBefore(name string, stages []objectStage) []objectStage {
	for i, stage := range stages {
		if stage.name == name {
			return stages[:i]
		}
	}
	return stages
}

// documentName is how an object is called before it is decoded.
func documentName(doc *source.Document) string {
	kind, _ := doc.Lookup("kind")
	name, _ := doc.Lookup("metadata", "name")
	if kind == "" {
		kind = "Object"
	}
	return strings.TrimSpace(kind + " " + name)
}

func emptyTried() playground.Tried {
	return playground.Tried{
		Objects: []string{}, Paths: []string{}, Errors: []playground.ExpressionError{}, Trace: []playground.TraceStep{},
		Outcome: playground.OutcomeSkipped, CostLimit: ruleCostLimit,
	}
}

// fail says why nothing can be tried.
func (c *console) fail(format string, arguments ...any) bool {
	c.tried.Problem = fmt.Sprintf(format, arguments...)
	return false
}

// trialPlace is the cursor in an expression that is tried, for who completes it.
func (e *Engine) trialPlace(ctx context.Context, at playground.Cursor) (*writingPlace, error) {
	c, err := e.newConsole(ctx, playground.TryRequest{Scenario: at.Scenario, Trial: *at.Trial})
	if err != nil {
		return nil, err
	}
	defer c.restore()
	p := &writingPlace{position: at.Position, types: c.types}
	p.Text = at.Trial.Expression
	p.Before = celtoken.NewExpression(p.Text).Before(at.Position)
	p.Word = playground.Range{Start: at.Position, End: at.Position}
	if !isTooLong(p.Text) && c.find(*at.Trial, nil) {
		p.trial = c.scope(false)
	}
	p.lacking = c.missing
	return p, nil
}

// scope is what an expression may use at the node; nil if there can be none.
func (c *console) scope(optionalOldSelf bool) *celScope {
	schema := typedSchema{types: c.types}
	if kind := c.crd.kindAt(c.types, c.tried.Version); kind != nil {
		schema = kind.root.at(c.place.path)
	}
	return selfScope(c.node.declType, schema, optionalOldSelf)
}

// versionSchema is the schema of a version as the CRD has it, accepted or not.
func (c *crd) versionSchema(version string) *apiextensions.JSONSchemaProps {
	if c.internal == nil {
		return nil
	}
	validation, err := apiextensions.GetSchemaForVersion(c.internal, version)
	if err != nil || validation == nil {
		return nil
	}
	return validation.OpenAPIV3Schema
}
