package assist

import (
	"context"
	"fmt"
	"strings"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/celtoken"
)

// try evaluates an expression at a node of an object.
func (a *Assistant) try(ctx context.Context, asked playground.TryRequest) (tried *playground.Tried, missing bool, err error) {
	restore, err := release.Emulate(asked.Scenario)
	if err != nil {
		return nil, false, err
	}
	defer restore()
	c, err := a.newConsole(ctx, asked)
	if err != nil {
		return nil, false, err
	}
	if c.find(asked.Trial, asked.Position) {
		c.evaluate(ctx, asked.Trial.Expression)
	}
	return &c.tried, c.missing, nil
}

// A console tries an expression at a node of an object. The object is as the
// rules see it: as it is before it is validated.
type console struct {
	tried   playground.Tried
	crd     *crd.CRD
	types   *crdschema.Types
	file    *source.File
	objects []*object.Request
	// docs are the documents of the objects, as indexes in the file.
	docs []int
	// missing: the engine lacks a part that the scenario needs, and judges: it
	// has what it takes to know the objects.
	missing, judges bool

	// node is the schema's node, place the object's, and bound what self and
	// oldSelf are there; set by find.
	node  *celrule.Node
	place celrule.Target
	bound *celrule.Bindings
}

// newConsole prepares the objects of the scenario. The caller emulates the
// scenario's release.
func (a *Assistant) newConsole(ctx context.Context, asked playground.TryRequest) (*console, error) {
	now, err := engine.ParseNow(asked.Scenario.Now)
	if err != nil {
		return nil, err
	}
	s, err := engine.SetDefaults(asked.Scenario)
	if err != nil {
		return nil, err
	}
	c := &console{tried: emptyTried(), types: a.engine.KubernetesTypes()}
	c.crd = a.engine.EvaluateCRD(ctx, s)
	c.missing, c.judges = len(a.engine.Features.Missing(s, c.crd.ConvertsByWebhook())) > 0, a.engine.Features.Supports(s)
	c.file, err = source.Parse(s.Object, finding.ObjectText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		c.tried.Problem = "The objects pass a limit of the playground: " + err.Error() + "."
		return c, nil
	}
	conv, err := object.NewConversion(a.engine.Features, c.crd, s.Conversion, false) // a keystroke calls no webhook
	if err != nil {
		return nil, err
	}
	plugins, err := a.engine.AdmissionPlugins(s)
	if err != nil {
		return nil, err
	}
	c.objects = object.NewRequests(ctx, a.engine.Features, c.crd, conv, plugins, s, now, c.file)
	for i, doc := range c.file.Documents {
		if !doc.Empty() {
			c.docs = append(c.docs, i)
		}
	}
	for _, r := range c.objects {
		r.StopBefore(playground.StageValidate)
		c.tried.Objects = append(c.tried.Objects, documentName(r.Doc))
	}
	return c, nil
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
		Outcome: playground.OutcomeSkipped, CostLimit: crd.RuleCostLimit,
	}
}

// fail says why nothing can be tried.
func (c *console) fail(format string, arguments ...any) bool {
	c.tried.Problem = fmt.Sprintf(format, arguments...)
	return false
}

// trialPlace is the cursor in an expression that is tried, for who completes it.
func (a *Assistant) trialPlace(ctx context.Context, at playground.Cursor) (*cursorContext, error) {
	c, err := a.newConsole(ctx, playground.TryRequest{Scenario: at.Scenario, Trial: *at.Trial})
	if err != nil {
		return nil, err
	}
	p := &cursorContext{position: at.Position, types: c.types}
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
	schema := crdschema.Schema{Types: c.types}
	if kind := c.crd.KindOfVersion(c.types, c.tried.Version); kind != nil {
		schema = kind.Root.At(c.place.Path)
	}
	return selfScope(c.node.DeclType, schema, optionalOldSelf)
}
