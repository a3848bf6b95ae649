package assist

import (
	"context"
	"fmt"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/release"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// Assistant answers the requests of editors: completion, hover, formatting, samples
// and expressions to evaluate. It is safe for concurrent use.
type Assistant struct{ engine *engine.Engine }

// New returns an assistant that evaluates with e.
func New(e *engine.Engine) *Assistant { return &Assistant{e} }

// Answer answers a question of somebody who is writing one of the texts. A text
// that nothing can be said about gets an empty answer; an error means that ctx
// ended, that the question is none, or that the engine itself failed.
func (a *Assistant) Answer(ctx context.Context, q playground.Question) (help playground.Help, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("help: panic: %v", p)
		}
	}()
	if err := ctx.Err(); err != nil {
		return help, err
	}
	switch {
	case q.Complete != nil:
		help.Completion, help.Missing, err = a.completion(ctx, *q.Complete)
	case q.Hover != nil:
		help.Hover, help.Missing, err = a.hover(ctx, *q.Hover)
	case q.Sample != nil:
		help.Sample, err = a.sample(ctx, *q.Sample)
	case q.Format != nil:
		help.Formatted = format(q.Format.Text)
	case q.Try != nil:
		help.Tried, help.Missing, err = a.try(ctx, *q.Try)
	default:
		err = &playground.InvalidScenarioError{Parameter: "question", Message: "must ask for a completion, a hover, a sample, a format or a trial"}
	}
	if err != nil {
		return playground.Help{}, err
	}
	return help, ctx.Err()
}

func (a *Assistant) completion(ctx context.Context, at playground.Cursor) (completion *playground.Completion, missing bool, err error) {
	restore, err := release.Emulate(at.Scenario)
	if err != nil {
		return nil, false, err
	}
	defer restore()
	place, err := a.placeAt(ctx, at)
	if err != nil {
		return nil, false, err
	}
	found := place.complete()
	return &found, place.missing(), nil
}

func (a *Assistant) hover(ctx context.Context, at playground.Cursor) (hover *playground.Hover, missing bool, err error) {
	var report playground.Report
	if at.Document == playground.DocumentObject && at.Trial == nil {
		if report, err = a.engine.Evaluate(ctx, at.Scenario); err != nil {
			return nil, false, err
		}
	}
	restore, err := release.Emulate(at.Scenario)
	if err != nil {
		return nil, false, err
	}
	defer restore()
	place, err := a.placeAt(ctx, at)
	if err != nil {
		return nil, false, err
	}
	found := place.hover(report.Objects)
	return &found, place.missing(), nil
}

// missing says whether the engine lacks what describes the place: the types that
// Kubernetes publishes, or the variables of policies.
func (p *cursorContext) missing() bool {
	if p.lacking {
		return true
	}
	switch p.document {
	case playground.DocumentCRD, playground.DocumentOldCRD:
		return p.types.Definitions == nil && p.celScope() == nil
	case playground.DocumentObject, playground.DocumentOldObject:
		return p.types.Definitions == nil && len(p.Path) > 0 && p.Path[0] == "metadata"
	case playground.DocumentAdmission:
		return p.policies == nil
	}
	return false
}

// cursorContext is a cursor in a text, and what is known of the text's type.
type cursorContext struct {
	tolerant.Cursor
	position playground.Position
	document playground.Document
	outline  *tolerant.Tree
	types    *crdschema.Types
	policies func() (request, namespace *apiservercel.DeclType)
	// trial is what the expression may use that is tried; nil if the cursor is in
	// a document.
	trial *celScope
	// lacking: the engine lacks what it takes to know trial.
	lacking bool
	// kind is the type of the document at the cursor; nil if it is not known.
	kind *crdschema.Kind
	// crd is the CRD of the scenario if the document is an object of it or an
	// admission policy, else nil.
	crd *crd.CRD
}

// root is the document that the cursor is in.
func (p *cursorContext) root() *tolerant.Node { return p.outline.Documents[p.Document] }

func (a *Assistant) placeAt(ctx context.Context, at playground.Cursor) (*cursorContext, error) {
	if at.Trial != nil {
		return a.trialPlace(ctx, at)
	}
	p := &cursorContext{document: at.Document, types: a.engine.KubernetesTypes(), policies: a.engine.Features.PolicyTypes}
	text, err := documentText(at)
	if err != nil {
		return nil, err
	}
	p.outline = tolerant.Parse(text)
	p.position = p.outline.Nearest(at.Position)
	p.Cursor = p.outline.Cursor(p.position)
	switch at.Document {
	case playground.DocumentCRD, playground.DocumentOldCRD:
		p.kind = p.types.CRDKind(p.root())
	case playground.DocumentObject, playground.DocumentOldObject, playground.DocumentAdmission:
		s, err := engine.SetDefaults(at.Scenario)
		if err != nil {
			return nil, err
		}
		p.crd = a.engine.EvaluateCRD(ctx, s)
		if at.Document == playground.DocumentAdmission {
			p.kind = p.admissionKind()
		} else {
			p.kind = p.crd.KindOf(p.types, p.root())
		}
	}
	return p, nil
}

func documentText(at playground.Cursor) (string, error) {
	if text := at.Scenario.Text(at.Document); text != nil {
		return *text, nil
	}
	return "", &playground.InvalidScenarioError{Parameter: "document", Message: "must be crd, oldCrd, object, oldObject, conversion or admission"}
}
