// Package assist responds to the requests of editors. The first three are named after
// requests of the Language Server Protocol:
//
//   - completion.go lists completion items.
//   - hover.go describes the element at the cursor.
//   - formatting.go formats a document.
//   - sample.go writes a sample object of a CRD.
//   - evaluate.go evaluates an expression in the console.
//
// cursor.go finds the context of a cursor for completion and hover.
package assist

import (
	"context"
	"fmt"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
)

// Assistant responds to assist requests. It is safe for concurrent use.
type Assistant struct{ engine *engine.Engine }

// New returns an assistant that evaluates with e.
func New(e *engine.Engine) *Assistant { return &Assistant{e} }

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
	switch {
	case q.Complete != nil:
		help.Completion, help.Missing, err = a.completion(ctx, *q.Complete)
	case q.Hover != nil:
		help.Hover, help.Missing, err = a.hover(ctx, *q.Hover)
	case q.Format != nil:
		help.Formatted = format(q.Format.Text)
	case q.Sample != nil:
		help.Sample, err = a.sample(ctx, *q.Sample)
	case q.Try != nil:
		help.Tried, help.Missing, err = a.evaluate(ctx, *q.Try)
	default:
		err = &playground.InvalidScenarioError{Parameter: "question", Message: "must ask for a completion, a hover, a sample, a format or a trial"}
	}
	if err != nil {
		return playground.AssistResponse{}, err
	}
	return help, ctx.Err()
}
