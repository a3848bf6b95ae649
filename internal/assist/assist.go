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
//   - plan.go plans the steps from the previous CRD to the CRD.
//   - publish.go writes a JSON Schema.
//   - rename.go renames a property in a CRD.
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
	plans   plans
}

// New returns an assistant that evaluates with e.
func New(e *engine.Engine) *Assistant { return &Assistant{engine: e} }

// Respond returns the response to an assist request. The response is empty if nothing is known about
// the position. Respond fails if ctx ends, the request is invalid or the engine fails.
func (a *Assistant) Respond(ctx context.Context, request playground.AssistRequest) (response playground.AssistResponse, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("assist request: panic: %v", p)
		}
	}()
	if err := ctx.Err(); err != nil {
		return response, err
	}
	if request, err = a.divide(request); err != nil {
		return response, err
	}
	switch {
	case request.Complete != nil:
		response.Complete, err = a.completion(ctx, *request.Complete)
	case request.Hover != nil:
		response.Hover, err = a.hover(ctx, *request.Hover)
	case request.Template != nil:
		response.Template, err = a.template(ctx, *request.Template)
	case request.Format != nil:
		response.Format = format(request.Format.Text)
	case request.Explain != nil:
		response.Explain, err = a.explain(ctx, *request.Explain)
	case request.Sample != nil:
		response.Sample, err = a.sample(ctx, *request.Sample)
	case request.Try != nil:
		response.Try, err = a.evaluate(ctx, *request.Try)
	case request.Fields != nil:
		response.Fields, err = a.fields(ctx, *request.Fields)
	case request.Insert != nil:
		response.Insert, err = a.insert(ctx, *request.Insert)
	case request.Test != nil:
		response.Test, err = a.test(ctx, *request.Test)
	case request.Mutate != nil:
		response.Mutate, err = a.mutate(ctx, *request.Mutate)
	case request.Plan != nil:
		response.Plan, err = a.plan(ctx, *request.Plan)
	case request.Export != nil:
		response.Export, err = a.export(ctx, *request.Export)
	case request.Publish != nil:
		response.Publish, err = a.publish(ctx, *request.Publish)
	default:
		err = &playground.InvalidScenarioError{Parameter: "request", Message: "must have one of the fields of an assist request, such as completion or hover"}
	}
	if err != nil {
		return playground.AssistResponse{}, err
	}
	return response, ctx.Err()
}

// divide reduces the scenario of a request to one CRD, if it has several: the CRD at the
// cursor, or the chosen one.
func (a *Assistant) divide(request playground.AssistRequest) (playground.AssistRequest, error) {
	var whole *playground.Scenario
	var err error
	switch {
	case request.Complete != nil:
		request.Complete, err = a.divideAt(*request.Complete)
	case request.Hover != nil:
		request.Hover, err = a.divideAt(*request.Hover)
	case request.Explain != nil:
		request.Explain, err = a.divideAt(*request.Explain)
	case request.Sample != nil:
		sample := *request.Sample
		var b *bundle.Bundle
		if b, err = a.divider.Divide(playground.Scenario{CRD: sample.CRD, CRDIndex: sample.CRDIndex}); err == nil {
			sample.CRD, request.Sample = b.Scenario().CRD, &sample
		}
	case request.Try != nil:
		try := *request.Try
		request.Try, whole = &try, &try.Scenario
	case request.Fields != nil:
		fields := *request.Fields
		request.Fields, whole = &fields, &fields.Scenario
	case request.Insert != nil:
		insert := *request.Insert
		request.Insert, whole = &insert, &insert.Scenario
	case request.Plan != nil:
		plan := *request.Plan
		request.Plan, whole = &plan, &plan.Scenario
	case request.Publish != nil:
		publish := *request.Publish
		request.Publish, whole = &publish, &publish.Scenario
	}
	if whole != nil {
		var b *bundle.Bundle
		if b, err = a.divider.Divide(*whole); err == nil {
			*whole = b.Scenario()
		}
	}
	return request, err
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
