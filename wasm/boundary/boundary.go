//go:build js && wasm

// Package boundary exports an engine to JavaScript as three functions:
//
//	crdlabEvaluate(scenario: string): string
//	crdlabShow(view: string, documents: object): {answer: string, panels: object}
//	crdlabHelp(question: string, documents: object): string
//
// The first argument is a playground.Scenario, View or AssistRequest in JSON. The result is
// a playground.Report, Answer or Help in JSON. JSON encoding of long strings is slow,
// so documents are passed as properties of a JavaScript object instead of fields of
// the scenario, and panels are returned in the same way.
//
// If the module fails, the result is {"error": "…"}, which crdlabShow returns as an
// object. After exporting the functions, the package calls crdlabReady if it is a
// function.
package boundary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"syscall/js"

	"github.com/crdlab/crdlab/internal/assist"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
)

// gcPercent saves about a fifth of the time for 20 MiB of memory.
const gcPercent = 200

// Serve exports e to JavaScript. It never returns.
func Serve(e *engine.Engine) {
	debug.SetGCPercent(gcPercent)
	cache := documents{}
	export("crdlabEvaluate", func(request string, _ js.Value) any {
		report, err := evaluate(e, request)
		return encodeReply(report, err)
	})
	export("crdlabShow", func(request string, sources js.Value) any {
		answer, err := show(e, request, sources, cache)
		return showReply(answer, err)
	})
	export("crdlabHelp", func(request string, sources js.Value) any {
		help, err := help(e, request, sources, cache)
		return encodeReply(help, err)
	})
	if ready := js.Global().Get("crdlabReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {}
}

// export defines a global JavaScript function with a string argument and an optional
// object of documents.
func export(name string, serve func(request string, sources js.Value) any) {
	js.Global().Set(name, js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		if len(arguments) == 0 || arguments[0].Type() != js.TypeString {
			return encodeReply(nil, errors.New(name+" takes a string"))
		}
		sources := js.Null()
		if len(arguments) > 1 {
			sources = arguments[1]
		}
		return serve(arguments[0].String(), sources)
	}))
}

func evaluate(e *engine.Engine, request string) (report playground.Report, err error) {
	defer recoverPanic(&err)
	var scenario playground.Scenario
	if err := decode(request, &scenario); err != nil {
		return report, err
	}
	return e.Evaluate(context.Background(), scenario)
}

func show(e *engine.Engine, request string, sources js.Value, cache documents) (answer playground.Answer, err error) {
	defer recoverPanic(&err)
	var view playground.View
	if err := decode(request, &view); err != nil {
		return answer, err
	}
	cache.read(sources, &view.Scenario)
	report, preliminary, err := evaluateView(e, view)
	switch {
	case err != nil:
		return answer, err
	case preliminary:
		return ui.PreliminaryAnswer(report, view.Panels)
	}
	return ui.Answer(report, view.Panels)
}

func evaluateView(e *engine.Engine, view playground.View) (report playground.Report, preliminary bool, err error) {
	if view.Preliminary {
		return e.Preliminary(context.Background(), view.Scenario)
	}
	report, err = e.Evaluate(context.Background(), view.Scenario)
	return report, false, err
}

func help(e *engine.Engine, request string, sources js.Value, cache documents) (help playground.AssistResponse, err error) {
	defer recoverPanic(&err)
	var question playground.AssistRequest
	if err := decode(request, &question); err != nil {
		return help, err
	}
	if scenario := scenarioOf(&question); scenario != nil {
		cache.read(sources, scenario)
	}
	return assist.New(e).Answer(context.Background(), question)
}

// scenarioOf returns the scenario of an assist request, or nil if it has no scenario.
func scenarioOf(question *playground.AssistRequest) *playground.Scenario {
	switch {
	case question.Complete != nil:
		return &question.Complete.Scenario
	case question.Hover != nil:
		return &question.Hover.Scenario
	case question.Try != nil:
		return &question.Try.Scenario
	}
	return nil
}

// recoverPanic converts a panic into an error.
func recoverPanic(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("the engine failed: %v", cause)
	}
}

func decode(request string, into any) error {
	decoder := json.NewDecoder(strings.NewReader(request))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("decode the request: %w", err)
	}
	return nil
}

// showReply converts an answer or an error into a JavaScript object.
func showReply(answer playground.Answer, err error) any {
	panels := map[string]any{}
	for name, html := range answer.Panels {
		panels[name] = html
	}
	answer.Panels = nil
	encoded := ""
	if err == nil {
		encoded, err = encode(answer)
	}
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"answer": encoded, "panels": panels}
}

// encodeReply encodes an answer or an error as JSON.
func encodeReply(answer any, err error) any {
	if err != nil {
		answer = map[string]string{"error": err.Error()}
	}
	encoded, err := encode(answer)
	if err != nil {
		return `{"error": "cannot encode the answer"}`
	}
	return encoded
}

func encode(value any) (string, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return out.String(), err
}
