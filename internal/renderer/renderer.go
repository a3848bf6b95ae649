// Package renderer produces the bodies of HTTP responses: it evaluates scenarios, and
// renders their reports as JSON or HTML.
package renderer

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/a-h/templ"
	"github.com/go-json-experiment/json"

	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
)

// Engine holds the functions of the engine.
type Engine struct {
	Evaluate playground.Evaluate
	Assist   playground.Assist
	// Library is the release of the Kubernetes libraries.
	Library string
}

// Renderer executes requests sequentially. Its caches make it fast for a scenario that
// changes little.
type Renderer struct {
	engine    Engine
	scenarios *scenarioReader
	reports   *reportWriter
}

// New returns a renderer for the engine.
func New(engine Engine) *Renderer {
	engine.Evaluate = bundle.Evaluator(engine.Evaluate)
	return &Renderer{engine, newScenarioReader(), newReportWriter()}
}

// Render returns the body for a request. For a body that the strict decoder rejects, the
// error is [playground.ErrUnreadable]. If the report is larger than [MaxResult], the body
// has a short one; if the body is nevertheless too large, the error is a
// [playground.StoppedError].
func (r *Renderer) Render(ctx context.Context, request playground.Request) ([]byte, error) {
	if request.Task == playground.TaskAssist {
		return r.assist(ctx, request.Body)
	}
	v, err := r.read(request)
	if err != nil {
		return nil, err
	}
	report, err := r.report(ctx, v.scenario, request.Stopped)
	if err != nil {
		return nil, err
	}
	body, err := limited(func(output io.Writer) error { return v.render(output, report) })
	if errors.Is(err, errTooLarge) {
		body, err = limited(func(output io.Writer) error { return v.render(output, shorten(report)) })
	}
	return body, asStopped(err)
}

// view is a decoded request.
type view struct {
	scenario playground.Scenario
	render   func(io.Writer, playground.Report) error
}

func (r *Renderer) read(request playground.Request) (view, error) {
	switch request.Task {
	case playground.TaskReport:
		var scenario playground.Scenario
		err := r.scenarios.read(request.Body, &scenario)
		return view{scenario, r.reports.write}, err
	case playground.TaskPanels:
		var v playground.View
		err := r.scenarios.read(request.Body, &v)
		return view{v.Scenario, func(output io.Writer, report playground.Report) error { return writePanels(output, report, v.Panels) }}, err
	case playground.TaskPage:
		var page ui.PageData
		err := r.scenarios.read(request.Body, &page)
		return view{page.Scenario, func(output io.Writer, report playground.Report) error {
			page.Gallery, page.Report = examples.All(), &report
			return writeHTML(output, ui.Page(page))
		}}, err
	case playground.TaskEmbed:
		var page ui.EmbedData
		err := r.scenarios.read(request.Body, &page)
		return view{page.Scenario, func(output io.Writer, report playground.Report) error {
			page.Report = &report
			return writeHTML(output, ui.Embed(page))
		}}, err
	}
	return view{}, fmt.Errorf("unknown task %d", request.Task)
}

// report evaluates the scenario, unless an evaluation of it was stopped before.
func (r *Renderer) report(ctx context.Context, scenario playground.Scenario, stopped *playground.Stopped) (playground.Report, error) {
	if stopped != nil {
		return stoppedReport(scenario, r.engine.Library, *stopped), nil
	}
	return r.engine.Evaluate(ctx, scenario)
}

func writePanels(output io.Writer, report playground.Report, names []string) error {
	answer, err := ui.Answer(report, names)
	if err != nil {
		return err
	}
	return writeJSON(output, answer)
}

func writeHTML(output io.Writer, page templ.Component) error {
	if err := page.Render(context.Background(), output); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	return nil
}

// assist returns the only part of the response to an assist request.
func (r *Renderer) assist(ctx context.Context, body []byte) ([]byte, error) {
	var request playground.AssistRequest
	if err := json.Unmarshal(body, &request, plain); err != nil {
		return nil, fmt.Errorf("decode an assist request: %w", err)
	}
	response, err := r.engine.Assist(ctx, request)
	if err != nil {
		return nil, err
	}
	kind, _ := request.Kind() // the engine refuses a request without a kind
	body, err = limited(func(output io.Writer) error { return writeJSON(output, kind.Part(response)) })
	return body, asStopped(err)
}

// writeJSON writes JSON without HTML escapes and a line feed.
func writeJSON(output io.Writer, value any) error {
	if err := json.MarshalWrite(output, value, plain); err != nil {
		return fmt.Errorf("encode the response: %w", err)
	}
	_, err := output.Write([]byte("\n"))
	return err
}
