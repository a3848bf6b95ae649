// Package assist responds to the requests of editors. Completion, hover and formatting are named after
// requests of the Language Server Protocol:
//
//   - completion.go lists completion items.
//   - hover.go describes the element at the cursor.
//   - explanation.go relates the element at the cursor to the result.
//   - formatting.go formats a document.
//   - sample.go writes a sample object of a CRD.
//   - template.go drafts a conversion or an admission policy for a CRD.
//   - evaluate.go evaluates an expression in the console.
//   - fields.go lists the fields of a CRD.
//   - insert.go inserts a field into an object.
//   - tests.go runs and exports tests.
//   - publish.go writes a JSON Schema.
//
// cursor.go finds the context of a cursor for completion and hover.
package assist

import (
	"context"
	"fmt"
	"strings"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

// Assistant responds to assist requests. It is safe for concurrent use.
type Assistant struct {
	engine  *engine.Engine
	divider bundle.Divider
}

// New returns an assistant that evaluates with e.
func New(e *engine.Engine) *Assistant { return &Assistant{engine: e} }

// Answer responds to an assist request. The response is empty if nothing is known about
// the position. Answer fails if ctx ends, the request is invalid or the engine fails.
func (a *Assistant) Answer(ctx context.Context, q playground.AssistRequest) (help playground.AssistResponse, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("help: panic: %v", p)
		}
	}()
	if err := ctx.Err(); err != nil {
		return help, err
	}
	if q, err = a.divide(q); err != nil {
		return help, err
	}
	switch {
	case q.Complete != nil:
		help.Completion, err = a.completion(ctx, *q.Complete)
	case q.Hover != nil:
		help.Hover, err = a.hover(ctx, *q.Hover)
	case q.Template != nil:
		help.Template, err = a.template(ctx, *q.Template)
	case q.Format != nil:
		help.Formatted = format(q.Format.Text)
	case q.Explain != nil:
		help.Explained, err = a.explain(ctx, *q.Explain)
	case q.Sample != nil:
		help.Sample, err = a.sample(ctx, *q.Sample)
	case q.Try != nil:
		help.Tried, err = a.evaluate(ctx, *q.Try)
	case q.Fields != nil:
		help.Tree, err = a.fields(ctx, *q.Fields)
	case q.Insert != nil:
		help.Insertion, err = a.insert(ctx, *q.Insert)
	case q.Test != nil:
		help.Tested, err = a.test(ctx, *q.Test)
	case q.Export != nil:
		help.TestFile, err = a.export(ctx, *q.Export)
	case q.Publish != nil:
		help.Published, err = a.publish(ctx, *q.Publish)
	default:
		err = &playground.InvalidScenarioError{Parameter: "question", Message: "must have one of the fields of an assist request, such as completion or hover"}
	}
	if err != nil {
		return playground.AssistResponse{}, err
	}
	return help, ctx.Err()
}

// divide reduces the scenario of a request to one CRD, if it has several: the CRD at the
// cursor, or the chosen one.
func (a *Assistant) divide(q playground.AssistRequest) (playground.AssistRequest, error) {
	var whole *playground.Scenario
	var err error
	switch {
	case q.Complete != nil:
		q.Complete, err = a.divideAt(*q.Complete)
	case q.Hover != nil:
		q.Hover, err = a.divideAt(*q.Hover)
	case q.Explain != nil:
		q.Explain, err = a.divideAt(*q.Explain)
	case q.Sample != nil:
		sample := *q.Sample
		var b *bundle.Bundle
		if b, err = a.divider.Divide(playground.Scenario{CRD: sample.CRD, CRDIndex: sample.CRDIndex}); err == nil {
			sample.CRD, q.Sample = b.Scenario().CRD, &sample
		}
	case q.Try != nil:
		try := *q.Try
		q.Try, whole = &try, &try.Scenario
	case q.Fields != nil:
		fields := *q.Fields
		q.Fields, whole = &fields, &fields.Scenario
	case q.Insert != nil:
		insert := *q.Insert
		q.Insert, whole = &insert, &insert.Scenario
	case q.Publish != nil:
		publish := *q.Publish
		q.Publish, whole = &publish, &publish.Scenario
	}
	if whole != nil {
		var b *bundle.Bundle
		if b, err = a.divider.Divide(*whole); err == nil {
			*whole = b.Scenario()
		}
	}
	return q, err
}

func (a *Assistant) divideAt(at playground.Cursor) (*playground.Cursor, error) {
	b, err := a.divider.Divide(at.Scenario)
	if err != nil {
		return nil, err
	}
	if at.Trial == nil {
		b.Choose(at.Document, at.Position)
	}
	whole := at.Scenario
	at.Scenario = b.Scenario()
	if text := whole.Text(at.Document); text != nil && lineOf(*text, at.Position) != lineOf(*at.Scenario.Text(at.Document), at.Position) {
		// The cursor is in a document that belongs to no CRD.
		*at.Scenario.Text(at.Document) = *text
	}
	return &at, nil
}

// lineOf returns the line at a position; empty if the text has no such line.
func lineOf(text string, at playground.Position) string {
	lines := strings.Split(text, "\n")
	if at.Line < 0 || at.Line >= len(lines) {
		return ""
	}
	return lines[at.Line]
}
