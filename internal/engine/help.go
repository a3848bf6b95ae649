package engine

import (
	"context"
	"fmt"

	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/tolerant"
)

// Help answers a question of somebody who is writing one of the texts. A text
// that nothing can be said about gets an empty answer; an error means that ctx
// ended, that the question is none, or that the engine itself failed.
func (e *Engine) Help(ctx context.Context, q playground.Question) (help playground.Help, err error) {
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
		help.Completion, help.Missing, err = e.completion(ctx, *q.Complete)
	case q.Hover != nil:
		help.Hover, help.Missing, err = e.hover(ctx, *q.Hover)
	case q.Sample != nil:
		help.Sample, err = e.sample(ctx, *q.Sample)
	case q.Format != nil:
		help.Formatted = format(q.Format.Text)
	case q.Try != nil:
		help.Tried, help.Missing, err = e.try(ctx, *q.Try)
	default:
		err = &playground.InvalidScenarioError{Parameter: "question", Message: "must ask for a completion, a hover, a sample, a format or a trial"}
	}
	if err != nil {
		return playground.Help{}, err
	}
	return help, ctx.Err()
}

func (e *Engine) completion(ctx context.Context, at playground.Cursor) (completion *playground.Completion, missing bool, err error) {
	restore, err := emulateFor(at.Scenario)
	if err != nil {
		return nil, false, err
	}
	defer restore()
	place, err := e.placeAt(ctx, at)
	if err != nil {
		return nil, false, err
	}
	found := place.complete()
	return &found, place.missing(), nil
}

func (e *Engine) hover(ctx context.Context, at playground.Cursor) (hover *playground.Hover, missing bool, err error) {
	var report playground.Report
	if at.Document == playground.DocumentObject && at.Trial == nil {
		if report, err = e.Evaluate(ctx, at.Scenario); err != nil {
			return nil, false, err
		}
	}
	restore, err := emulateFor(at.Scenario)
	if err != nil {
		return nil, false, err
	}
	defer restore()
	place, err := e.placeAt(ctx, at)
	if err != nil {
		return nil, false, err
	}
	found := place.hover(report.Objects)
	return &found, place.missing(), nil
}

// missing says whether the engine lacks what describes the place: the types that
// Kubernetes publishes, or the variables of policies.
func (p *writingPlace) missing() bool {
	if p.lacking {
		return true
	}
	switch p.document {
	case playground.DocumentCRD, playground.DocumentOldCRD:
		return p.types.definitions == nil && p.celScope() == nil
	case playground.DocumentObject, playground.DocumentOldObject:
		return p.types.definitions == nil && len(p.Path) > 0 && p.Path[0] == "metadata"
	case playground.DocumentAdmission:
		return p.policies == nil
	}
	return false
}

// writingPlace is a cursor in a text, and what is known of the text's type.
type writingPlace struct {
	tolerant.Cursor
	position playground.Position
	document playground.Document
	outline  *tolerant.Tree
	types    *kubernetesTypes
	policies func() (request, namespace *apiservercel.DeclType)
	// trial is what the expression may use that is tried; nil if the cursor is in
	// a document.
	trial *celScope
	// lacking: the engine lacks what it takes to know trial.
	lacking bool
	// kind is the type of the document at the cursor; nil if it is not known.
	kind *kindSchema
	// crd is the CRD of the scenario if the document is an object of it or an
	// admission policy, else nil.
	crd *crd
}

// root is the document that the cursor is in.
func (p *writingPlace) root() *tolerant.Node { return p.outline.Documents[p.Document] }

func (e *Engine) placeAt(ctx context.Context, at playground.Cursor) (*writingPlace, error) {
	if at.Trial != nil {
		return e.trialPlace(ctx, at)
	}
	p := &writingPlace{document: at.Document, types: e.kubernetesTypes(), policies: e.parts.PolicyTypes}
	text, err := documentText(at)
	if err != nil {
		return nil, err
	}
	p.outline = tolerant.Parse(text)
	p.position = p.outline.Nearest(at.Position)
	p.Cursor = p.outline.Cursor(p.position)
	switch at.Document {
	case playground.DocumentCRD, playground.DocumentOldCRD:
		p.kind = p.types.crdKind(p.root())
	case playground.DocumentObject, playground.DocumentOldObject, playground.DocumentAdmission:
		s, err := complete(at.Scenario)
		if err != nil {
			return nil, err
		}
		p.crd = e.crd(ctx, s)
		if at.Document == playground.DocumentAdmission {
			p.kind = p.admissionKind()
		} else {
			p.kind = p.crd.kindOf(p.types, p.root())
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
